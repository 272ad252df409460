// Adds what a page without a script lacks: tables that are sorted and filtered, and the focus where a link leads.
"use strict";

function sortBy(table, column, head) {
  const ascending = head.getAttribute("aria-sort") === "descending" ||
    (head.getAttribute("aria-sort") !== "ascending" && !head.classList.contains("number"));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => {
    const cell = row.cells[column];
    return [cell.dataset.key ?? cell.textContent.trim(), row];
  });
  const numeric = head.classList.contains("number");
  keyed.sort(([one], [other]) => {
    if (numeric && (one === "" || other === "")) return (one === "") - (other === "");
    const order = numeric ? one - other : one < other ? -1 : one > other ? 1 : 0;
    return ascending ? order : -order;
  });
  body.append(...keyed.map(([, row]) => row));
}

function filter(table, words, said) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of table.tBodies[0].rows) {
    row.hidden = !wanted.every((word) => row.textContent.toLowerCase().includes(word));
    shown += !row.hidden;
  }
  said.textContent = wanted.length ? `${shown} of ${table.tBodies[0].rows.length} rows` : "";
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(table, column, head));
    head.append(button);
  });
  const box = document.createElement("div");
  const label = document.createElement("label");
  const input = document.createElement("input");
  const said = document.createElement("span");
  box.className = "filter";
  label.textContent = "Filter ";
  label.className = "soft";
  input.type = "search";
  input.setAttribute("aria-label", `Filter ${table.dataset.sortable}`);
  said.className = "soft";
  said.setAttribute("role", "status");
  input.addEventListener("input", () => filter(table, input.value, said));
  label.append(input);
  box.append(label, said);
  table.closest(".scroll").before(box);
}

function arrive() {
  const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (found?.classList.contains("page")) found.querySelector("h1").focus();
}
addEventListener("hashchange", arrive);
arrive();
