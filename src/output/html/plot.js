"use strict";
// One figure on the page: its canvas, legend and tools, with zoom, pan and hover by pointer and by keys. Figures over the same time
// are linked: what one shows of it, all show.
const Plot = (() => {
  const HELP = "Drag to zoom, Shift and drag to move, Control and wheel to zoom, double click for everything. Keys: plus and minus, "
    + "arrows, 0 for everything, n and p for the next and previous verdict.";
  const el = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  // What figures over the same time have in common: all of it, and the part that is shown.
  function link() {
    const members = [];
    let whole = null;
    return {
      window: null,
      add(axis, extent, refresh) { members.push({ axis, extent, refresh }); whole = null; },
      whole() {
        whole = whole || Axis.room(members[0].axis, members.reduce(
          ([low, high], { extent: [from, to] }) => [Math.min(low, from), Math.max(high, to)], [Infinity, -Infinity]), false);
        return whole;
      },
      set(window) { this.window = window; members.forEach((member) => member.refresh()); },
    };
  }

  // Part of a range that is no larger and does not lie beyond it; null for all of it.
  function within([low, high], [from, to]) {
    const length = to - from;
    if (length >= (high - low) * 0.9999) return null;
    const start = Math.min(Math.max(from, low), high - length);
    return [start, start + length];
  }

  function swatch(series) {
    const canvas = el("canvas", { width: 36, height: 24, "aria-hidden": "true", style: "width:18px;height:12px" });
    const paint = () => {
      const c = canvas.getContext("2d");
      c.setTransform(2, 0, 0, 2, 0, 0);
      c.clearRect(0, 0, 18, 12);
      c.fillStyle = c.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${series.tone}`);
      c.lineWidth = 2;
      c.setLineDash(series.dashed ? [4, 3] : []);
      c.beginPath();
      if (series.shape) {
        Draw.outlines[series.shape](c, 9, 6, series.shape === "dot" ? 5 : 4.5);
        if (Draw.open.has(series.shape)) c.stroke(); else c.fill();
      } else if (series.kind === "strokes") { c.moveTo(9, 1); c.lineTo(9, 11); c.stroke();
      } else if (series.kind === "line" || series.kind === "step") { c.moveTo(1, 6); c.lineTo(17, 6); c.stroke();
      } else { c.globalAlpha = series.kind === "bars" ? 0.75 : 0.35; c.fillRect(1, 1, 16, 10); }
    };
    Theme.changed(() => canvas.isConnected && paint());
    paint();
    return canvas;
  }

  function words(figure) {
    const parts = figure.series.filter((series) => series.name && series.y).map((series) => {
      const values = [...series.y, ...series.top].filter((value) => !Number.isNaN(value));
      if (!values.length) return `${series.name}, none in reach`;
      const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [Infinity, -Infinity]);
      const range = figure.y.names ? "" : `, ${Axis.show(low, figure.y.unit)} to ${Axis.show(high, figure.y.unit)}`;
      return `${series.name}, ${series.x.length.toLocaleString("en")} values${range}`;
    });
    const bars = figure.series.filter((series) => series.bars && figure.y.names).flatMap((series) => series.bars.map(
      (bar) => `${figure.y.names[bar.at]} ${Axis.show(bar.value, figure.x.unit)}`));
    return [figure.title, ...parts, ...bars, ...(figure.y.names || []).filter(() => figure.spans.length)].join("; ");
  }

  function build(raw, group) {
    const figure = Figures.figure(raw);
    const hidden = new Set();
    const timed = group && figure.x.unit === "seconds" && !figure.x.names;
    const own = { window: null, y: null };
    const state = () => (timed ? group : own);
    let p = null;
    let view = null;
    let marked = null;
    let drag = null;

    const height = figure.y.names ? Math.max(180, 60 + 24 * figure.y.names.length) : 320;
    const canvas = el("canvas", { role: "img", "aria-label": words(figure), style: `height:${height}px` });
    const tip = el("div", { class: "tip", hidden: "" });
    const spoken = el("div", { class: "hidden", "aria-live": "polite" });
    const box = el("div", { class: "canvas", tabindex: "0", role: "group", "aria-label": `${figure.title}. ${HELP}` }, canvas, tip, spoken);
    const short = figure.title.replace(/ of connection \d+, .*$/, "");
    const legend = el("ul", { class: "legend", "aria-label": "Legend; a button hides or shows its series" });
    const tools = el("div", { class: "tools" });
    const wide = figure.plot === "timesequence" ? "wide" : "";
    const root = el("figure", { class: wide, "data-plot": figure.plot }, el("figcaption", {}, short));
    if (figure.note) root.append(el("p", { class: "note" }, figure.note));
    root.append(box, legend, tools);

    const extent = Axis.extent(figure, new Set(), null).x;
    const whole = () => (timed ? group.whole() : Axis.room(figure.x, extent, false));

    function refresh() {
      const window = state().window;
      const x = window || whole();
      const offsets = figure.y.label.startsWith("offset");
      const part = Axis.extent(figure, hidden, window);
      view = { x, y: own.y || Axis.room(figure.y, part.y, Boolean(window) && offsets) };
      if (canvas.clientWidth) p = Draw.draw(canvas, figure, view, hidden);
      if (marked && marked.at) place(marked);
      root.dataset.from = x[0];
      root.dataset.to = x[1];
      reset.disabled = !window && !own.y;
    }

    function set(asked, y) {
      const window = asked && within(whole(), asked);
      own.y = y;
      hide();
      if (timed) group.set(window); else { own.window = window; refresh(); }
    }

    // Zooms by a factor around a value, or moves by a share of what is shown.
    function zoom(factor, around) {
      const [from, to] = view.x;
      const middle = around === undefined ? (from + to) / 2 : around;
      set([middle - (middle - from) * factor, middle + (to - middle) * factor], own.y);
    }
    function move(share, up) {
      const [from, to] = view.x;
      const [low, high] = view.y;
      const window = [from + share * (to - from), to + share * (to - from)];
      set(share ? window : state().window, up ? [low + up * (high - low), high + up * (high - low)] : own.y);
    }

    function tell(found) {
      const lines = Hover.tell(figure, found);
      tip.replaceChildren(...lines.map((line, n) => (n === 0 ? el("strong", {}, line) : el("div", {}, line))));
      return lines.join(", ");
    }
    function place(found) {
      const { series, index } = found;
      if (series && series.x) found.at = [p.x(series.x[index]), p.y((series.y[index] + series.top[index]) / 2)];
    }
    function showTip(px, py) {
      tip.hidden = false;
      const left = px + 16 + tip.offsetWidth > box.clientWidth ? px - 16 - tip.offsetWidth : px + 16;
      tip.style.left = `${Math.max(0, left)}px`;
      tip.style.top = `${Math.max(0, py - tip.offsetHeight - 8)}px`;
    }
    function hide() {
      const had = marked;
      marked = null;
      tip.hidden = true;
      if (had) p = Draw.draw(canvas, figure, view, hidden);
    }
    function point(found, px, py) {
      p = Draw.draw(canvas, figure, view, hidden);
      marked = found;
      if (found.at) Draw.ring(canvas, found.at);
      const text = tell(found);
      showTip(px, py);
      return text;
    }

    // The next or previous value with a text of its own, in order of time.
    function step(way) {
      const all = figure.series.flatMap((series, at) => (hidden.has(at) || !series.texts.length ? []
        : series.texts.map((_, index) => ({ series, index }))));
      all.sort((a, b) => a.series.x[a.index] - b.series.x[b.index]);
      if (!all.length) { spoken.textContent = "There are no verdicts in this figure."; return; }
      const here = all.findIndex((one) => marked && one.series === marked.series && one.index === marked.index);
      const found = all[here < 0 ? (way > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, here + way))];
      const x = found.series.x[found.index];
      const length = view.x[1] - view.x[0];
      if (x < view.x[0] || x > view.x[1]) set([x - length / 2, x + length / 2], own.y);
      place(found);
      spoken.textContent = point(found, found.at[0], found.at[1]);
    }

    const here = (event) => {
      const area = canvas.getBoundingClientRect();
      return [event.clientX - area.left, event.clientY - area.top];
    };
    box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      const [x, y] = here(event);
      drag = { x, y, pan: event.shiftKey, view: { x: [...view.x], y: [...view.y] }, own: own.y };
      box.setPointerCapture(event.pointerId);
    });
    box.addEventListener("pointermove", (event) => {
      const [x, y] = here(event);
      if (!drag) {
        const found = p && Hover.nearest(figure, p, hidden, x, y);
        if (found) point(found, x, y); else hide();
        return;
      }
      if (drag.pan) {
        const [w, h] = [p.right - p.left, p.bottom - p.top];
        const dx = (x - drag.x) / w * (drag.view.x[1] - drag.view.x[0]);
        const dy = (y - drag.y) / h * (drag.view.y[1] - drag.view.y[0]) * (figure.y.names ? 0 : 1);
        set(drag.view.x.map((end) => end - dx), dy || drag.own ? drag.view.y.map((end) => end + dy) : null);
        return;
      }
      p = Draw.draw(canvas, figure, view, hidden);
      const c = canvas.getContext("2d");
      const flat = Math.abs(y - drag.y) < 16;
      c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--link");
      c.globalAlpha = 0.2;
      c.fillRect(drag.x, flat ? p.top : drag.y, x - drag.x, flat ? p.bottom - p.top : y - drag.y);
      c.globalAlpha = 1;
    });
    const end = (event) => {
      if (!drag) return;
      const [x, y] = here(event);
      const { x: x0, y: y0, pan } = drag;
      drag = null;
      if (pan || event.type === "pointercancel") { refresh(); return; }
      if (Math.abs(x - x0) < 6) { refresh(); return; }
      const window = [p.valueX(Math.min(x, x0)), p.valueX(Math.max(x, x0))];
      const tall = Math.abs(y - y0) >= 16 && !figure.y.names;
      set(window, tall ? [p.valueY(Math.max(y, y0)), p.valueY(Math.min(y, y0))] : own.y);
    };
    box.addEventListener("pointerup", end);
    box.addEventListener("pointercancel", end);
    box.addEventListener("pointerleave", () => !drag && hide());
    box.addEventListener("dblclick", () => set(null, null));
    box.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, p.valueX(here(event)[0]));
    }, { passive: false });

    const actions = {
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: () => set(null, null), Home: () => set(null, null),
      ArrowLeft: () => move(-0.2, 0), ArrowRight: () => move(0.2, 0), ArrowUp: () => move(0, 0.2), ArrowDown: () => move(0, -0.2),
      n: () => step(1), p: () => step(-1), Escape: hide,
    };
    box.addEventListener("keydown", (event) => {
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      action();
      if (!"npEscape".includes(event.key)) {
        spoken.textContent = `${Axis.show(view.x[0], figure.x.unit)} to ${Axis.show(view.x[1], figure.x.unit)}`;
      }
    });
    const button = (label, name, action) => {
      const one = el("button", { type: "button", "aria-label": `${name}: ${short}`, title: name }, label);
      one.addEventListener("click", action);
      tools.append(one);
      return one;
    };
    button("+", "Zoom in", actions["+"]);
    button("−", "Zoom out", actions["-"]);
    button("←", "Earlier", actions.ArrowLeft);
    button("→", "Later", actions.ArrowRight);
    const reset = button("All", "Show everything", actions[0]);
    if (figure.series.some((series) => series.texts.length)) button("Next verdict", "Next verdict", actions.n);

    figure.series.forEach((series, place) => {
      if (!series.name) return;
      const one = el("button", { type: "button", "aria-pressed": "true" }, swatch(series), series.name);
      one.addEventListener("click", () => {
        if (hidden.delete(place)) one.setAttribute("aria-pressed", "true");
        else { hidden.add(place); one.setAttribute("aria-pressed", "false"); }
        refresh();
      });
      legend.append(el("li", {}, one));
    });
    if (!figure.y.names) {
      const seen = new Set();
      figure.spans.forEach((group) => {
        if (seen.has(group.name)) return;
        seen.add(group.name);
        legend.append(el("li", {}, el("span", { class: "key" }, swatch({ kind: "span", tone: group.tone }), group.name)));
      });
    }
    if (timed) group.add(figure.x, extent, refresh);
    Theme.changed(() => root.isConnected && refresh());
    new ResizeObserver(refresh).observe(canvas);
    return root;
  }

  return { build, el, link };
})();
