// Curves over the records of a page, drawn with uPlot: precision and completeness over thresholds, accuracy against time.
'use strict';
const aqbench_plots = (() => {
  const {make, number} = aqbench;
  const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f', '#8c6bb1'];
  const most_lines = colours.length;

  // Puts the points of several lines on one x axis, as uPlot wants them: [[x...], [y of line 1...], ...].
  function aligned(lines) {
    const places = [...new Set(lines.flatMap((line) => line.x))].sort((a, b) => a - b);
    const row = new Map(places.map((x, i) => [x, i]));
    return [places, ...lines.map((line) => {
      const values = new Array(places.length).fill(undefined);
      line.x.forEach((x, i) => { values[row.get(x)] = line.y[i]; });
      return values;
    })];
  }

  // Returns the steps of the empirical distribution of samples: x sorted, y the share at or below, %.
  function ecdf(samples) {
    const sorted = [...samples].sort((a, b) => a - b), x = [], y = [];
    sorted.forEach((value, i) => {
      if (i + 1 < sorted.length && sorted[i + 1] === value) return;
      x.push(value);
      y.push(100 * (i + 1) / sorted.length);
    });
    return {x, y};
  }

  // Returns the indices of points that no other beats in both, x and y less being better.
  function front(points) {
    return points.map((_, i) => i).filter((i) => points[i].x !== null && !points.some((other, k) => k !== i &&
      other.x <= points[i].x && other.y <= points[i].y && (other.x < points[i].x || other.y < points[i].y)));
  }

  // The unit in which times are read: [name, ms of one].
  const time_unit = (all_ms) => {
    const most = Math.max(0, ...all_ms);
    return most < 1000 ? ['ms', 1] : most < 600000 ? ['s', 1000] : ['min', 60000];
  };

  const text_px = (text) => {
    const context = text_px.context ??= document.createElement('canvas').getContext('2d');
    context.font = '12px system-ui, sans-serif';
    return context.measureText(text).width;
  };

  // Writes names beside points of the canvas, each moved up or down until it meets no other and tied to its point; those that need not be written
  // are left out where there is no room near their point.
  function write_names(plot, names) {
    const {ctx, bbox} = plot, px = devicePixelRatio || 1, height = 14 * px;
    const taken = names.map(({x, y}) => ({left: x - 6 * px, right: x + 6 * px, row: y}));
    ctx.save();
    ctx.font = `${12 * px}px system-ui, sans-serif`;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    for (const {text, x, y, colour, may_miss} of [...names].sort((a, b) => (a.may_miss ?? false) - (b.may_miss ?? false) || a.y - b.y)) {
      const width = ctx.measureText(text).width, inside = x + 8 * px + width <= ctx.canvas.width;
      const left = inside ? x + 8 * px : x - 8 * px - width, lowest = bbox.top + bbox.height - 6 * px;
      const meets = (row) => taken.some((box) => left < box.right && left + width > box.left && Math.abs(row - box.row) < height);
      const places = [0, ...Array.from({length: may_miss ? 14 : 80}, (_, i) => [2 * (i + 1) * px, -2 * (i + 1) * px]).flat()]
        .map((shift) => y + shift).filter((row) => row <= lowest && row > bbox.top && !meets(row));
      if (places.length === 0) continue;
      taken.push({left, right: left + width, row: places[0]});
      ctx.fillStyle = ctx.strokeStyle = colour;
      ctx.fillText(text, left, places[0]);
      if (Math.abs(places[0] - y) < height) continue;
      ctx.beginPath();  // a name that had to move is tied to its point
      ctx.moveTo(x, y);
      ctx.lineTo(inside ? left - 2 * px : left + width + 2 * px, places[0]);
      ctx.stroke();
    }
    ctx.restore();
  }

  // The ticks of a scale by powers of ten: 1, 2 and 5 times these, as far as there is room for them.
  const ticks_125 = (plot, _, low, high) => {
    const decades = Math.log10(high / low), steps = 3 * decades <= plot.width / 60 ? [1, 2, 5] : [1], ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power)
      for (const step of steps) ticks.push(Number(`${step}e${power}`));
    return ticks.filter((tick) => tick >= low && tick <= high);
  };

  // Draws lines; `names` of extra: 'ends' beside the last point of each line, 'points' beside each point, else none. What
  // is named in the picture is not repeated in the legend, nor is a line with `quiet`.
  function chart(holder, title, note, axes, lines, extra = {}) {
    const ink = getComputedStyle(document.body).color;
    const box = make('div', {class: 'plot', role: 'group', 'aria-label': title}, make('h3', {}, title),
      make('p', {class: 'dim'}, note));
    holder.append(box);
    // uPlot's own texts have at most three decimals.
    const values = (_, splits) => splits.map((value) => value === null ? '' : number(Number(value.toPrecision(6))));
    const incrs = Array.from({length: 60}, (_, i) => Number(`${[1, 2, 5][i % 3]}e${Math.floor(i / 3) - 10}`));
    const axis = (label) => ({label, stroke: ink, grid: {stroke: '#80808040'}, ticks: {stroke: '#80808080'}, values, incrs});
    // A scale by powers of ten ends at powers of ten: of less than one it would leave most of the picture empty.
    const is_long = (all) => Math.max(...all) > 8 * Math.min(...all);
    const log_x = extra.log_x && is_long(lines.flatMap((line) => line.x).filter((x) => x > 0));
    const log_y = extra.log_y && is_long(lines.flatMap((line) => line.y).filter((y) => y > 0));
    const shown = lines.filter((line) => !line.quiet), widest = Math.max(0, ...shown.map((line) => text_px(line.label)));
    const width_now = () => Math.max(260, box.clientWidth);
    const named = () => Boolean(extra.names) && widest + 20 < 0.42 * width_now();
    const names_of = (plot) => named() ? shown.flatMap((line) => {
      const last = line.y.findLastIndex((y) => y !== null && y !== undefined);
      return last < 0 ? [] : [{text: line.label, may_miss: line.may_miss, colour: line.colour ?? colours[lines.indexOf(line) % colours.length],
        x: plot.valToPos(line.x[last], 'x', true), y: plot.valToPos(line.y[last], 'y', true)}];
    }) : [];
    const options = {width: width_now(), height: 320,
      padding: [null, () => named() && extra.names === 'ends' ? widest + 16 : 16, null, null],
      scales: {x: {time: false, distr: log_x ? 3 : 1, ...log_x ? {range: (_, low, high) => [low / 1.2, high * 1.2]} : {}},
        y: log_y ? {distr: 3, range: (_, low, high) => [low / 1.3, high * 1.3]}  : {}},
      legend: {markers: {dash: (plot, series) => plot.series[series].dash ? 'dashed' : 'solid'}},
      hooks: {draw: [(plot) => write_names(plot, names_of(plot))]},
      axes: [{...axis(axes[0]), ...extra.whole_x ? {incrs: incrs.filter((step) => step >= 1)} : {}, ...log_x ? {splits: ticks_125, filter: (_, splits) => splits} : {}},
        {...axis(axes[1]), size: 60, ...log_y ? {splits: ticks_125, filter: (_, splits) => splits} : {}}],
      series: [{label: axes[0]}, ...lines.map((line, i) => ({label: line.label, width: line.width ?? 2,
        stroke: line.colour ?? colours[i % colours.length], dash: line.dash, spanGaps: true,
        paths: line.paths ?? undefined, points: line.points ?? {show: line.x.length < 40, size: 6},
        value: (_, value) => value === null || value === undefined ? '' : number(Number(value.toPrecision(3)))}))],
    };
    const plot = new uPlot(options, aligned(lines), box);
    const fit_legend = () => {
      const rows = plot.root.querySelectorAll('.u-legend .u-series');
      lines.forEach((line, i) => { if (rows[i + 1]) rows[i + 1].hidden = Boolean(line.quiet); });
      const legend = plot.root.querySelector('.u-legend');
      if (legend) legend.hidden = extra.names === 'points' && named();
    };
    fit_legend();
    plot.root.querySelectorAll('canvas').forEach((canvas) => {
      canvas.setAttribute('role', 'img');
      canvas.setAttribute('aria-label', `${title}: the numbers stand in the tables of this page`);
    });
    new ResizeObserver(() => {
      if (Math.abs(box.clientWidth - plot.width) <= 2) return;
      plot.setSize({width: width_now(), height: 320});
      fit_legend();
    }).observe(box);
    return plot;
  }

  const index_of = (data, name) => data.metrics.findIndex((metric) => metric[0] === name);
  const value_of = (data, at, name) => at.values[index_of(data, name)] ?? null;

  // The label of a case without what all of these cases share: their scene.
  const short_label = (at, cases) => at.scene && cases.every((other) => other.scene === at.scene)
    ? at.label.replace(at.scene + '/', '') : at.label;

  // Returns the lines of a metric with a tolerance in its name over the tolerances.
  function threshold_lines(data, cases, stem, dash) {
    const places = data.metrics.map((metric, index) => [new RegExp(`^${stem}_([0-9.]+)mm_pct$`).exec(metric[0]), index])
      .filter(([found]) => found).map(([found, index]) => [Number(found[1]), index]).sort((a, b) => a[0] - b[0]);
    return cases.map((at, i) => ({label: `${short_label(at, cases)}${dash ? `, ${stem}` : ''}`, quiet: Boolean(dash), dash, colour: colours[i % colours.length],
      x: places.map(([mm]) => mm), y: places.map(([, index]) => at.values[index] ?? null)}))
      .filter((line) => line.y.some((value) => value !== null));
  }

  return {time_unit, ecdf, front, chart, colours, most_lines, value_of, threshold_lines};
})();
