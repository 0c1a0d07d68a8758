// Draws the curves of a page when they come into sight, for the cases that are chosen.
'use strict';
(() => {
  const {make, choice, data} = aqbench, plots = aqbench_plots;
  const section = document.getElementById('curves');
  if (!section) return;
  const holder = make('div', {class: 'plots'});
  let chosen = [];

  function thresholds() {
    const lines = [...plots.threshold_lines(data, chosen, 'precision'),
      ...plots.threshold_lines(data, chosen, 'completeness', [6, 4])];
    if (lines.length > 0)
      plots.chart(holder, 'Precision and completeness over the threshold',
        'Solid: share of points within it; dashed: share of the surface within it of a point.',
        ['threshold [mm]', '%'], lines, {log_x: true, names: chosen.length > 1 ? 'ends' : ''});
  }

  // Accuracy against time, of one scene at a time: errors of two scenes are no choice between methods.
  let scene = null;
  function pareto() {
    const all = data.cases.map((at) => ({at, x: at.time_ms ?? null, y: plots.value_of(data, at, 'accuracy_mean_mm')}))
      .filter(({x, y}) => x !== null && y !== null);
    const scenes = [...new Set(all.map(({at}) => at.scene))].filter((one) => all.filter(({at}) => at.scene === one).length > 1);
    if (scenes.length === 0) return;
    if (!scenes.includes(scene)) [scene] = scenes;
    const points = all.filter(({at}) => at.scene === scene), [unit, ms] = plots.time_unit(points.map(({x}) => x));
    const own = (point) => /\/poses=own(\/|$)/.test(point.at.name);  // never ranked beside given poses
    const best = new Set();
    for (const poses of [true, false]) {
      const places = points.map((_, i) => i).filter((i) => own(points[i]) === poses);
      for (const i of plots.front(places.map((i) => points[i]))) best.add(places[i]);
    }
    const ink = getComputedStyle(document.body).color;
    const words = points.map(({at}) => at.label.replace(scene + '/', '').split(' '));
    const own_words = (all) => all.filter((word) => !words.every((other) => other.includes(word))).join(' ') || all.join(' ');
    const lines = points.map((point, i) => ({label: own_words(words[i]), x: [point.x / ms], y: [point.y],
      colour: best.has(i) ? ink : '#767e87', may_miss: !best.has(i), points: {show: true, size: best.has(i) ? 11 : 7,
        fill: best.has(i) ? ink : '#767e87'}}));
    const plot = plots.chart(holder, `Mean error against time: ${scene}`, 'Large: no other case is both faster and more ' +
      'accurate (with poses=own, among each other).', [`time [${unit}]`, 'mean error [mm]'], lines,
      {log_x: true, log_y: true, names: 'points'});
    if (scenes.length < 2) return;
    const {select, label} = choice('scene', scenes.map((one) => [one, one]), () => { scene = select.value; redraw(); });
    select.value = scene;
    plot.root.before(make('div', {class: 'tools'}, label));
  }

  function redraw() {
    holder.replaceChildren();
    for (const draw of [thresholds, pareto]) draw();
    return holder.childElementCount > 0;
  }

  function start() {
    if (holder.isConnected) return;
    const usable = data.cases.filter((at) => at.status === 'ok')
      .sort((a, b) => a.label.localeCompare(b.label, 'en', {numeric: true}));
    chosen = usable.filter((at) => at.scene === usable[0].scene).slice(0, 4);
    const select = make('select', {multiple: true, size: Math.min(6, Math.max(2, usable.length)), onchange: () => {
      chosen = [...select.selectedOptions].slice(0, plots.most_lines).map((option) => usable[Number(option.value)]);
      redraw();
    }}, ...usable.map((at, i) => make('option', {value: i, selected: chosen.includes(at)}, at.label)));
    section.append(make('div', {class: 'tools'}, make('label', {}, `cases (at most ${plots.most_lines}) `, select)), holder);
    if (redraw() || usable.length > 4) return;
    section.hidden = true;  // all cases are chosen, and nothing is to be drawn
    document.querySelector('nav a[href="#curves"]')?.remove();
  }

  plots.start = start;
  aqbench.when_near(section, start);
})();
