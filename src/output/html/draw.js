"use strict";
// Draws one figure onto a canvas. A plane says where values stand; it is kept for whoever asks what is at a point.
const Draw = (() => {
  const FONT = "12px system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
  const WIDEST_NAME = 190;

  // Colours as the style sheet has them now.
  function palette() {
    const style = getComputedStyle(document.documentElement);
    const names = ["black", "grey", "orange", "sky_blue", "green", "yellow", "blue", "vermillion", "purple", "ground", "ink", "faint", "edge"];
    return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }

  function plane(context, figure, view, width, height) {
    context.font = FONT;
    const rows = Axis.ticks(figure.y, view.y, Math.max(2, Math.floor(height / 45)));
    const widest = Math.max(0, ...rows.map((tick) => context.measureText(tick.label).width));
    const left = Math.min(WIDEST_NAME, widest) + (figure.y.label ? 30 : 12);
    const area = { left, right: width - 12, top: 8, bottom: height - 40 };
    const down = Boolean(figure.y.names);
    const [tx, ty] = [Axis.scaled(figure.x), Axis.scaled(figure.y)];
    const across = (area.right - area.left) / (view.x[1] - view.x[0]);
    const up = (area.bottom - area.top) / (view.y[1] - view.y[0]);
    return {
      ...area, rows, width, height,
      columns: Axis.ticks(figure.x, view.x, Math.max(2, Math.floor((area.right - area.left) / 90))),
      x: (value) => area.left + (tx(value) - view.x[0]) * across,
      y: (value) => (down ? area.top + (ty(value) - view.y[0]) * up : area.bottom - (ty(value) - view.y[0]) * up),
      // Back from a place to a value, on linear axes.
      valueX: (px) => view.x[0] + (px - area.left) / across,
      valueY: (py) => (down ? view.y[0] + (py - area.top) / up : view.y[0] + (area.bottom - py) / up),
    };
  }

  const outlines = {
    disc: (c, x, y, r) => { c.arc(x, y, r, 0, 7); },
    ring: (c, x, y, r) => { c.arc(x, y, r, 0, 7); },
    dot: (c, x, y, r) => { c.rect(x - r / 2, y - r / 2, r, r); },
    square: (c, x, y, r) => { c.rect(x - r, y - r, 2 * r, 2 * r); },
    up: (c, x, y, r) => { c.moveTo(x, y - r); c.lineTo(x + r, y + r); c.lineTo(x - r, y + r); c.closePath(); },
    down: (c, x, y, r) => { c.moveTo(x, y + r); c.lineTo(x + r, y - r); c.lineTo(x - r, y - r); c.closePath(); },
    diamond: (c, x, y, r) => { c.moveTo(x, y - r); c.lineTo(x + r, y); c.lineTo(x, y + r); c.lineTo(x - r, y); c.closePath(); },
    cross: (c, x, y, r) => { c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x + r, y - r); c.lineTo(x - r, y + r); },
    plus: (c, x, y, r) => { c.moveTo(x - r, y); c.lineTo(x + r, y); c.moveTo(x, y - r); c.lineTo(x, y + r); },
  };
  const open = new Set(["ring", "cross", "plus"]);

  function shape(context, kind, x, y, radius) {
    context.beginPath();
    outlines[kind](context, x, y, radius);
    if (open.has(kind)) context.stroke(); else context.fill();
  }

  const painters = {
    line(c, s, p) { trace(c, s, p, false); },
    step(c, s, p) { trace(c, s, p, true); },
    points(c, s, p) {
      const radius = s.texts.length || s.x.length <= 150 ? 5 : s.x.length <= 600 ? 3.5 : 2.5;
      for (let n = 0; n < s.x.length; n++) {
        const [x, y] = [p.x(s.x[n]), p.y(s.y[n])];
        if (x >= p.left - 6 && x <= p.right + 6 && y >= p.top - 6 && y <= p.bottom + 6) shape(c, s.shape, x, y, radius);
      }
    },
    strokes(c, s, p) {
      c.beginPath();
      for (let n = 0; n < s.x.length; n++) {
        const x = p.x(s.x[n]);
        if (x < p.left - 2 || x > p.right + 2) continue;
        const low = p.y(s.y[n]);
        c.moveTo(x, low);
        c.lineTo(x, Math.min(p.y(s.top[n]), low - 2));
      }
      c.stroke();
    },
    band(c, s, p) {
      c.globalAlpha = 0.22;
      c.beginPath();
      for (let n = 0; n < s.x.length; n++) c.lineTo(p.x(s.x[n]), p.y(s.top[n]));
      for (let n = s.x.length - 1; n >= 0; n--) c.lineTo(p.x(s.x[n]), p.y(s.y[n]));
      c.fill();
      c.globalAlpha = 1;
    },
    bars(c, s, p, colours) {
      s.bars.forEach((bar) => {
        const at = (value, along) => (s.sideways ? [p.x(value), p.y(bar.at + along)] : [p.x(bar.at + along), p.y(value)]);
        const [a, b] = [at(bar.value, -0.32), at(bar.value, 0.32)];
        c.globalAlpha = 0.75;
        if (s.sideways) c.fillRect(p.left, a[1], a[0] - p.left, b[1] - a[1]);
        else c.fillRect(a[0], a[1], b[0] - a[0], p.bottom - a[1]);
        c.globalAlpha = 1;
        if (!bar.interval) return;
        c.strokeStyle = colours.ink;
        const [low, high] = bar.interval.map((value) => at(value, 0));
        c.beginPath();
        c.moveTo(...low);
        c.lineTo(...high);
        [low, high].forEach(([x, y]) => {
          if (s.sideways) { c.moveTo(x, y - 4); c.lineTo(x, y + 4); } else { c.moveTo(x - 4, y); c.lineTo(x + 4, y); }
        });
        c.stroke();
      });
    },
    boxes() { /* of `compare` alone, which has no page */ },
  };

  function trace(c, s, p, steps) {
    c.setLineDash(s.dashed ? [6, 4] : []);
    c.beginPath();
    let before = NaN;
    for (let n = 0; n < s.x.length; n++) {
      if (Number.isNaN(s.y[n])) { before = NaN; continue; }
      const [x, y] = [p.x(s.x[n]), p.y(s.y[n])];
      if (Number.isNaN(before)) c.moveTo(x, y);
      else {
        if (steps) c.lineTo(x, before);
        c.lineTo(x, y);
      }
      before = y;
    }
    c.stroke();
    c.setLineDash([]);
  }

  function spans(c, figure, p, colours, lanes) {
    figure.spans.filter((group) => (group.lane[1] > 1 || figure.series.length === 0) === lanes).forEach((group) => {
      const [lane, all] = group.lane;
      const gap = lanes ? 0.12 : 0;
      const height = p.bottom - p.top;
      const top = p.top + height * (lane + gap) / all;
      c.fillStyle = colours[group.tone];
      c.globalAlpha = lanes ? 0.85 : 0.2;
      for (let n = 0; n < group.from.length; n++) {
        const x = p.x(group.from[n]);
        c.fillRect(x, top, Math.max(1, p.x(group.to[n]) - x), height * (1 - 2 * gap) / all);
      }
      c.globalAlpha = 1;
    });
  }

  function frame(c, figure, view, p, colours) {
    c.strokeStyle = colours.edge;
    c.fillStyle = colours.faint;
    c.lineWidth = 1;
    c.textBaseline = "middle";
    c.textAlign = "right";
    c.beginPath();
    p.rows.forEach((tick) => {
      const y = Math.round(p.y(tick.at)) + 0.5;
      if (y < p.top - 1 || y > p.bottom + 1) return;
      if (!figure.y.names) { c.moveTo(p.left, y); c.lineTo(p.right, y); }
      c.fillText(tick.label, p.left - 6, y, WIDEST_NAME);
    });
    c.textAlign = "center";
    p.columns.forEach((tick) => {
      const x = Math.round(p.x(tick.at)) + 0.5;
      if (x < p.left - 1 || x > p.right + 1) return;
      c.moveTo(x, p.top);
      c.lineTo(x, p.bottom);
      c.fillText(tick.label, x, p.bottom + 11);
    });
    c.stroke();
    c.strokeStyle = colours.faint;
    c.beginPath();
    c.moveTo(p.left, p.top);
    c.lineTo(p.left, p.bottom);
    c.lineTo(p.right, p.bottom);
    c.stroke();
    c.fillStyle = colours.ink;
    c.fillText(Axis.title(figure.x, view.x), (p.left + p.right) / 2, p.height - 9);
    if (figure.y.label) {
      c.save();
      c.translate(9, (p.top + p.bottom) / 2);
      c.rotate(-Math.PI / 2);
      c.fillText(Axis.title(figure.y, view.y), 0, 0);
      c.restore();
    }
  }

  // Draws and gives back the plane.
  function draw(canvas, figure, view, hidden) {
    const ratio = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const c = canvas.getContext("2d");
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const colours = palette();
    const p = plane(c, figure, view, width, height);
    c.font = FONT;
    const within = (paint) => {
      c.save();
      c.beginPath();
      c.rect(p.left, p.top, p.right - p.left, p.bottom - p.top);
      c.clip();
      paint();
      c.restore();
    };
    within(() => spans(c, figure, p, colours, false));
    frame(c, figure, view, p, colours);
    within(() => {
      spans(c, figure, p, colours, true);
      figure.series.forEach((series, place) => {
        if (hidden.has(place)) return;
        c.fillStyle = c.strokeStyle = colours[series.tone];
        c.lineWidth = series.kind === "strokes" || series.kind === "points" ? 2 : 1.5;
        painters[series.kind](c, series, p, colours);
      });
      c.textAlign = "left";
      figure.notes.forEach((note) => {
        c.fillStyle = colours[note.tone];
        c.fillText(note.text, p.x(note.at[0]) + 6, p.y(note.at[1]) - 8);
      });
    });
    return p;
  }

  // A ring around what is pointed at.
  function ring(canvas, [x, y]) {
    const c = canvas.getContext("2d");
    c.strokeStyle = palette().ink;
    c.lineWidth = 1.5;
    c.beginPath();
    c.arc(x, y, 8, 0, 7);
    c.stroke();
  }

  return { draw, ring, outlines, open };
})();
