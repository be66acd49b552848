
"use strict";
{
  const collator = new Intl.Collator("en", { numeric: true });
  const element = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // Of equal rows, which are in the order of the sort before, the first stays the first; what has no value goes to the end.
  const sort = (table, heading, direction) => {
    const column = [...heading.parentNode.cells].indexOf(heading);
    const words = heading.dataset.kind === "text";
    const value = (row) => {
      const cell = row.cells[column];
      return words ? cell.textContent : parseFloat(cell.dataset.sort);
    };
    const rows = [...table.tBodies[0].rows].map((row) => [value(row), row]);
    const compare = words ? collator.compare : (a, b) => a - b;
    const sign = direction === "ascending" ? 1 : -1;
    rows.sort(([a], [b]) => (Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) - Number.isNaN(b) : sign * compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction);
  };

  // Without a script a heading is no button, as it could do nothing.
  const makeSortable = (table) => {
    for (const heading of table.tHead.rows[0].cells) {
      if (!heading.dataset.kind) continue;
      const button = element("button", { type: "button" }, ...heading.childNodes);
      const first = heading.dataset.kind === "number" ? "descending" : "ascending";
      const second = first === "descending" ? "ascending" : "descending";
      button.addEventListener("click", () => sort(table, heading, heading.getAttribute("aria-sort") === first ? second : first));
      heading.append(button);
    }
  };

  // A long table can be filtered by any text in its rows; what stays at its end, whatever it is sorted by, is filtered, too.
  const LONG = 8;
  const makeFilterable = (table, before) => {
    const rows = [...table.querySelectorAll("tbody tr")];
    if (rows.length <= LONG) return;
    const texts = new Map(rows.map((row) => [row, row.textContent.toLocaleLowerCase()]));
    const count = element("output", {}, "");
    const input = element("input", { type: "search", spellcheck: false, autocomplete: "off" });
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLocaleLowerCase();
      let shown = 0;
      for (const [row, text] of texts) {
        row.hidden = !text.includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = wanted ? `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")}` : "";
    });
    before.before(element("div", { className: "filter" }, element("label", {}, "Filter", input), count));
  };

  // A frame that holds more than it shows says so, for as long as it does.
  const hinted = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const frame = target.closest(".scroll");
      const wide = frame.clientWidth > 0 && frame.scrollWidth > frame.clientWidth + 1;
      frame.previousElementSibling.hidden = !wide;
    }
  });
  const makeHinted = (frame) => {
    frame.before(element("p", { className: "hint", hidden: true }, "\u2194 wider than the page: scroll sideways for more"));
    hinted.observe(frame);
    if (frame.firstElementChild) hinted.observe(frame.firstElementChild);
  };

  const makeUsable = (frame) => {
    const table = frame.querySelector("table");
    if (table?.classList.contains("sortable")) {
      makeSortable(table);
      makeFilterable(table, frame);
    }
    makeHinted(frame);
  };

  document.querySelectorAll(".scroll").forEach(makeUsable);
  const openTarget = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target instanceof HTMLDetailsElement) target.open = true;
  };
  addEventListener("hashchange", openTarget);
  document.querySelectorAll('a[href^="#"]').forEach((link) => link.addEventListener("click", () => setTimeout(openTarget)));
  openTarget();
}
