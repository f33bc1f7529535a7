// Functions of every view: theme, shortcuts, keyboard navigation, and questions before deletion.

const root = document.documentElement;
const dialog = document.getElementById("help");

// Theme: stored in a cookie, so that the server renders it and pages do not flash.
function dark() {
  const chosen = root.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function switchTheme() {
  const theme = dark() ? "light" : "dark";
  root.dataset.theme = theme;
  document.cookie = `theme=${theme}; path=/; max-age=31536000; SameSite=Strict`;
}

document.getElementById("theme")?.addEventListener("click", switchTheme);

// Shortcuts
const single = document.getElementById("single");
if (single) {
  single.checked = localStorage.getItem("single-keys") !== "off";
  single.addEventListener("change", () => localStorage.setItem("single-keys", single.checked ? "on" : "off"));
}
document.getElementById("keys")?.addEventListener("click", () => dialog.showModal());
document.getElementById("close")?.addEventListener("click", () => dialog.close());

let after = "";

function typing(target) {
  return target.closest?.("input:not([type=checkbox]):not([type=radio]), select, textarea, dialog, iframe");
}

function view(key) {
  return document.querySelector(`#views a[data-key="${CSS.escape(key)}"]`);
}

function walk(step) {
  const rows = [...document.querySelectorAll("[data-rows] tbody tr")];
  if (!rows.length) return;
  const here = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[Math.min(rows.length - 1, Math.max(0, here < 0 ? 0 : here + step))];
  next.querySelector("input, a, button")?.focus();
}

const simple = {
  "?": () => dialog.showModal(),
  "d": switchTheme,
  "/": () => (document.querySelector("[data-first]") ?? document.querySelector("main input:not([type=hidden])"))?.focus(),
  "n": () => { location.href = "/sites#start"; document.getElementById("start")?.focus(); },
  "r": () => location.reload(),
  "j": () => walk(1),
  "k": () => walk(-1),
  "x": () => document.activeElement?.closest("tr")?.querySelector("input[type=checkbox]")?.click(),
  "[": () => document.querySelector("a[rel=prev]")?.click(),
  "]": () => document.querySelector("a[rel=next]")?.click(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (!(single?.checked ?? true)) return;
  const link = after === "g" && view(event.key);
  after = event.key === "g" ? "g" : "";
  if (link) {
    event.preventDefault();
    link.click();
  } else if (Object.hasOwn(simple, event.key)) {
    event.preventDefault();
    simple[event.key]();
  }
});

// The message is inserted again, because screen readers announce only changes of a live region.
const said = document.getElementById("said");
if (said?.firstElementChild) {
  const words = [...said.children];
  said.replaceChildren();
  requestAnimationFrame(() => said.replaceChildren(...words));
}
document.querySelector("[aria-invalid=true]")?.focus();

// On a phone rows are cards; roles keep the table a table for screen readers.
const roles = { TABLE: "table", THEAD: "rowgroup", TBODY: "rowgroup", TR: "row", TD: "cell" };
for (const table of document.querySelectorAll("table.cards")) {
  for (const part of [table, ...table.querySelectorAll("thead, tbody, tr, td, th")]) {
    part.setAttribute("role", roles[part.tagName] ?? (part.scope === "row" ? "rowheader" : "columnheader"));
  }
}

// The link of the present view is scrolled into view if the views are in a row.
document.querySelector("#views [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

// Selection
for (const form of document.querySelectorAll("form[data-selection]")) {
  const boxes = [...form.querySelectorAll("tbody input[type=checkbox]")];
  const all = form.querySelector("thead input[type=checkbox]");
  const bar = form.querySelector(".selection");
  const count = form.querySelector("[data-selected]");
  const update = () => {
    const chosen = boxes.filter((box) => box.checked).length;
    if (bar) bar.hidden = !chosen;
    if (count) count.textContent = chosen === 1 ? "1 link is selected" : `${chosen} links are selected`;
    if (all) {
      all.checked = chosen > 0 && chosen === boxes.length;
      all.indeterminate = chosen > 0 && chosen < boxes.length;
    }
  };
  all?.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    update();
  });
  form.querySelector("[data-clear]")?.addEventListener("click", () => {
    for (const box of boxes) box.checked = false;
    update();
    boxes[0]?.focus();
  });
  form.addEventListener("change", update);
  update();
}

// Questions: the first click asks, and the second click on the same button confirms.
for (const button of document.querySelectorAll("[data-ask]")) {
  const before = button.textContent;
  let asked = false;
  const back = () => { asked = false; button.textContent = before; };
  button.addEventListener("click", (event) => {
    if (asked) return;
    event.preventDefault();
    asked = true;
    button.textContent = button.dataset.ask;
  });
  button.addEventListener("blur", back);
  button.addEventListener("keydown", (event) => { if (event.key === "Escape") back(); });
}

// Fields that belong to one choice are shown only with this choice.
for (const part of document.querySelectorAll("[data-with]")) {
  const [name, value] = part.dataset.with.split("=");
  const select = document.getElementById(name);
  const update = () => { part.hidden = select.value !== value; };
  select?.addEventListener("change", update);
  if (select) update();
}

// Empty fields are left out of the address of a filtered list.
for (const form of document.querySelectorAll("form[method=get]")) {
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (value === "") formData.delete(name);
  });
}
