"use strict";
const form = document.getElementById("filter");
const rows = [...document.querySelectorAll("details.row")].map((element) => ({
  element,
  text: element.textContent.toLowerCase(),
}));
const groups = [...document.querySelectorAll(".group, section")];
const opened = new Map(groups.map((group) => [group, group.open]));

function apply() {
  const value = (name) => (form.elements[name] ? form.elements[name].value : "");
  const words = value("text").toLowerCase().split(/\s+/).filter(Boolean);
  const kind = value("kind");
  const answer = value("answer");
  let number = 0;
  for (const { element, text } of rows) {
    const shown =
      words.every((word) => text.includes(word)) &&
      (!kind || element.dataset.kind === kind) &&
      (!answer || element.dataset.answer === answer);
    element.hidden = !shown;
    number += shown;
  }
  for (const group of groups) {
    group.hidden = !group.querySelector("details.row:not([hidden])");
    if (group.matches("details")) group.open = words.length > 0 || opened.get(group);
  }
  const filtered = words.length || kind || answer;
  form.querySelector("output").textContent = filtered ? `${number} of ${rows.length} shown` : "";
}

function reveal() {
  const target = document.getElementById(location.hash.slice(1));
  for (let at = target; at; at = at.parentElement) if (at.matches("details")) at.open = true;
  if (target) target.scrollIntoView();
}

form.hidden = false;
form.addEventListener("input", apply);
form.addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("hashchange", reveal);
apply(); // a browser keeps what was typed when the page is loaded again
reveal();
