"use strict";
// Tables of the class `sortable`: a click on a heading sorts, the field above filters. Words must all be in the row;
// `lost>0`, `goodput>=10M` compare a column by its key.
(() => {
  const AT_FIRST = 100;
  const factors = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, m: 1e-3, u: 1e-6, "µ": 1e-6, "%": 1e-2 };
  const compare = {
    ">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b, "<=": (a, b) => a <= b, "=": (a, b) => a === b,
  };

  function number(text) {
    const match = /^(-?[\d.]+(?:e-?\d+)?)([kMGTmuµ%]?)(?:s|B|bit\/s)?$/.exec(text);
    return match ? Number(match[1]) * (factors[match[2]] || 1) : NaN;
  }

  function condition(word, columns) {
    const match = /^([a-z_]+)(>=|<=|>|<|=)(.+)$/i.exec(word);
    const column = match ? columns.get(match[1].toLowerCase()) : undefined;
    if (column === undefined) return (row) => row.text.includes(word.toLowerCase());
    const bound = number(match[3]);
    if (column.numeric && !Number.isNaN(bound)) {
      return (row) => row.values[column.at] !== null && compare[match[2]](row.values[column.at], bound);
    }
    return (row) => String(row.values[column.at]).toLowerCase().includes(match[3].toLowerCase());
  }

  function prepare(table, id) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    const columns = new Map(heads.map((head, at) => [head.dataset.key, { at, numeric: head.classList.contains("n") }]));
    const rows = [...body.rows].map((element, order) => {
      const values = [...element.cells].map((cell, at) => {
        if (!heads[at].classList.contains("n")) return cell.textContent;
        return cell.dataset.v === "" || cell.dataset.v === undefined ? null : Number(cell.dataset.v);
      });
      return { element, order, values, text: element.textContent.toLowerCase() };
    });
    let limit = AT_FIRST;
    let wanted = [];
    let shown = rows;

    const controls = document.createElement("div");
    controls.className = "controls";
    const label = document.createElement("label");
    label.append("Filter ");
    const field = document.createElement("input");
    field.type = "search";
    field.id = id;
    field.placeholder = "words, or a column as in lost>0";
    field.size = 34;
    label.append(field);
    const count = document.createElement("span");
    count.setAttribute("role", "status");
    const more = document.createElement("button");
    more.type = "button";
    more.textContent = "Show all rows";
    controls.append(label, count, more);
    table.parentElement.before(controls);

    function show() {
      const visible = shown.filter((row) => wanted.every((fits) => fits(row)));
      body.replaceChildren(...visible.slice(0, limit).map((row) => row.element));
      const cut = visible.length > limit;
      count.textContent = `${visible.length.toLocaleString("en")} of ${rows.length.toLocaleString("en")} match`
        + (cut ? `, the first ${limit} are shown` : "");
      more.hidden = !cut;
    }

    function sort(at) {
      const head = heads[at];
      const numeric = head.classList.contains("n");
      const before = head.getAttribute("aria-sort");
      const first = numeric ? "descending" : "ascending";
      const other = numeric ? "ascending" : "descending";
      const direction = before === first ? other : first;
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", direction);
      const sign = direction === "ascending" ? 1 : -1;
      shown = [...rows].sort((a, b) => {
        const [x, y] = [a.values[at], b.values[at]];
        // Unknown is last in either order.
        if (x === null || y === null) return (x === null) - (y === null) || a.order - b.order;
        const order = numeric ? x - y : x.localeCompare(y, "en", { numeric: true });
        return sign * order || a.order - b.order;
      });
      show();
    }

    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(at));
    });
    field.addEventListener("input", () => {
      wanted = field.value.split(/\s+/).filter(Boolean).map((word) => condition(word, columns));
      show();
    });
    more.addEventListener("click", () => { limit = Infinity; show(); });
    show();
  }

  document.querySelectorAll("table.sortable").forEach((table, n) => prepare(table, `filter-${n}`));
  document.documentElement.classList.remove("loading");
})();
