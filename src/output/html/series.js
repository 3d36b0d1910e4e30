"use strict";
// Reads figures as `compact.rs` writes them: columns of differences, in units of ten to the first number.
const Figures = (() => {
  function column(list) {
    const exponent = list[0];
    const [times, by] = exponent < 0 ? [1, 10 ** -exponent] : [10 ** exponent, 1];
    const out = new Float64Array(list.length - 1);
    let sum = 0;
    for (let n = 1; n < list.length; n++) {
      if (list[n] === null) { out[n - 1] = NaN; continue; }
      sum += list[n];
      out[n - 1] = sum * times / by;
    }
    return out;
  }

  function series(one) {
    const out = { texts: [], frames: [], ...one };
    if (one.x) {
      out.x = column(one.x);
      out.y = column(one.y);
      out.top = one.height ? column(one.height).map((height, n) => height + out.y[n]) : out.y;
    }
    if (one.frames) out.frames = column(one.frames);
    return out;
  }

  const spans = (group) => ({ ...group, from: column(group.from), to: column(group.to) });

  const figure = (one) => ({ ...one, spans: one.spans.map(spans), series: one.series.map(series) });

  // What a script element holds, or null where there is none.
  function stored(id) {
    const element = document.getElementById(id);
    return element ? JSON.parse(element.textContent) : null;
  }

  return { figure, stored };
})();
