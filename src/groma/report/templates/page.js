"use strict";
// The page says everything without this; here are the text beside the pointer, the choice of colours, and unfolding.
(() => {
  const tip = document.getElementById("tip");
  const REACH = 28; // pixels from the pointer to a mark that is told about

  // The nearest mark tells, and not only the one that is hit: marks are small, and a finger is not.
  function nearest(plot, event) {
    let found = null, least = REACH;
    for (const mark of plot.querySelectorAll("use[data-text]")) {
      const box = mark.getBoundingClientRect();
      if (!box.width) continue;
      const far = Math.hypot(box.x + box.width / 2 - event.clientX, box.y + box.height / 2 - event.clientY);
      if (far < least) [found, least] = [mark, far];
    }
    return found;
  }

  function tell(event) {
    const plot = event.target.closest?.(".plot");
    const mark = plot && nearest(plot, event);
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.text;
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - box.width - 8);
    const below = event.clientY + 18;
    const top = below + box.height > window.innerHeight ? event.clientY - box.height - 12 : below;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, top)}px`;
  }

  function toggleTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  // Browsers that do not yet open what is folded around the target of a link get help.
  function unfold() {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target && target.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) fold.open = true;
    if (target) target.scrollIntoView();
  }

  // The texts would otherwise appear twice: here, and later as the browser's own.
  for (const title of document.querySelectorAll(".plot use > title")) {
    title.parentElement.dataset.text = title.textContent;
    title.remove();
  }
  const sheets = new ResizeObserver((entries) => {
    for (const { target } of entries) target.classList.toggle("overflows", target.scrollWidth > target.clientWidth);
  });
  for (const sheet of document.querySelectorAll(".scroll")) sheets.observe(sheet);
  const folds = [];
  addEventListener("beforeprint", () => {
    folds.push(...document.querySelectorAll("details.passed:not([open]), details.folded:not([open])"));
    for (const fold of folds) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of folds.splice(0)) fold.open = false; });
  addEventListener("hashchange", unfold);
  document.addEventListener("pointermove", tell);
  document.addEventListener("pointerdown", tell);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  document.getElementById("theme")?.addEventListener("click", toggleTheme);
  unfold();
})();
