// The view of the crawl: figures, two plots, and the sites as the policy compares them.

import { count, onState, standing } from "/static/live.js";
import { drawArm, drawCurve, drawShares, duration, made } from "/static/plots.js";

const $ = (id) => document.getElementById(id);

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function put(id, text) {
  const element = $(id);
  if (element && element.textContent !== text) element.textContent = text;
}

function showFigures({ crawl, totals, curve }) {
  const [name, text] = standing({ crawl });
  put("state", text);
  $("state").className = `pill ${name}`;
  put("why", reason(crawl, name));
  const part = used(crawl);
  $("part").hidden = part === null;
  $("part").value = part ?? 0;
  put("spent", spent(crawl, totals));
  put("visits-name", crawl.keeps ? "visits" : "pages visited");
  put("rate-name", crawl.keeps ? "visits/s" : "pages/s");
  put("curve-title", crawl.keeps ? "Visits and changes over time" : "Pages and links over time");
  put("shares-axis", crawl.keeps ? "over the visits" : "over the pages visited");
  put("rate", rate(curve));
  showActions(crawl, totals);
}

function showActions(crawl, totals) {
  const idle = crawl.state === "idle", stopping = crawl.state === "stopping";
  const hidden = {
    "start": !idle || !totals.sites, "stop": idle || stopping, "stop-now": !stopping,
    "pause": crawl.paused || crawl.state !== "running", "continue": !crawl.paused,
  };
  for (const [id, value] of Object.entries(hidden)) $(`${id}-form`).hidden = value;
  put("start-label", crawl.policy && !crawl.ended && !crawl.trouble ? "Resume" : "Start");
  $("start-label").disabled = $("fixed").disabled = !idle;
  $("save-row").hidden = !idle;
  $("pace-row").hidden = idle;
  $("continue").className = idle ? "" : "main";
}

// Returns which part of the budget is used, of pages or of time; null if neither can be used up.
function used(crawl) {
  if (!crawl.policy) return null;
  const parts = [];
  if (!crawl.keeps) parts.push(crawl.visits / Math.max(1, crawl.budget));
  if (crawl.seconds) parts.push(crawl.spent / crawl.seconds);
  return parts.length ? Math.min(1, Math.max(...parts)) : null;
}

function spent(crawl, totals) {
  if (!crawl.policy) return "";
  const time = crawl.seconds ? `, ${duration(crawl.spent)} of ${duration(crawl.seconds)}` : "";
  if (!crawl.keeps) return `${count(crawl.visits)} of ${count(crawl.budget)} pages${time} by ${crawl.policy}`;
  const end = crawl.seconds ? "" : ", until you stop it";
  return `${counted(crawl.visits, "visit")}${time} by ${crawl.policy}${end}: each page every ${long(crawl.every)} in the mean; ` +
    `${counted(totals.known, "page")} known, at most ${count(crawl.budget)} are visited`;
}

const counted = (number, word) => `${count(number)} ${word}${number === 1 ? "" : "s"}`;

// Returns a time in its largest unit of which it is a whole number.
function long(seconds) {
  for (const [unit, name] of [[86400, "d"], [3600, "h"], [60, "min"]])
    if (seconds >= unit && seconds % unit === 0) return `${count(seconds / unit)} ${name}`;
  return `${count(seconds)} s`;
}

// Pages per second over the last points; a dash if there are none.
function rate(curve) {
  const last = curve.at(-1), before = curve.at(-13) ?? curve[0];
  if (!last || last[0] <= before[0]) return "–";
  const value = (last[1] - before[1]) / (last[0] - before[0]);
  return value >= 10 ? count(Math.round(value)) : value.toFixed(1);
}

function reason(crawl, name) {
  if (crawl.trouble) return crawl.trouble;
  if (name === "running" || name === "paused") return crawl.waits || "";
  if (name === "stopping") return "Waiting for the pages in flight. Stop at once does not wait; these pages are fetched again later.";
  if (crawl.ended) return `The crawl ended: ${crawl.ended}.`;
  if (crawl.paused) return "The crawl is paused: it begins no request when it is started, until you continue it.";
  return crawl.policy ? "The crawl can be resumed; no link is lost." : "";
}

function showShares(shares) {
  drawShares($("shares"), shares);
  const entries = shares.names.map((name, k) => [name, `k${k}`]);
  if (shares.rest > 0) entries.push([shares.rest === 1 ? "1 other site" : `${count(shares.rest)} other sites`, "kr"]);
  $("shares-legend").replaceChildren(...entries.map(([name, kind]) =>
    html("li", {}, html("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), name)));
}

const figure = (value) => value === null ? "∞" : value < 0 ? "" : value.toFixed(value < 10 ? 3 : 1);

function armRow([seed, name, waiting, pages, links, mean, bonus, index], { next }, most) {
  const svg = made("svg", { class: "arm", "aria-hidden": "true" });
  drawArm(svg, mean, bonus, most);
  const row = html("tr", {},
    html("th", { scope: "row" }, name),
    html("td", { class: "n", "data-label": "pages" }, count(pages)),
    html("td", { class: "n", "data-label": "links" }, count(links)),
    html("td", { class: "n", "data-label": "mean" }, figure(mean)),
    html("td", { class: "n", "data-label": "bonus" }, bonus === -1 ? "" : figure(bonus)),
    html("td", { class: "n", "data-label": "index" }, index === -1 ? "" : figure(index)),
    html("td", { class: "whole" }, svg),
  );
  row.dataset.seed = seed;
  if (seed === next) row.className = "chosen";
  else if (!waiting) { row.className = "spent"; row.title = "No page of this site is queued."; }
  return row;
}

function showArms(arms) {
  $("arms-panel").hidden = !arms.rows.length;
  if (!arms.rows.length) return;
  put("arms-why", arms.why);
  const waiting = arms.rows.filter((row) => row[2]);
  const most = Math.max(...(waiting.length ? waiting : arms.rows).map(([, , , , , mean, bonus]) => mean + Math.max(0, bonus ?? 0)));
  $("arms").replaceChildren(...arms.rows.map((row) => armRow(row, arms, most)));
  put("arms-more", arms.more ? `and ${count(arms.more)} more sites` : "");
}

let shown = null;

function show(state) {
  shown = state;
  showFigures(state);
  // Both are made visible before either is drawn, because each determines the width of the other.
  const some = state.curve.length > 1;
  $("plots").hidden = !some;
  $("shares-panel").hidden = !state.shares.buckets.length;
  if (some) drawCurve($("curve"), state.curve, state.crawl.keeps ? ["visits", "changes"] : ["pages", "external links"]);
  if (state.shares.buckets.length) showShares(state.shares);
  showArms(state.arms);
}

// The first button of the form is Start, which does nothing while the crawl runs.
for (const id of ["concurrency", "delay"]) $(id).addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || $("pace-row").hidden) return;
  event.preventDefault();
  $("pace-row").querySelector("button").click();
});

onState(show);
addEventListener("resize", () => { if (shown) show(shown); });
