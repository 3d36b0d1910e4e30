"use strict";
// Axes: how far they go, where ticks stand, how values are told. The same rules as in the program's own pictures.
const Axis = (() => {
  const units = {
    seconds: [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]],
    bytes: [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "bytes"]],
    bits_per_second: [[1e9, "Gbit/s"], [1e6, "Mbit/s"], [1e3, "kbit/s"], [1, "bit/s"]],
    share: [[1e-2, "%"]],
    count: [[1, ""]],
    plain: [[1, ""]],
  };
  const scaled = (axis) => (axis.log ? Math.log10 : (value) => value);

  function prefix(largest, unit) {
    // A segment has 1,448 bytes, not 1.4 kB.
    if (unit === "bytes" && largest < 1e4) return [1, "bytes"];
    const table = units[unit];
    return table.find(([factor]) => largest >= factor * 0.999999) || table[table.length - 1];
  }

  const decimals = (step) => Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  const grouped = (value, digits) => (value === 0 ? 0 : value).toLocaleString("en", {
    minimumFractionDigits: digits, maximumFractionDigits: digits,
  });

  // A value with its unit; times and bytes as exact as they are known.
  function show(value, unit) {
    if (unit === "bytes") return `${grouped(value, 0)} bytes`;
    const [factor, name] = prefix(Math.abs(value), unit);
    const size = Math.abs(value / factor);
    const digits = size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : 2;
    const exact = unit === "seconds" ? Math.max(digits, factor === 1 ? 6 : factor === 1e-3 ? 3 : 0) : digits;
    const text = grouped(value / factor, exact);
    return name ? `${text} ${name}` : text;
  }

  // Where the data of a figure lie. `window` limits them to a part of the horizontal axis.
  function extent(figure, hidden, window) {
    const x = [Infinity, -Infinity];
    const y = [Infinity, -Infinity];
    const take = (range, value) => {
      if (value < range[0]) range[0] = value;
      if (value > range[1]) range[1] = value;
    };
    figure.series.forEach((series, place) => {
      if (hidden.has(place)) return;
      if (series.bars) {
        series.bars.forEach((bar) => {
          [bar.value, ...(bar.interval || [])].forEach((value) => take(series.sideways ? x : y, value));
        });
      }
      if (!series.x) return;
      const last = series.x.length - 1;
      for (let n = 0; n <= last; n++) {
        // A step reaches from its value to the next.
        const end = series.kind === "points" || series.kind === "strokes" || n === last ? series.x[n] : series.x[n + 1];
        if (window && (end < window[0] || series.x[n] > window[1])) continue;
        take(x, series.x[n]);
        take(y, series.y[n]);
        take(y, series.top[n]);
      }
    });
    figure.spans.forEach((group) => {
      group.from.forEach((from) => take(x, from));
      group.to.forEach((to) => take(x, to));
    });
    figure.notes.forEach((note) => { take(x, note.at[0]); take(y, note.at[1]); });
    return { x, y };
  }

  // Room around the data; an end that the axis asks for stays where it is.
  function room(axis, [low, high], free) {
    if (axis.names) return [-0.5, Math.max(1, axis.names.length) - 0.5];
    const asked = free ? [] : [axis.from, axis.to].filter((end) => end !== undefined);
    let from = Math.min(low, ...asked);
    let to = Math.max(high, ...asked);
    if (!(from <= to)) [from, to] = [0, 1];
    if (axis.log) [from, to] = [Math.log10(Math.max(from, 1e-300)), Math.log10(Math.max(to, 1e-300))];
    if (to - from <= Math.abs(to) * 1e-12) [from, to] = [from - Math.max(Math.abs(from) * 0.1, 0.5e-9), to + Math.max(Math.abs(to) * 0.1, 0.5e-9)];
    const margin = (to - from) * 0.03;
    const ends = free ? [undefined, undefined] : [axis.from, axis.to].map((end) => (end === undefined ? end : scaled(axis)(end)));
    return [ends[0] === from ? from : from - margin, ends[1] === to ? to : to + margin];
  }

  // Ticks at round values of what is shown: `{at, label}`.
  function ticks(axis, [from, to], count) {
    if (axis.names) return axis.names.map((label, at) => ({ at, label }));
    if (axis.log) {
      const out = [];
      for (let power = Math.ceil(from); power <= to; power++) out.push({ at: power, label: show(10 ** power, axis.unit) });
      return out;
    }
    const [factor] = prefix(Math.max(Math.abs(from), Math.abs(to)), axis.unit);
    const raw = (to - from) / factor / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= raw * 0.999) || 10 * power;
    const digits = decimals(step);
    const out = [];
    for (let n = Math.ceil(from / factor / step - 1e-9); n * step * factor <= to + step * factor * 1e-9 && out.length < 30; n++) {
      out.push({ at: n * step * factor, label: grouped(n * step, digits) });
    }
    return out;
  }

  function title(axis, [from, to]) {
    if (axis.names || axis.log) return axis.label;
    const [, unit] = prefix(Math.max(Math.abs(from), Math.abs(to)), axis.unit);
    return unit ? `${axis.label} (${unit})` : axis.label;
  }

  return { extent, room, scaled, show, ticks, title };
})();
