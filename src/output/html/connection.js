"use strict";
// The connection that is looked at: its row's link, `#c12`, shows it. Its data are read only then.
(() => {
  const { el } = Plot;
  const ways = { c2s: "client → server", s2c: "server → client" };
  const section = document.getElementById("connection");

  function table(caption, heads, rows) {
    const head = el("tr", {}, ...heads.map((text) => el("th", { scope: "col" }, text)));
    const body = rows.map((cells) => el("tr", {}, ...cells.map(
      (text, n) => (n === 0 ? el("th", { scope: "row" }, text.trim()) : el("td", { class: n === cells.length - 1 ? "wrap" : "" }, text)))));
    body.forEach((row, n) => { if (rows[n][0].startsWith(" ")) row.cells[0].style.paddingLeft = "1rem"; });
    const inner = el("table", {}, el("caption", {}, caption), el("thead", {}, head), el("tbody", {}, ...body));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, inner);
  }

  function paths(detail) {
    return detail.paths.flatMap((path) => {
      const parts = [
        el("h3", {}, `Path and predictions, ${ways[path.dir]}`),
        el("p", {}, path.sentence || path.words),
        table("The path as its packets show it, with 80 % intervals", ["", "estimate", "interval"], path.figures),
      ];
      if (path.predictions.length) {
        parts.push(table("Goodput that each congestion control would have got on this path",
          ["congestion control", "median", "p10 to p90", "sent again", "queue, mean", "remarks"], path.predictions));
      }
      return parts;
    });
  }

  function figures(number) {
    const directions = Figures.stored(`figures-${number}`);
    const command = el("code", {}, `tcptrace-rs plot --connection ${number}`);
    if (directions === null) {
      return [el("p", { class: "note" }, "The plots of this connection are not on this page: it carried no data, or the page holds only those of the largest "
        + "connections, so that it stays small. Its plots come from ", command, ".")];
    }
    const group = Plot.link();
    return directions.flatMap(({ dir, figures: all }) => [
      el("h3", {}, `Plots, ${ways[dir]}`),
      el("div", { class: "figures" }, ...all.map((figure) => Plot.build(figure, group))),
    ]);
  }

  function show(number) {
    const detail = Figures.stored(`detail-${number}`);
    document.querySelectorAll("tr[aria-current]").forEach((row) => row.removeAttribute("aria-current"));
    const links = document.querySelectorAll(`.sortable a[href="#c${number}"]`);
    links.forEach((link) => link.closest("tr").setAttribute("aria-current", "true"));
    section.setAttribute("aria-label", `Connection ${number}`);
    if (detail === null) {
      section.replaceChildren(el("h2", {}, `Connection ${number}`), el("p", { class: "note" },
        "The page holds only the details of the largest connections. Those of this one come from ",
        el("code", {}, `tcptrace-rs analyze --connection ${number}`), "."));
      return;
    }
    const fields = detail.fields.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)]);
    const texts = [detail.diagnosis, ...detail.upshots].filter(Boolean);
    section.replaceChildren(
      el("h2", {}, detail.title),
      el("p", {}, detail.summary),
      ...(texts.length ? [el("div", { class: "diagnosis" }, ...texts.map((text) => el("p", {}, text)))] : []),
      el("dl", {}, ...fields),
      ...figures(number),
      ...paths(detail),
      el("h3", {}, "All figures"),
      table("What each side sent", ["", ways.c2s, ways.s2c], detail.rows),
    );
  }

  const asked = () => /^#c(\d+)$/.exec(location.hash);
  addEventListener("hashchange", () => {
    const match = asked();
    if (!match) return;
    show(match[1]);
    section.scrollIntoView();
    section.focus({ preventScroll: true });
  });
  const first = document.querySelector(".sortable tbody a");
  const match = asked() || (first && /^#c(\d+)$/.exec(first.getAttribute("href")));
  if (match) show(match[1]);
  if (asked()) section.scrollIntoView();

  const overview = Figures.stored("figures-capture") || [];
  const place = document.querySelector("#overview .figures");
  if (overview.length) {
    place.parentElement.hidden = false;
    const group = Plot.link();
    place.append(...overview.map((figure) => Plot.build(figure, group)));
  }
  addEventListener("beforeprint", () => Theme.paper(true));
  addEventListener("afterprint", () => Theme.paper(false));
})();
