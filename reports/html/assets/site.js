// The trend of a suite over its runs: one metric, the cases that are chosen.
'use strict';
(() => {
  const {make} = aqbench, plots = aqbench_plots;
  const section = document.getElementById('trend'), {runs, cases, labels, titles} = window.aqbench_suite;
  const metrics = Object.entries(window.aqbench_values)
    .filter(([, rows]) => rows.some((row) => row.some((value) => value !== null))).map(([name]) => name);
  if (!section || metrics.length === 0) return;
  const holder = make('div', {class: 'plots'});
  // Changes of level, the newest first: [metric, case, first run of the new level, 1 worse, -1 better, 0 other].
  const changes = (window.aqbench_steps ?? []).filter(([name]) => metrics.includes(name));
  const [first] = [...changes.filter(([, , , worse]) => worse > 0), ...changes].map(([name]) => name);
  const changed = [...new Set(changes.filter(([name]) => name === first).map(([, at]) => at))].slice(0, 4);
  const metric = make('select', {onchange: () => draw()},
    ...metrics.map((name) => make('option', {value: name, selected: name === first}, titles[name])));
  const some = make('select', {multiple: true, size: Math.min(6, Math.max(2, cases.length)), onchange: () => draw()},
    ...labels.map((name, i) => make('option', {value: i, title: cases[i],
      selected: changed.length > 0 ? changed.includes(i) : i < 4}, name)));
  const steps_of = (index) => changes.filter(([name, at]) => name === metric.value && at === index)
    .map(([, , run, worse]) => [run, worse]);
  const marks = {'1': '#d73a49', '-1': '#2da44e', '0': '#8c6bb1'};

  // Draws a line between the last run of an old level and the first of the new one.
  function draw_steps(plot, steps) {
    const {ctx, bbox} = plot;
    ctx.save();
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    for (const [run, worse] of steps) {
      const x = plot.valToPos(run + 0.5, 'x', true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.strokeStyle = marks[worse];
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  function draw() {
    const rows = window.aqbench_values[metric.value], x = runs.map((_, i) => i + 1);
    const shown = [...some.selectedOptions].slice(0, plots.most_lines).map((option) => Number(option.value));
    // One scale for what has other sizes: the change since the first run, of a percentage in points.
    const is_share = metric.value.endsWith('_pct'), unit = is_share ? 'points' : '%';
    const change = (row) => {
      const first = row.find((value) => value !== null), whole = is_share ? 100 : Math.abs(first) || Math.max(...row.map(Math.abs)) || 1;
      return row.map((value) => value === null ? null : 100 * (value - first) / whole);
    };
    const lines = shown.map((index) => ({label: labels[index], x, y: change(rows[index]), width: 1.5}));
    const steps = shown.flatMap(steps_of);
    holder.replaceChildren();
    const plot = plots.chart(holder, `${titles[metric.value]} over the runs`,
      `Run 1 is ${runs[0][0]}, run ${runs.length} is ${runs.at(-1)[0]}. Drawn is the change since the first run.` + (steps.length === 0 ? ''
        : ' Dashed: a level changed, red for the worse, green for the better, violet for neither.'),
      ['run', `change [${unit}]`], lines, {whole_x: true, least_y: 5, options: {hooks: {draw: [(plot) => draw_steps(plot, steps)]}}});
    const where = make('p', {'aria-live': 'polite'});
    plot.over.addEventListener('mousemove', () => {
      const run = runs[plot.cursor.idx];
      if (run) where.textContent = `run ${plot.cursor.idx + 1}: ${run[0]}, ${run[1]}, commit ${run[2] || 'not known'}`;
    });
    holder.append(where);
  }

  section.append(make('div', {class: 'tools'}, make('label', {}, 'metric ', metric), make('label', {}, 'cases ', some)), holder);
  draw();
})();
