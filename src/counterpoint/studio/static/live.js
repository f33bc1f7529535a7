// The state of the crawl, as the server sends it: numbers in every view, plots where there are any.

const state = {};
const listeners = [];
const counted = new Intl.NumberFormat("en-US");

export const count = (value) => counted.format(value);

export function onState(listener) {
  listeners.push(listener);
  if (Object.keys(state).length) listener(state);
}

function put(element, text) {
  if (element && element.textContent !== text) element.textContent = text;
}

const words = { running: "Running", stopping: "Stopping", idle: "Stopped" };

// "idle" is told apart by what there is: nothing yet, an end, a failure.
export function standing({ crawl }) {
  if (crawl.state !== "idle") return [crawl.state, words[crawl.state]];
  if (crawl.trouble) return ["failed", "Failed"];
  if (!crawl.policy) return ["idle", "Not started"];
  if (crawl.failed) return ["failed", "Failed"];
  return crawl.ended ? ["ended", "Ended"] : ["idle", "Stopped"];
}

function showPill() {
  const pill = document.getElementById("pill");
  if (!pill) return;
  const [name, text] = standing(state);
  pill.className = `pill ${name}`;
  pill.dataset.state = name;
  const pages = state.crawl.policy ? ` · ${count(state.crawl.visits)} pages` : "";
  put(pill, text + pages);
}

function showCounts() {
  for (const element of document.querySelectorAll("[data-live]")) {
    const value = state.totals[element.dataset.live] ?? state.crawl[element.dataset.live];
    put(element, count(value ?? 0));
  }
}

const columns = ["standing", "reason", "known", "fetched", "internal", "external", "bad"];

function showSites() {
  for (const row of document.querySelectorAll("tr[data-site]")) {
    const told = state.sites[row.dataset.site];
    if (!told) continue;
    for (const cell of row.querySelectorAll("[data-column]")) {
      const value = told[columns.indexOf(cell.dataset.column)];
      put(cell, typeof value === "number" ? count(value) : value);
    }
    const meter = row.querySelector("progress");
    if (meter) {
      meter.max = Math.max(1, told[2]);
      meter.value = told[3];
    }
    const pill = row.querySelector(".pill");
    if (pill) pill.className = `pill ${told[0] === "not available" ? "unavailable" : told[0]}`;
  }
}

let failed = false;

let source = null;

function connect() {
  source = new EventSource("/events");
  source.addEventListener("message", (event) => {
    const { sites, gone, ...told } = JSON.parse(event.data);
    // What comes first after a connection is the whole state.
    if (source.first) { delete state.sites; source.first = false; }
    Object.assign(state, told);
    state.sites = { ...state.sites, ...sites };
    for (const number of gone ?? []) delete state.sites[number];
    if (failed) { failed = false; connected(true); }
    say(state.problem);
    if (!state.crawl) return; // nothing is known before the first look that succeeds
    showPill();
    showCounts();
    showSites();
    for (const listener of listeners) listener(state);
    document.documentElement.dataset.connected = "yes";
  });
  source.addEventListener("open", () => { source.first = true; });
  source.addEventListener("error", () => {
    failed = true;
    connected(false);
    // The browser tries again by itself, unless it was refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  });
}

// A browser has six connections to a server: pages that nobody sees must not hold them all.
function follow() {
  const open = source && source.readyState !== EventSource.CLOSED;
  if (document.visibilityState === "hidden") source?.close();
  else if (!open) connect();
}

function say(problem) {
  const element = document.getElementById("problem");
  if (!element) return;
  put(element, problem);
  element.hidden = !problem;
}

function connected(yes) {
  const pill = document.getElementById("pill");
  if (pill && !yes) {
    pill.className = "pill waiting";
    pill.dataset.state = "away";
    pill.textContent = "No studio";
  }
  if (!yes) say("The studio does not answer: it was ended, or is about to start. A crawl that runs goes on.");
  document.documentElement.dataset.connected = yes ? "yes" : "no";
}

addEventListener("visibilitychange", follow);
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", follow);
follow();
