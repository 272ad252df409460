// Adds what a page without a script lacks: tables that are sorted, filtered and paged, and the focus where a link leads.
"use strict";

const MOST = 100; // rows of a table that are shown at once

function made(name, properties, ...inner) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...inner);
  return element;
}

// The words for both orders of a column, the one that a first click gives before the other.
function orders(head, cell) {
  if (head.classList.contains("number")) return ["highest first", "lowest first"];
  return cell.classList.contains("day") ? ["newest first", "oldest first"] : ["A to Z", "Z to A"];
}

function enrich(table) {
  const heads = Array.from(table.tHead.rows[0].cells);
  const [body, rest] = table.tBodies;
  const rows = Array.from(table.tBodies, (part) => Array.from(part.rows)).flat();
  let order = rows, words = [], first = 0, most = rest ? MOST : Infinity;

  function show() {
    const found = order.filter((row) => {
      const text = words.length ? row.textContent.toLowerCase() : "";
      row.hidden = !words.every((word) => text.includes(word));
      return !row.hidden;
    });
    first = first < found.length ? Math.max(first, 0) : 0;
    const shown = new Set(found.slice(first, first + most));
    const parts = [document.createDocumentFragment(), document.createDocumentFragment()];
    for (const row of order) parts[rest && !shown.has(row) ? 1 : 0].append(row);
    body.append(parts[0]);
    rest?.append(parts[1]);
    const [total, count] = [rows.length.toLocaleString("en"), found.length.toLocaleString("en")];
    const here = shown.size < found.length ? `Rows ${first + 1} to ${first + shown.size} of ${count}` : "";
    said.textContent = words.length ? `${count} of ${total} rows${here && `. ${here}`}` : here;
    for (const [button, step] of steps) {
      const at = first + step * most;
      button.setAttribute("aria-disabled", String(!(at >= 0 && at < found.length)));
    }
    pager.hidden = !here && most === MOST;
    all.textContent = most === MOST ? "Show all" : `Show ${MOST} at a time`;
  }

  function sort(column, reverse) {
    const numeric = heads[column].classList.contains("number");
    const down = orders(heads[column], rows[0].cells[column])[Number(reverse)].match(/^(highest|newest|Z)/) !== null;
    const keyed = rows.map((row) => [row.cells[column].dataset.key ?? row.cells[column].textContent.trim(), row]);
    keyed.sort(([one], [other]) => {
      if (one === "" || other === "") return (one === "") - (other === "");
      const compared = numeric ? one - other : one < other ? -1 : one > other ? 1 : 0;
      return down ? -compared : compared;
    });
    order = keyed.map(([, row]) => row);
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", down ? "descending" : "ascending");
    select.value = `${column} ${Number(reverse)}`;
    first = 0;
    show();
  }

  const input = made("input", { type: "search", ariaLabel: `Filter ${table.dataset.sortable}` });
  const select = made("select", { ariaLabel: `Sort ${table.dataset.sortable}` }, made("option", { value: "" }, "As listed"));
  const said = made("span", { className: "soft", role: "status" });
  const steps = [[made("button", { type: "button" }, "Previous"), -1], [made("button", { type: "button" }, "Next"), 1]];
  const all = made("button", { type: "button" });
  const pager = made("div", { className: "pager" }, steps[0][0], steps[1][0], all);
  heads.forEach((head, column) => {
    const [usual, other] = orders(head, rows[0].cells[column]);
    const name = head.textContent;
    select.append(made("option", { value: `${column} 0` }, `${name}, ${usual}`));
    select.append(made("option", { value: `${column} 1` }, `${name}, ${other}`));
    const button = made("button", { type: "button" }, ...head.childNodes);
    button.addEventListener("click", () => sort(column, select.value === `${column} 0`));
    head.append(button);
  });
  input.addEventListener("input", () => {
    words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    first = 0;
    show();
  });
  select.addEventListener("change", () => {
    if (select.value) return sort(...select.value.split(" ").map(Number));
    order = rows;
    for (const head of heads) head.removeAttribute("aria-sort");
    show();
  });
  for (const [button, step] of steps) {
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "true") return;
      first += step * most;
      show();
    });
  }
  all.addEventListener("click", () => {
    most = most === MOST ? Infinity : MOST;
    first = 0;
    show();
  });
  const sorting = made("label", { className: "soft sort" }, "Sort ", select);
  const box = made("div", { className: "filter" }, made("label", { className: "soft" }, "Filter ", input), sorting, said);
  table.closest(".scroll").before(box);
  if (rest) table.closest(".scroll").after(pager);
  show();
}

function arrive() {
  const found = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (found?.classList.contains("page")) found.querySelector("h1").focus();
}

document.documentElement.classList.add("js"); // before the tables are laid out
addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("table[data-sortable]").forEach(enrich);
  addEventListener("hashchange", arrive);
  arrive();
});
