// Receives the state of the crawl from the server, and shows its numbers in every view.

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

const words = { running: "Running", paused: "Paused", stopping: "Stopping", idle: "Stopped" };

// "idle" has several meanings: not started, ended, failed or stopped.
export function standing({ crawl }) {
  const name = crawl.state === "running" && crawl.paused ? "paused" : crawl.state;
  if (name !== "idle") return [name, words[name]];
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
  const what = state.crawl.keeps ? "visits" : "pages";
  const pages = state.crawl.policy ? ` · ${count(state.crawl.visits)} ${what}` : "";
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
    const site = state.sites[row.dataset.site];
    if (!site) {
      gone(row);
      continue;
    }
    for (const cell of row.querySelectorAll("[data-column]")) {
      const value = site[columns.indexOf(cell.dataset.column)];
      put(cell, typeof value === "number" ? count(value) : value);
    }
    const meter = row.querySelector("progress");
    if (meter) {
      meter.max = Math.max(1, site[2]);
      meter.value = site[3];
    }
    const pill = row.querySelector(".pill");
    if (pill) pill.className = `pill ${site[0] === "not available" ? "unavailable" : site[0]}`;
  }
}

// The row stays where it is, because a click must not hit another one.
function gone(row) {
  row.classList.add("spent");
  for (const cell of row.querySelectorAll("[data-column]")) put(cell, "");
  const pill = row.querySelector(".pill");
  if (pill) {
    pill.className = "pill";
    put(pill, "removed");
  }
}

let failed = false;

let source = null;

function connect() {
  source = new EventSource("/events");
  source.addEventListener("message", (event) => {
    const { sites, gone, ...changes } = JSON.parse(event.data);
    // The first message of a connection is the whole state.
    if (source.first) { delete state.sites; source.first = false; }
    Object.assign(state, changes);
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
  source.addEventListener("replaced", () => {
    source.close(); // it must not take the place of another view by itself
    away("Not live", "Too many live views are open. Close some, then load this one again.");
  });
  source.addEventListener("error", () => {
    failed = true;
    connected(false);
    // The browser reconnects by itself, unless the connection was refused.
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 2000);
  });
}

// A browser has only six connections to a server, so hidden pages close theirs.
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
  if (yes) document.documentElement.dataset.connected = "yes";
  else away("No studio", "The studio does not answer: it was ended, or it is starting. A running crawl continues.");
}

// Says that this view shows no news, and why.
function away(text, why) {
  const pill = document.getElementById("pill");
  if (pill) {
    pill.className = "pill waiting";
    pill.dataset.state = "away";
    pill.textContent = text;
  }
  say(why);
  document.documentElement.dataset.connected = "no";
}

addEventListener("visibilitychange", follow);
addEventListener("pagehide", () => source?.close());
addEventListener("pageshow", follow);
follow();
