// Draws plots as SVG: lines over time, shares over the crawl, and the index of a rule.

const SVG = "http://www.w3.org/2000/svg";

export function made(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

// Returns ticks in steps of 1, 2 or 5 times a power of ten, about `most` of them up to the top.
export function ticks(top, most) {
  if (!(top > 0)) return [0];
  const raw = top / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw);
  const found = [];
  for (let k = 0; k * step <= top * 1.0001; k++) found.push(k * step);
  return found;
}

export function duration(seconds) {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")} min`;
  if (s < 86400) return `${Math.floor(s / 3600)}:${String(Math.floor((s % 3600) / 60)).padStart(2, "0")} h`;
  return `${(s / 86400).toFixed(1)} d`;
}

const timeSteps = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];

function timeTicks(span, most) {
  const step = timeSteps.find((s) => span / s <= most) ?? Math.ceil(span / most / 86400) * 86400;
  const found = [];
  for (let t = 0; t <= span; t += step) found.push(t);
  return found;
}

const LEFT = 46, RIGHT = 52, TOP = 18;

// A plot is drawn at its real width, so that its text keeps its size.
const widthOf = (svg) => Math.max(240, svg.clientWidth || 640);

// Draws one line in its own frame: with separate scales, neither of two lines is flat.
function line(points, column, name, k, top, height, x, right) {
  const most = Math.max(1, points.at(-1)[column]);
  const y = (value) => top + height - (value / most) * height;
  const group = made("g", { class: `k${k}` });
  for (const tick of ticks(most, 3)) {
    group.append(
      made("line", { class: "grid", x1: LEFT, x2: right, y1: y(tick), y2: y(tick) }),
      made("text", { x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, short.format(tick)),
    );
  }
  const d = points.map((p, n) => `${n ? "L" : "M"}${x(p[0]).toFixed(1)} ${y(p[column]).toFixed(1)}`).join("");
  const last = points.at(-1);
  group.append(
    made("path", { class: "line stroke", d }),
    made("text", { class: "ink end", x: x(last[0]) + 6, y: y(last[column]) + 4 }, short.format(last[column])),
    made("text", { class: "ink name", x: LEFT, y: top - 5 }, name),
  );
  return group;
}

export function drawCurve(svg, points, names) {
  const width = widthOf(svg), height = 104, gap = 36;
  const bottom = TOP + 2 * height + gap;
  svg.setAttribute("viewBox", `0 0 ${width} ${bottom + 22}`);
  const begun = points[0][0];
  const span = Math.max(1, points.at(-1)[0] - begun);
  const x = (time) => LEFT + ((time - begun) / span) * (width - LEFT - RIGHT);
  const parts = [
    line(points, 1, names[0], 0, TOP, height, x, width - RIGHT),
    line(points, 2, names[1], 1, TOP + height + gap, height, x, width - RIGHT),
  ];
  for (const tick of timeTicks(span, width / 90)) {
    parts.push(made("text", { x: x(begun + tick), y: bottom + 17, "text-anchor": "middle" }, duration(tick)));
  }
  svg.replaceChildren(...parts);
}

// Shares as bands: each bucket's pages by site, and all other sites on top.
export function drawShares(svg, shares) {
  const width = widthOf(svg), height = 218, right = 12;
  svg.setAttribute("viewBox", `0 0 ${width} ${TOP + height + 22}`);
  const buckets = shares.buckets;
  const inside = width - LEFT - right;
  const step = inside / buckets.length;
  const parts = [];
  for (const [share, label] of [[0, "0%"], [0.5, "50%"], [1, "100%"]]) {
    const y = TOP + height * (1 - share);
    parts.push(made("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, label));
  }
  buckets.forEach((bucket, n) => {
    const sum = bucket.reduce((a, b) => a + b, 0) || 1;
    let y = TOP + height;
    bucket.forEach((value, k) => {
      if (!value) return;
      const high = (value / sum) * height;
      y -= high;
      const kind = k < shares.names.length ? `k${k}` : "kr";
      parts.push(made("rect", {
        class: `band fill ${kind}`, x: (LEFT + n * step).toFixed(2), y: y.toFixed(2),
        width: Math.max(0.5, step).toFixed(2), height: high.toFixed(2),
      }));
    });
  });
  const pages = buckets.length * shares.width;
  for (const tick of ticks(pages, width / 90)) {
    parts.push(made("text", {
      x: LEFT + (tick / pages) * inside, y: TOP + height + 17, "text-anchor": "middle",
    }, short.format(tick)));
  }
  svg.replaceChildren(...parts);
}

// Mean and bonus end to end: their sum is the index.
export function drawArm(svg, mean, bonus, most) {
  svg.setAttribute("viewBox", "0 0 100 8");
  svg.setAttribute("preserveAspectRatio", "none");
  const scale = (value) => Math.max(0, Math.min(100, (value / (most || 1)) * 100));
  const first = scale(mean);
  const parts = [made("rect", { class: "mean", x: 0, y: 0, width: first, height: 8 })];
  if (bonus === null) parts.push(made("rect", { class: "bonus", x: first, y: 0, width: 100 - first, height: 8 }));
  else if (bonus > 0) parts.push(made("rect", { class: "bonus", x: first, y: 0, width: scale(mean + bonus) - first, height: 8 }));
  svg.replaceChildren(...parts);
}
