// Draws what a comparison measured: both sides' distributions, pair by pair, and in the order in which the units ran.
'use strict';
(() => {
  const {make, choice, data} = aqbench, plots = aqbench_plots;
  const dots = (size, fill) => ({paths: () => null, points: {show: true, size, fill}});

  // Returns what a pair says: B / A, B - A, or |B| - |A|; null where a side has no value.
  function effect(kind, [a, b]) {
    if (a === null || b === null) return null;
    return kind === 'ratio' ? b / a : kind === 'distance' ? Math.abs(b) - Math.abs(a) : b - a;
  }

  // Returns the lines of effects over the number of the pair: kept ones, those that were left aside, fresh ones, and the
  // shift with its interval.
  function effect_lines({kind, pairs, shift, low, high}) {
    const of = (wanted) => pairs.map((pair, i) => ({x: i + 1, y: effect(kind, pair), kind: pair[4] ? 'fresh' : pair[5] ? 'kept' : 'rest'}))
      .filter((point) => point.kind === wanted && point.y !== null);
    const line = (label, wanted, colour, size) => ({label, colour, x: of(wanted).map(({x}) => x), y: of(wanted).map(({y}) => y),
      ...dots(size, colour)});
    const judged = low !== undefined && low !== null, offset = kind === 'ratio' ? 1 : 0, x = [1, pairs.length];
    const level = (label, value, dash) => ({label, colour: plots.colours[2], width: 1.5, dash, x, y: [value, value],
      points: {show: false}});
    const lines = [line(judged ? 'pairs that were analysed' : 'pairs', 'kept', plots.colours[0], 9),
      line(judged ? 'left aside: slow runs' : 'pairs', 'rest', plots.colours[6], 6),
      line('fresh pairs that confirm', 'fresh', plots.colours[1], 9)].filter(({y}) => y.length > 0);
    lines.push({...level('no change', offset, [2, 4]), colour: plots.colours[6]});
    if (judged)
      lines.push(level('shift; dashed: its interval', shift + offset),
        ...[low, high].map((end) => ({...level('end of the interval', end + offset, [6, 4]), quiet: true})));
    return lines;
  }

  // Returns the values of a side in the order in which its units ran.
  function in_order(pairs, side) {
    const points = pairs.map((pair) => ({x: pair[2 + side], y: pair[side]})).filter(({y}) => y !== null)
      .sort((p, q) => p.x - q.x);
    return {x: points.map(({x}) => x), y: points.map(({y}) => y)};
  }

  function draw(holder, one, series) {
    holder.replaceChildren();
    const {pairs, unit, name, kind} = series, axis = unit && unit !== '1' ? `${name} [${unit}]` : name;
    const sides = data.sides.map((label, side) => ({label, ...in_order(pairs, side)})).filter(({y}) => y.length > 0);
    const charts = make('div', {class: 'plots'});
    holder.append(make('p', {}, one.verdict), charts);
    plots.chart(charts, `Distribution of ${name}`, 'Share of the units at or below a value; a unit is the best of its runs.',
      [axis, '%'], sides.map(({label, y}) => ({label, ...plots.ecdf(y), points: {show: false}, paths: uPlot.paths.stepped({align: 1})})));
    plots.chart(charts, kind === 'ratio' ? 'B / A, pair by pair' : kind === 'distance' ? '|B| - |A|, pair by pair'
      : 'B - A, pair by pair', 'Each pair ran back to back.', ['pair', kind === 'ratio' ? 'B / A' : axis], effect_lines(series),
      {whole_x: true});
    plots.chart(charts, 'Units in the order in which they ran', 'A slope is drift: both sides move with it, so that pairs hold.',
      ['unit', axis], sides.map((side, i) => ({...side, width: 1, points: {show: true, size: 5, fill: plots.colours[i]}})), {whole_x: true});
  }

  function start(section) {
    const cases = data.comparison.filter((one) => one.series.length > 0), silent = data.comparison.length - cases.length;
    if (silent > 0) section.append(make('p', {class: 'dim'}, `${silent} ${silent === 1 ? 'case has' : 'cases have'} no unit that ended well.`));
    if (cases.length === 0) return;
    const holder = make('div');
    const of = choice('case', cases.map(({name}, i) => [i, name]), () => choose()), what = choice('what', [], () => show());
    const show = () => draw(holder, cases[Number(of.select.value)], cases[Number(of.select.value)].series[Number(what.select.value)]);
    const choose = () => {
      const {series, leading} = cases[Number(of.select.value)];
      what.select.replaceChildren(...series.map(({name}, i) => make('option', {value: i, selected: name === leading}, name)));
      show();
    };
    section.append(make('div', {class: 'tools'}, of.label, what.label), holder);
    choose();
  }

  const section = document.getElementById('comparison');
  if (section) start(section);
})();
