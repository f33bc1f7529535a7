() => {
  const wrong = [];
  const say = (element, text) => wrong.push(`${text}: ${element.outerHTML.slice(0, 120)}`);
  const name = (element) => (element.getAttribute("aria-label") || element.textContent || "").trim();
  for (const field of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
    if (!field.labels?.length && !field.getAttribute("aria-label")) say(field, "no label");
  for (const button of document.querySelectorAll("button, a[href], summary"))
    if (!name(button)) say(button, "no name");
  for (const image of document.querySelectorAll("img, svg:not([aria-hidden=true])"))
    if (!image.getAttribute("alt") && !image.getAttribute("aria-label") && !image.getAttribute("aria-labelledby")) say(image, "no text");
  for (const frame of document.querySelectorAll("iframe")) if (!frame.title) say(frame, "no title");
  for (const table of document.querySelectorAll("table")) {
    if (!table.caption?.textContent.trim()) say(table, "no caption");
    for (const head of table.querySelectorAll("th")) if (!head.scope) say(head, "no scope");
  }
  for (const part of document.querySelectorAll("[aria-labelledby], [aria-describedby]"))
    for (const attribute of ["aria-labelledby", "aria-describedby"])
      for (const id of (part.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean))
        if (!document.getElementById(id)) say(part, `${attribute} names nothing`);
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of ids.filter((id, n) => ids.indexOf(id) !== n)) wrong.push(`twice: #${id}`);
  for (const part of document.querySelectorAll("[tabindex]")) if (part.tabIndex > 0) say(part, "order of its own");
  if (document.querySelectorAll("h1").length !== 1) wrong.push("not one h1");
  for (const landmark of ["main", "nav[aria-label]", "header"])
    if (!document.querySelector(landmark)) wrong.push(`no ${landmark}`);
  if (!document.title.trim() || !document.documentElement.lang) wrong.push("no title or language");
  return wrong;
}
