"use strict";
// What is at a point of a figure, and what is told of it.
const Hover = (() => {
  const REACH = 14;
  // What has a verdict is found before what it lies on.
  const BONUS = 7;

  const capitals = (text) => text.charAt(0).toUpperCase() + text.slice(1);

  // The nearest value: `{series, index, at, far}`, or null.
  function nearest(figure, p, hidden, px, py) {
    let best = null;
    const offer = (series, index, x, y, far) => {
      if (far <= REACH && (best === null || far < best.far)) best = { series, index, at: [x, y], far };
    };
    figure.series.forEach((series, place) => {
      if (hidden.has(place) || !series.x || series.kind === "band") return;
      const bonus = series.texts.length ? BONUS : 0;
      for (let n = 0; n < series.x.length; n++) {
        const x = p.x(series.x[n]);
        if (series.kind === "step" && n + 1 < series.x.length && px >= x && px < p.x(series.x[n + 1])) {
          offer(series, n, Math.max(x, p.left), p.y(series.y[n]), Math.abs(py - p.y(series.y[n])) + 2);
        }
        if (Math.abs(px - x) > REACH + bonus) continue;
        const [low, high] = [p.y(series.y[n]), p.y(series.top[n])];
        const y = Math.min(Math.max(py, Math.min(low, high)), Math.max(low, high));
        offer(series, n, x, y, Math.max(0, Math.hypot(px - x, py - y) - bonus));
      }
    });
    figure.series.forEach((series, place) => {
      if (hidden.has(place) || !series.bars) return;
      series.bars.forEach((bar, index) => {
        const [along, value] = series.sideways ? [p.valueY(py), p.valueX(px)] : [p.valueX(px), p.valueY(py)];
        const most = Math.max(bar.value, ...(bar.interval || []));
        if (Math.abs(along - bar.at) < 0.45 && value <= most) offer(series, index, px, py, 10);
      });
    });
    return best || span(figure, p, px, py);
  }

  function span(figure, p, px, py) {
    const time = p.valueX(px);
    for (const group of figure.spans) {
      const [lane, lanes] = group.lane;
      const height = (p.bottom - p.top) / lanes;
      if (py < p.top + lane * height || py > p.top + (lane + 1) * height) continue;
      for (let n = 0; n < group.from.length; n++) {
        if (time >= group.from[n] && time <= group.to[n]) return { span: group, index: n, at: null, far: 0 };
      }
    }
    return null;
  }

  // Lines of text.
  function tell(figure, found) {
    const time = (value) => `at ${Axis.show(value, figure.x.unit)}`;
    if (found.span) {
      const { span: group, index } = found;
      const [from, to] = [group.from[index], group.to[index]];
      return [capitals(group.name), `${Axis.show(from, "seconds")} to ${Axis.show(to, "seconds")}, ${Axis.show(to - from, "seconds")} long`];
    }
    const { series, index } = found;
    const lines = [capitals(series.name || figure.title)];
    if (series.bars) {
      const bar = series.bars[index];
      const [names, unit] = series.sideways ? [figure.y.names, figure.x.unit] : [figure.x.names, figure.y.unit];
      lines.push(`${names ? names[bar.at] : bar.at}: ${Axis.show(bar.value, unit)}`);
      if (bar.interval) lines.push(`${Axis.show(bar.interval[0], unit)} to ${Axis.show(bar.interval[1], unit)}`);
      return lines;
    }
    if (series.texts[index]) lines.push(series.texts[index]);
    const [low, high] = [series.y[index], series.top[index]];
    const value = low === high
      ? `${figure.y.label} ${Axis.show(low, figure.y.unit)}`
      : `${figure.y.label} ${Axis.show(low, figure.y.unit).replace(" bytes", "")} to ${Axis.show(high, figure.y.unit)} (${Axis.show(high - low, figure.y.unit)})`;
    // A text of its own tells the offset already.
    if (!series.texts[index]) lines.push(figure.y.names ? figure.y.names[Math.round(low)] : value);
    lines.push(series.frames.length ? `frame ${series.frames[index].toLocaleString("en")}, ${time(series.x[index])}` : time(series.x[index]));
    return lines;
  }

  return { nearest, tell };
})();
