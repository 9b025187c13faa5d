"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const specifications = read("specifications");
  const data = read("data");
  const tip = document.getElementById("tip");
  // The symbols of the charts, by series, for the legend.
  const shapes = [
    "M8 6a3 3 0 1 0 6 0a3 3 0 1 0 -6 0", "M8 3h6v6h-6z", "M11 2.5l3.4 6.5h-6.8z", "M11 2l3.6 4l-3.6 4l-3.6 -4z",
    "M9.8 2.5h2.4v2.3h2.3v2.4h-2.3v2.3h-2.4v-2.3h-2.3v-2.4h2.3z", "M11 9.5l3.4 -6.5h-6.8z",
    "M14.5 6l-6.5 -3.4v6.8z", "M7.5 6l6.5 -3.4v6.8z",
  ];

  function showTip(handler, event, item, value) {
    tip.hidden = !value || !value.t;
    if (tip.hidden) return;
    tip.textContent = value.s ? `${value.s}, ${value.t}` : value.t;
    const box = tip.getBoundingClientRect();
    const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - box.width - 8);
    const below = event.clientY + 18;
    const top = below + box.height > window.innerHeight ? event.clientY - box.height - 12 : below;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${Math.max(8, top)}px`;
  }

  // Lines at 1, 2, 5, 10 ..., at powers of ten alone where those are enough, and evenly spaced within less than a decade.
  function levels(values) {
    const low = values.reduce((least, value) => Math.min(least, value));
    const high = values.reduce((most, value) => Math.max(most, value));
    if (high < 6 * low) return evenTicks(low, high);
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      for (const step of [1, 2, 5]) found.push(Number(`${step}e${power}`));
    }
    const inside = found.filter((value) => value >= low && value <= high);
    const tens = inside.filter((value) => Math.log10(value) % 1 === 0);
    return inside.length > 6 && tens.length > 1 ? tens : inside;
  }

  function evenTicks(low, high) {
    const rough = Math.max(high - low, high * 1e-6) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
    const first = Math.ceil(low / step);
    return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(6)));
  }

  function everyFew(values, width) {
    const step = Math.ceil((values.length * 58) / width);
    return values.filter((value, index) => index % step === 0);
  }

  function draw(element, kind, datasets, signals) {
    const spec = structuredClone(specifications[kind]);
    for (const set of spec.data) if (datasets[set.name]) set.values = datasets[set.name];
    for (const signal of spec.signals) if (signal.name in signals) signal.value = signals[signal.name];
    spec.description = element.getAttribute("aria-label");  // Vega puts this in the label's place
    const options = { mode: "vega", renderer: "svg", actions: false, defaultStyle: false, hover: false, logLevel: 1, tooltip: showTip };
    return vegaEmbed(element, spec, options);
  }

  function legendEntry(row, number) {
    const button = document.createElement("button");
    const colour = `var(--series-${number + 1})`;
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.innerHTML = `<svg viewBox="0 0 22 12" aria-hidden="true"><path d="M0 6h22" stroke="${colour}" stroke-width="1.75"/>` +
      `<path d="${shapes[number]}" fill="${colour}"/></svg>`;
    button.append(row.name);
    return button;
  }

  function drawCurve(figure) {
    const chart = data.curves[figure.dataset.curve];
    const rows = chart.series.flatMap((row, number) =>
      row.points.map(([x, y, lo, hi, t]) => ({ s: row.name, c: number, x, y, lo, hi, t })));
    const limit = chart.limit.map(([x, y, t]) => ({ x, y, t }));
    const drawn = draw(figure.querySelector(".chart"), "curve", { rows, limit }, {
      ticks: everyFew(chart.ticks, figure.clientWidth), levels: levels([...rows, ...limit].map((row) => row.y)),
    });
    const legend = figure.querySelector(".legend");
    const hidden = new Set();
    for (const [number, row] of chart.series.entries()) {
      const button = legendEntry(row, number);
      button.addEventListener("click", () => {
        if (!hidden.delete(row.name)) hidden.add(row.name);
        button.setAttribute("aria-pressed", String(!hidden.has(row.name)));
        drawn.then(({ view }) => view.signal("hidden", [...hidden]).runAsync());
      });
      legend.append(button);
    }
    if (limit.length) {
      const entry = document.createElement("span");
      entry.className = "plain";
      entry.innerHTML = '<svg viewBox="0 0 22 12" aria-hidden="true"><path d="M0 6h22" stroke="var(--quiet)" stroke-width="1.5" stroke-dasharray="4 3"/></svg>limit';
      legend.append(entry);
    }
  }

  function pictureData(point) {
    const about = (index) => ({ l: point.launch[index], d: point.disturbed[index] });
    const each = (lists, row) => lists.flatMap((list, index) => list.map((value, place) => row(index, value, place, list.length)));
    const [y, lo, hi] = point.figure;
    const { from, width, counts, peaks } = point.histogram;
    const ranks = ["the first rank was", "a quarter of the ranks was", "half of the ranks were", "three quarters of the ranks were", "the last rank was"];
    return {
      launches: {
        figure: [{ y, lo, hi }],
        rows: point.median.map((median, index) => ({
          ...about(index), x: point.launch[index], y: median, lo: point.own[index][0], hi: point.own[index][1],
          t: point.texts[index],
        })),
      },
      trace: {
        rows: each(point.trace, (index, [lo, y, hi], place, count) => ({
          ...about(index), x: point.launch[index] + (0.8 * (place + 0.5)) / count - 0.4, lo, y, hi,
          t: `Launch ${point.launch[index]}: ${y} µs` + (lo < hi ? `, from ${lo} to ${hi}` : ""),
        })),
      },
      histogram: {
        rows: counts.map((count, place) => ({
          lo: from + place * width, hi: from + (place + 1) * width, y: count, none: 0,
          t: `${count} samples of ${(from + place * width).toPrecision(4)} to ${(from + (place + 1) * width).toPrecision(4)} µs`,
        })),
        peaks: peaks.map(([time, share]) => ({ x: time, t: `Peak at ${time} µs, ${Math.round(share * 100)} % of the samples around it` })),
      },
      completion: {
        rows: each(point.completion || [], (index, time, place) => ({
          ...about(index), x: place, y: time, t: `Launch ${point.launch[index]}: ${ranks[place]} done after ${time} µs`,
        })),
      },
      distribution: {
        rows: each(point.quantiles, (index, time, place) => ({
          ...about(index), x: time, y: data.levels[place], t: `Launch ${point.launch[index]}: ${data.levels[place] * 100} % below ${time} µs`,
        })),
      },
    };
  }

  function drawDetail(detail) {
    const choice = detail.querySelector("select");
    const drawn = [];
    const show = () => {
      for (const picture of drawn.splice(0)) picture.then((result) => result.finalize());
      const point = data.points[choice.value];
      const datasets = pictureData(point);
      for (const element of detail.querySelectorAll("[data-picture]")) {
        const kind = element.dataset.picture;
        element.closest("figure").hidden = kind === "completion" && !point.completion;
        if (element.closest("figure").hidden) continue;
        const times = kind === "distribution" ? point.quantiles.flat() : point.trace.flat(2);
        const signals = { ticks: point.launch, levels: levels(times) };
        drawn.push(draw(element, kind, datasets[kind], signals));
      }
    };
    choice.addEventListener("change", show);
    show();
  }

  function toggleTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  }

  document.getElementById("theme").addEventListener("click", toggleTheme);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  // What is folded away has no width to draw in.
  for (const figure of document.querySelectorAll("[data-curve]")) {
    const folded = figure.closest("details:not([open])");
    if (folded) folded.addEventListener("toggle", () => drawCurve(figure), { once: true });
    else drawCurve(figure);
  }
  document.querySelectorAll("[data-detail]").forEach(drawDetail);
})();
