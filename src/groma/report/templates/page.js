"use strict";
// The page says everything without this; here are the text beside the pointer, the choice of colours, unfolding, and files.
(() => {
  document.documentElement.classList.add("js");
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

  // A chart as a file: as it is seen, with lengths in pixels and every style at its element.
  const LETTERS = ["fill", "opacity", "font-family", "font-size", "font-weight", "text-anchor"];
  const SHAPES = ["fill", "opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin"];

  function add(root, name, source, attributes) {
    const made = document.createElementNS(root.namespaceURI, name), own = getComputedStyle(source);
    for (const style of name === "text" ? LETTERS : SHAPES) made.setAttribute(style, own.getPropertyValue(style));
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    root.append(made);
    return made;
  }

  function addWords(root, source, from) {
    const box = source.getBoundingClientRect(), own = getComputedStyle(source);
    const y = box.top - from.top + (box.height + 0.7 * parseFloat(own.fontSize)) / 2;
    add(root, "text", source, { x: box.left - from.left, y, fill: own.color }).textContent = source.textContent;
  }

  function scaled(path, wide, high) {
    return path.replace(/([MLHV])([^A-Za-z]*)/g, (_, letter, rest) => letter + rest.trim().split(/ +/).map((number, at) =>
      (number * (letter === "V" || at ? high : wide)).toFixed(2)).join(" "));
  }

  function addMark(root, use, x, y) {
    const form = document.querySelector(use.getAttribute("href")).getAttribute("d");
    const opacity = getComputedStyle(use.parentElement).opacity;
    add(root, "path", use, { d: form, opacity, transform: `translate(${x} ${y})` });
  }

  function addDrawing(root, drawing, from) {
    const box = drawing.getBoundingClientRect(), left = box.left - from.left, top = box.top - from.top;
    for (const part of drawing.querySelectorAll("line, text, path, use")) {
      if (!part.getClientRects().length) continue;  // hidden
      const at = (name) => part[name].baseVal.value + (name.startsWith("x") ? left : top);
      if (part.tagName === "use") addMark(root, part, at("x"), at("y"));
      else if (part.tagName === "line") add(root, "line", part, { x1: at("x1"), x2: at("x2"), y1: at("y1"), y2: at("y2") });
      else if (part.tagName === "path") {
        const shift = `translate(${left} ${top})`;
        add(root, "path", part, { d: scaled(part.getAttribute("d"), box.width / 1000, box.height / 1000), transform: shift });
      } else {
        const [x, y] = ["x", "y"].map((name) => part[name].baseVal[0].value + (part[`d${name}`].baseVal[0]?.value ?? 0));
        add(root, "text", part, { x: x + left, y: y + top }).textContent = part.textContent;
      }
    }
  }

  function addKey(root, entry, from) {
    const key = entry.querySelector(".key"), use = key.querySelector("use"), box = key.getBoundingClientRect();
    const x = box.left - from.left, y = box.top - from.top + box.height / 2;
    add(root, "path", key.querySelector(".line"), { d: `M${x} ${y}h${box.width}` });
    if (use) addMark(root, use, x + box.width / 2, y);
    addWords(root, entry.querySelector("span") ?? entry, from);
  }

  function asPicture(figure) {
    const root = document.createElementNS("http://www.w3.org/2000/svg", "svg"), from = figure.getBoundingClientRect();
    for (const [name, value] of [["viewBox", `0 0 ${from.width} ${from.height}`], ["width", from.width], ["height", from.height]])
      root.setAttribute(name, value);
    const paper = getComputedStyle(document.body).backgroundColor;
    add(root, "rect", figure, { width: "100%", height: "100%", fill: paper });
    addWords(root, figure.querySelector("figcaption strong"), from);
    for (const entry of figure.querySelectorAll(".legend > *"))
      if (entry.querySelector("input")?.checked ?? true) addKey(root, entry, from);
    for (const plot of figure.querySelectorAll(".plot")) {
      addWords(root, plot.querySelector(".upright"), from);
      addDrawing(root, plot.querySelector("svg"), from);
    }
    return root;
  }

  function save(event) {
    const figure = event.target.closest?.(".save")?.closest("figure");
    if (!figure) return;
    const text = new XMLSerializer().serializeToString(asPicture(figure));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    link.download = `${figure.id}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
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
  document.addEventListener("click", save);
  document.getElementById("theme")?.addEventListener("click", toggleTheme);
  unfold();
})();
