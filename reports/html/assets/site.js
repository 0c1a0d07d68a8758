// The trend of a suite over its runs: one metric, the cases that are chosen.
'use strict';
(() => {
  const {make} = aqbench, plots = aqbench_plots;
  const section = document.getElementById('trend'), {runs, cases} = window.aqbench_suite;
  const metrics = Object.entries(window.aqbench_values)
    .filter(([, rows]) => rows.some((row) => row.some((value) => value !== null))).map(([name]) => name);
  if (!section || metrics.length === 0) return;
  const holder = make('div', {class: 'plots'});
  const metric = make('select', {onchange: () => draw()}, ...metrics.map((name) => make('option', {value: name}, name)));
  const some = make('select', {multiple: true, size: Math.min(6, Math.max(2, cases.length)), onchange: () => draw()},
    ...cases.map((name, i) => make('option', {value: i, selected: i < 4}, name)));

  function draw() {
    const rows = window.aqbench_values[metric.value], x = runs.map((_, i) => i + 1);
    const lines = [...some.selectedOptions].slice(0, plots.most_lines).map((option) => ({label: option.textContent, x,
      y: rows[Number(option.value)], width: 1.5}));
    holder.replaceChildren();
    const plot = plots.chart(holder, `${metric.value} over the runs`,
      `Run 1 is ${runs[0][0]}, run ${runs.length} is ${runs.at(-1)[0]}.`, ['run', metric.value], lines);
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
