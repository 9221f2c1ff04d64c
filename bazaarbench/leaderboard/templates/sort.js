"use strict";
// Sorts the ranked and the unranked rows of a table on their own; empty cells stay last.
for (const table of document.querySelectorAll("table.board")) {
  const heads = [...table.querySelectorAll("th[data-column]")];
  for (const head of heads) {
    head.querySelector("button").addEventListener("click", () => {
      const first = head.dataset.better === "high" ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      for (const one of heads) one.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const column = Number(head.dataset.column);
      for (const body of table.tBodies) {
        const rows = [...body.rows].filter((row) => !row.classList.contains("heading"));
        rows.sort((a, b) => compare(value(a, column), value(b, column), order === "ascending" ? 1 : -1));
        body.append(...rows);
      }
    });
  }
}
function value(row, column) {
  const text = row.cells[column].dataset.value;
  if (text === undefined || text === "") return null;
  const number = Number(text);
  return Number.isNaN(number) ? text : number;
}
function compare(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  return sign * String(a).localeCompare(String(b));
}
