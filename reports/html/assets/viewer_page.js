// The controls of the viewer: choices, pointer, keys. Starts when its section comes into sight.
'use strict';
(() => {
  const {make, choice, data, number} = aqbench, viewer = aqbench_viewer;
  const section = document.getElementById('clouds');
  if (!section) return;
  const clouds = data.cases.map((_, index) => index).filter((index) => document.getElementById('cloud-' + index));

  // The distance between neighbouring points of a cloud spread over its surface, mm.
  function spacing_of(cloud) {
    const truth = cloud.view.scene?.truth;
    const [[x0, x1], [y0, y1], [z0, z1]] = truth ? [truth.x_mm, truth.y_mm, [0, 0]] : cloud.box;
    const area = Math.max((x1 - x0) * (y1 - y0), (x1 - x0) * (z1 - z0), (y1 - y0) * (z1 - z0));
    return Math.sqrt(area / Math.max(cloud.view.count, 1));
  }

  function measured(cloud) {
    cloud.box ??= view_data.box_of(cloud.points.positions);
    cloud.spacing_mm ??= spacing_of(cloud);
    // Points of a sparse cloud stay points: gaps between them are what there is to see.
    cloud.most_mm ??= 0.012 * Math.max(...cloud.box.map(([low, high]) => high - low));
    return cloud;
  }

  // Everything that is shown: the clouds, their true surface, and the cameras where they are switched on.
  function box_of_shown() {
    const {state} = viewer, boxes = [state.a, state.b].filter(Boolean).map(({box, view}) => {
      const truth = view.scene?.truth, cameras = state.show.rig?.checked ? view.scene?.cameras ?? [] : [];
      return box.map((ends, axis) => {
        const more = [...truth && axis < 2 ? [truth.x_mm, truth.y_mm][axis] : [], ...cameras.map(({centre_mm}) => centre_mm[axis])];
        return [Math.min(ends[0], ...more), Math.max(ends[1], ...more)];
      });
    });
    return [0, 1, 2].map((axis) => [Math.min(...boxes.map((box) => box[axis][0])), Math.max(...boxes.map((box) => box[axis][1]))]);
  }

  function fit() {
    const {state} = viewer, {width, height} = state.canvas, halves = viewer.parts_of_canvas().length;
    viewer_camera.fit(state.camera, box_of_shown(), width / halves / height);
  }

  // B is a case of the scene of A: points of two scenes have nothing in common.
  function offer_b() {
    const {state} = viewer, {b} = state.parts, scene = data.cases[state.a.index].scene;
    for (const option of b.options) {
      const other = option.value === '' ? null : data.cases[Number(option.value)];
      option.hidden = option.disabled = other !== null && other.scene !== scene;
    }
    if (b.selectedOptions[0]?.disabled) {
      b.value = '';
      state.b = null;
    }
  }

  function set_case(side, value) {
    const {state} = viewer;
    const scene = state.a && data.cases[state.a.index].scene;
    state[side] = value === '' ? null : measured(viewer.cloud_of(Number(value)));
    state.picked = null;
    viewer_rig.show_sightings(state.parts.sightings, null);
    offer_b();
    if (!state.touched || data.cases[state.a.index].scene !== scene) fit();
    offer_colours();
    compare();
    fit_scale();
    viewer.set_colours();
    describe();
    viewer.show();
  }

  // What can be chosen is what the clouds that are shown have.
  function offer_colours() {
    const {state} = viewer, {colour, own} = state.parts, any = [state.a, state.b].some((cloud) => cloud?.view.colours);
    if (any) colour.append(own);
    else own.remove();
    colour.options[0].textContent = viewer.agrees() ? 'agreement of images' : 'signed error';
    state.parts.limit.hidden = viewer.agrees();
    for (const [name, shape] of [['mesh', 'mesh'], ['truth', 'truth'], ['holes', 'holes'], ['rig', 'cameras']])
      state.show[name].parentElement.hidden = ![state.a, state.b].some((cloud) => cloud && viewer.shapes_of(cloud)[shape]);
    const dry = [state.a, state.b].every((cloud) => cloud?.view.scene?.water_z_mm === undefined);
    state.show.rig.nextSibling.textContent = dry ? ' cameras' : ' cameras and water';
    if (any && viewer.agrees() && !state.touched_colour) colour.value = 'colour';  // a recording looks as it was photographed
    state.colour_by = colour.value;
  }

  // The scale that the errors fill, until a reader chooses one: the few largest lie beyond it.
  function fit_scale() {
    const {state} = viewer, {limit} = state.parts, choices = [...limit.querySelectorAll('option')].map(({value}) => Number(value));
    if (state.chosen_scale) return;
    const shown = state.mode === 'difference' && state.compared ? [state.cells.errors]
      : [state.a, state.b].filter(Boolean).map(({points}) => points.errors);
    const sizes = shown.map((errors) => errors.map(Math.abs).filter((size) => !Number.isNaN(size)).sort());
    const reach = Math.max(...sizes.map((size) => size[Math.floor(0.98 * (size.length - 1))] ?? 0));
    state.limit_mm = choices.find((mm) => mm >= reach) ?? choices.at(-1);
    limit.querySelector('select').value = String(state.limit_mm);
  }

  function compare() {
    const {state} = viewer;
    if (state.mode !== 'difference' || !state.b) {
      if (state.mode === 'difference') state.parts.output.textContent = 'Choose B to see B minus A.';
      state.compared = null;
      if (state.mode === 'difference') state.mode = 'both';
      return;
    }
    state.cell_mm = Math.max(1, 3 * Math.max(spacing_of(state.a), spacing_of(state.b)));
    state.cells = view_data.difference(state.a.points, state.b.points, state.cell_mm, viewer.agrees());
    const {positions, indices} = view_data.squares(state.a.view, state.cells.positions, state.cell_mm, 0);
    const values = Float32Array.from({length: positions.length / 3}, (_, i) => state.cells.errors[i >> 2]);
    state.compared = state.gl.load(positions, values, indices);
  }

  // What the page says of a mesh: whether it is drawn, and what was done to it.
  function mesh_text(view) {
    const mesh = view.scene?.mesh;
    if (!mesh) return '';
    const all = `mesh of ${number(mesh.triangles)} triangles`;
    if (mesh.kept === 0) return `, ${all}, which the bundle does not hold (aqbench sweep --keep-clouds keeps it)`;
    if (view.triangles.length === 0) return `, ${all}, for which this page has no room`;
    return mesh.kept < mesh.triangles
      ? `, ${all} simplified to ${number(mesh.kept)}: no vertex was moved by more than ${mesh.moved_mm} mm` : `, ${all}`;
  }

  function describe() {
    const {a, b, parts} = viewer.state;
    parts.facts.textContent = [a, b].filter(Boolean).map(({index, view}) =>
      `${data.cases[index].label}: ${number(view.count)} of ${number(view.scored)} ${view.values ? '' : 'scored '}points` +
      (view.far > 0 ? `, ${number(view.far)} more than 10 ${viewer.in_units({index}) ? 'units' : 'm'} away and not shown` : '') +
      (view.holes.length ? `, ${view.holes.length / 3} places of holes` : '') + mesh_text(view)).join('; ') +
      (viewer.in_units(a) ? '. The scale is free: lengths are units of the reconstruction'
        : `. Positions are rounded to a grid of ${a.view.step_mm} mm (off by at most 0.018 mm)`) + (viewer.agrees() ? '.' :
      `, errors to 127 steps a side up to ${a.view.error_mm} mm (1 mm: off by at most 0.035 mm).`);
  }

  function listen(canvas) {
    const {state} = viewer, held = new Map();
    let pressed = null, apart = 0;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, event);
      pressed = {x: event.clientX, y: event.clientY};
      state.touched = true;
    });
    canvas.addEventListener('pointermove', (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      held.set(event.pointerId, event);
      const dx = (event.clientX - before.clientX) / canvas.clientHeight,
        dy = (event.clientY - before.clientY) / canvas.clientHeight;
      if (held.size === 2) {
        const [p, q] = [...held.values()], now = Math.hypot(p.clientX - q.clientX, p.clientY - q.clientY);
        if (apart > 0) state.camera.distance *= apart / now;
        apart = now;
      } else if (event.shiftKey || event.buttons & 2) viewer_camera.move(state.camera, dx, -dy);
      else viewer_camera.turn(state.camera, -4 * dx, 4 * dy);
      viewer.moved();
    });
    const release = (event) => {
      held.delete(event.pointerId);
      apart = 0;
      const still = pressed && Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < 4;
      if (event.type === 'pointerup' && still) pick_at(event.clientX, event.clientY);
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('contextmenu', (event) => event.preventDefault());
    canvas.addEventListener('wheel', (event) => {
      if (document.activeElement !== canvas) return;  // the page scrolls until the picture has the focus
      event.preventDefault();
      state.camera.distance *= Math.exp(event.deltaY / 800);
      viewer.moved();
    }, {passive: false});
    canvas.addEventListener('keydown', (event) => {
      state.touched = true;
      const keys = {ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1]};
      if (keys[event.key]) viewer_camera.turn(state.camera, ...keys[event.key]);
      else if (event.key === '+') state.camera.distance *= 0.9;
      else if (event.key === '-') state.camera.distance *= 1.1;
      else if (event.key === 'Home') {
        Object.assign(state.camera, viewer_camera.start(500));
        fit();
      }
      else if (event.key === 't') Object.assign(state.camera, viewer_camera.top);
      else if (event.key === 'Enter') return pick_middle();
      else return;
      event.preventDefault();
      viewer.moved();
    });
  }

  function pick_at(x, y) {
    const {canvas, parts} = viewer.state, box = canvas.getBoundingClientRect();
    const found = viewer.pick((x - box.left) * canvas.width / box.width, (y - box.top) * canvas.height / box.height);
    viewer.state.picked = found && {cloud: found.cloud, place: viewer.place_of(found)};
    parts.output.textContent = viewer.text_of(found);
    viewer_rig.show_sightings(parts.sightings, viewer.state.picked);
    viewer.show();
  }

  function pick_middle() {
    const box = viewer.state.canvas.getBoundingClientRect();
    pick_at(box.left + box.width / (viewer.parts_of_canvas().length > 1 ? 4 : 2), box.top + box.height / 2);
  }

  function controls() {
    const named = clouds.map((index) => [String(index), data.cases[index].label]);
    const {state} = viewer, again = () => { viewer.set_colours(); viewer.draw(1); };
    const a = choice('A', named, () => set_case('a', a.select.value));
    const b = choice('B', [['', 'none'], ...named], () => set_case('b', b.select.value));
    const mode = choice('show', [['both', 'A beside B'], ['difference', 'B minus A']], () => {
      state.mode = mode.select.value;
      compare();
      mode.select.value = state.mode;
      fit_scale();
      again();
    });
    const colour = choice('colour', [['error', 'signed error'], ['confidence', 'confidence'], ['views', 'views']],
      () => { Object.assign(state, {colour_by: colour.select.value, touched_colour: true}); again(); });
    Object.assign(state.parts, {colour: colour.select, own: make('option', {value: 'colour'}, 'its own colours')});
    const limit = choice('scale', [0.2, 0.5, 1, 2, 5, 10, 20].map((mm) => [mm, `± ${mm} mm`]),
      () => { Object.assign(state, {limit_mm: Number(limit.select.value), chosen_scale: true}); again(); });
    limit.select.value = '2';
    const boxes = [['points', 'points', true], ['mesh', 'mesh', false], ['truth', 'true surface', true],
      ['holes', 'holes', true], ['rig', 'cameras and water', false]].map(([name, text, checked]) => {
      state.show[name] = make('input', {type: 'checkbox', checked, onchange: () => {
        if (name === 'rig') fit();
        viewer.draw(1);
      }});
      return make('label', {}, state.show[name], ' ' + text);
    });
    Object.assign(state.parts, {a: a.select, b: b.select, limit: limit.label});
    viewer.compare = (of_a, of_b, shown = 'difference') => {
      [a.select.value, b.select.value, mode.select.value] = [of_a, of_b, shown];
      Object.assign(state, {a: measured(viewer.cloud_of(of_a)), mode: shown});
      set_case('b', of_b);
      fit();
      viewer.show();
    };
    const top = make('button', {type: 'button', onclick: () => {
      Object.assign(state.camera, viewer_camera.top);
      fit();
      viewer.draw(1);
    }}, 'from above (x right, y down)');
    return make('div', {class: 'tools'}, a.label, b.label, mode.label, colour.label, limit.label, ...boxes, top);
  }

  function legend_of_holes() {
    const causes = [...new Set(clouds.flatMap((index) => [...viewer.cloud_of(index).view.causes]))].sort();
    if (causes.length === 0) return '';
    return make('p', {class: 'dim'}, 'Holes (of B, where B minus A is shown): ', ...causes.flatMap((cause) => [
      make('span', {style: `background:${viewer.cause_colours[cause]};padding:0 .5em;margin-right:.3em`,
        'aria-hidden': 'true'}), viewer.cause_texts[cause] + '  ']));
  }

  const index_of = (name) => clouds.find((index) => data.cases[index].name === name);

  // A page of two bundles begins with the case that is worst, B minus A.
  function show_pair() {
    const a = index_of('A: ' + data.worst) ?? clouds[0], b = index_of('B: ' + data.cases[a].name.slice(3));
    if (b !== undefined) viewer.compare(a, b);
  }

  // The case that got worse most; without a gate the least accurate one, or that whose images agree least.
  function first_case() {
    const worse = (data.gate ?? []).filter((row) => row[2] === 'regressed').map((row) => index_of(row[0]));
    const metric = (name) => data.metrics.findIndex((one) => one[0] === name);
    const error = metric('accuracy_mean_mm'), agreement = metric('photometric_zncc_median');
    const badness = (index) => data.cases[index].values?.[error] ?? -(data.cases[index].values?.[agreement] ?? Infinity);
    return worse.find((index) => index !== undefined) ??
      clouds.reduce((worst, index) => badness(index) > badness(worst) ? index : worst, clouds[0]);
  }

  function start() {
    if (viewer.state) return;
    const canvas = make('canvas', {tabindex: '0', role: 'application', 'aria-label':
      'points of a case in three dimensions; arrow keys turn, plus and minus zoom, t from above, Enter picks'});
    const gl = viewer_draw.painter(canvas);
    const bar = make('canvas', {'aria-hidden': 'true'}), low = make('span'), high = make('span');
    const output = make('output', {'aria-live': 'polite'}, 'A click tells what a point is: error, views, cause.');
    const facts = make('p', {class: 'dim'}), overlay = aqbench.draw('svg', {class: 'overlay', 'aria-hidden': 'true'});
    viewer.state = {canvas, gl, a: null, b: null, mode: 'both', colour_by: 'error', limit_mm: 2, show: {},
      moving_share: 1, picked: null, parts: {output, sightings: make('div', {class: 'sightings'}), facts, overlay, legend: {bar, low, high}}};
    const {state} = viewer, tools = controls();
    section.append(make('div', {class: 'viewer'}, tools, make('div', {class: 'picture'}, canvas, overlay),
      make('div', {class: 'scale'}, low, bar, high), output, state.parts.sightings, facts));
    const first = first_case(), covered = data.metrics.findIndex(([name]) => name.startsWith('completeness_2mm'));
    state.show.holes.checked = !(data.cases[first].values?.[covered] < 80);  // of a cloud that is mostly holes they hide the rest
    state.a = measured(viewer.cloud_of(first));
    state.camera = viewer_camera.start(500);
    state.moving_share = Math.min(1, 5e5 / Math.max(1, state.a.points.count));
    state.parts.a.value = String(first);
    set_case('a', String(first));
    viewer.resize();
    fit();
    viewer.show();
    new ResizeObserver(() => {
      viewer.resize();
      if (state.touched) return;
      fit();
      viewer.show();
    }).observe(canvas);
    listen(canvas);
    setTimeout(() => section.append(legend_of_holes()), 50);
    if (data.pairs) show_pair();
    else aqbench.show_beside(data.cases[first].name, document.querySelector(
      `tr[data-against][data-case="${CSS.escape(data.cases[first].name)}"]`)?.dataset.against, false);
  }

  // Shows where the case of a row is worse than the one that it is held against.
  function add_turn_buttons() {
    aqbench.show_beside = (name, against, asked = true) => {
      const here = index_of(name), best = index_of(against);
      if (here === undefined || !(asked || best !== undefined)) return false;
      if (asked) section.scrollIntoView();
      start();
      viewer.compare(best ?? here, best === undefined ? '' : here, 'both');
      return true;
    };
    for (const row of document.querySelectorAll('tr[data-against]')) {
      const worse = index_of(row.dataset.case), best = index_of(row.dataset.against);
      if (worse === undefined || best === undefined) continue;
      (row.querySelector('[data-turn]') ?? row.cells[1]).append(' ', make('button', {type: 'button', onclick: () => {
        section.scrollIntoView();
        start();
        viewer.compare(best, worse);
      }}, 'show where'));
    }
  }

  viewer.start = start;
  viewer.mesh_text = mesh_text;
  add_turn_buttons();
  aqbench.when_near(section, start);
})();
