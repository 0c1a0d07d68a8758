// 3D view: one or two cases under one camera, coloured by signed error, confidence, views or in the colours that
// a program gave its points; B minus A; the true surface, holes with their causes, cameras, rig and water. All data are in the page.
'use strict';
const aqbench_viewer = (() => {
  const {number} = aqbench;
  // None is red or blue: these say how far points are off.
  const cause_colours = ['#808080', '#c77cff', '#a6761d', '#e69f00', '#f0e442', '#009e73', '#999933'];
  const cause_texts = ['covered', 'fewer than two cameras see it', 'no camera has a depth there (depth_estimation)',
    'no depth there is right (depth_estimation, depth_refinement)', 'filtering dropped the right depths',
    'fusion dropped correct depths', 'two cameras took it, and fewer than two undistorted images show it'];
  const rgb = (hex) => [1, 3, 5].map((from) => parseInt(hex.slice(from, from + 2), 16) / 255);
  const loaded = new Map();
  let state = null;

  // Decodes the cloud of a case once.
  function cloud_of(index) {
    if (!loaded.has(index)) {
      const holder = document.getElementById('cloud-' + index);
      const view = view_data.decode(view_data.bytes_of(holder.textContent));
      loaded.set(index, {index, view, points: view_data.points_of(view), shapes: null});
    }
    return loaded.get(index);
  }

  // Lines of the true surface: every fourth row and column of its grid.
  function wire(truth, step_mm) {
    const lines = [], {columns, rows, x_mm, y_mm, z_steps} = truth;
    const at = (column, row) => [x_mm[0] + (x_mm[1] - x_mm[0]) * column / (columns - 1),
      y_mm[0] + (y_mm[1] - y_mm[0]) * row / (rows - 1), z_steps[row * columns + column] * step_mm];
    for (let row = 0; row < rows; ++row)
      for (let column = 0; column < columns; ++column) {
        if (row % 4 === 0 && column + 1 < columns) lines.push(...at(column, row), ...at(column + 1, row));
        if (column % 4 === 0 && row + 1 < rows) lines.push(...at(column, row), ...at(column, row + 1));
      }
    return new Float32Array(lines);
  }

  // The water as a frame that reaches below the cameras.
  function water_lines({cameras, water_z_mm}) {
    const water = [], reach = Math.max(300, ...cameras.flatMap(({centre_mm: [x, y]}) => [Math.abs(x), Math.abs(y)]));
    for (let k = -4; water_z_mm !== undefined && k <= 4; ++k) {
      const at = reach * k / 4;
      water.push(-reach, at, water_z_mm, reach, at, water_z_mm, at, -reach, water_z_mm, at, reach, water_z_mm);
    }
    return new Float32Array(water);
  }

  const in_mm = (steps, step_mm) => Float32Array.from(steps, (value) => value * step_mm);

  function shapes_of(cloud) {
    const {gl} = state;
    if (cloud.shapes) return cloud.shapes;
    const {view, points} = cloud, scene = view.scene ?? {};
    const shapes = {points: gl.load(points.positions, points.errors)};
    // Of a large cloud only some points were asked how alike images show them: they alone are drawn by that.
    const known = view.values === 'agreement' ? [...points.errors.keys()].filter((i) => !Number.isNaN(points.errors[i])) : [];
    if (known.length > 0 && known.length < points.count)
      shapes.known = gl.load(Float32Array.from({length: 3 * known.length}, (_, i) => points.positions[3 * known[Math.floor(i / 3)] + i % 3]),
        Float32Array.from(known, (i) => points.errors[i]));
    if (view.holes.length > 0)
      shapes.holes = [...new Set(view.causes)].map((cause) => {
        const chosen = [];
        for (let i = 0; i < view.causes.length; ++i)
          if (view.causes[i] === cause) chosen.push(...view.holes.slice(3 * i, 3 * i + 3));
        const {positions, indices} = view_data.squares(view, in_mm(chosen, view.step_mm), 4, 1);
        return {cause, shape: gl.load(positions, null, indices)};
      });
    if (view.triangles.length > 0)
      shapes.mesh = gl.load(in_mm(view.vertices, view.step_mm), Float32Array.from(view.vertex_codes,
        view_data.value_of_code(view)), view.triangles);
    if (scene.truth) shapes.truth = gl.load(wire(scene.truth, view.step_mm), null);
    if (scene.cameras) {
      const {lines, pictures} = viewer_rig.shapes_of(cloud);
      Object.assign(shapes, {cameras: gl.load(lines, null), photographs: pictures, water: gl.load(water_lines(scene), null)});
    }
    return cloud.shapes = shapes;
  }

  // The colour of 16 bits as "#rrggbb": red in the upper five, green in the next six, blue in the lower five.
  const hex_of_code = (code) => '#' + [code >> 11, code >> 5 & 63, code & 31].map((level, i) =>
    Math.round(level * 255 / (i === 1 ? 63 : 31)).toString(16).padStart(2, '0')).join('');

  // What a point's colour says, and the ends of the scale.
  function values_of(cloud, colour_by) {
    const {points, view} = cloud;
    if (colour_by === 'error') return points.errors;
    if (colour_by === 'colour') return Float32Array.from(points.order, (from) => view.colours ? view.colours[from] : NaN);
    const mark = colour_by === 'views' ? (byte) => byte & 15 : (byte) => byte >> 4;
    return Float32Array.from(points.order, (from) => {
      const value = mark(view.marks[from]);
      return value === 15 ? NaN : colour_by === 'views' ? value : value / 14;
    });
  }

  // Whether points have the colours that a program gave them; a mesh has none, and shows its error.
  const own_colours = () => state.colour_by === 'colour' && state.mode !== 'difference';
  const agrees = () => state.a?.view.values === 'agreement';  // no truth is known: values are the agreement of images
  const by_error = () => ['error', 'colour'].includes(state.colour_by);
  const signed = () => state.mode === 'difference' || (by_error() && !agrees());
  const range_of = () => state.mode === 'difference' && agrees() ? [-0.5, 0.5] : signed() ? [-state.limit_mm, state.limit_mm]
    : state.colour_by === 'views' ? [0, 14] : [0, 1];

  function set_colours() {
    state.gl.set_palette(aqbench.data.colours[signed() ? 'signed' : 'size']);
    for (const cloud of [state.a, state.b])
      if (cloud && state.mode !== 'difference')
        state.gl.recolour(shapes_of(cloud).points, values_of(cloud, state.colour_by));
    draw_legend();
  }

  function draw_legend() {
    const {legend} = state.parts, [low, high] = range_of(), own = own_colours();
    legend.bar.style.display = own ? 'none' : '';
    if (own) {
      legend.low.textContent = 'colours that the program gave its points; grey: none';
      legend.high.textContent = '';
      return;
    }
    const colours = aqbench.data.colours[low < 0 ? 'signed' : 'size'], context = legend.bar.getContext('2d');
    // Above each colour, how many points have it; beside A those of B.
    const counts = new Array(colours.length).fill(0), last = colours.length - 1;
    for (const value of state.mode === 'difference' && state.compared ? state.cells.errors : values_of(state.b ?? state.a, state.colour_by))
      if (!Number.isNaN(value)) ++counts[Math.min(last, Math.max(0, Math.round((value - low) / (high - low) * last)))];
    legend.bar.width = colours.length;
    legend.bar.height = 40;
    colours.forEach((colour, i) => {
      const height = 14 + 26 * counts[i] / Math.max(1, ...counts);
      context.fillStyle = colour;
      context.fillRect(i, 40 - height, 1, height);
    });
    const what = state.mode === 'difference' ? agrees() ? ['B agrees better', 'B agrees worse'] : ['mm: B is better', 'mm: B is worse']
      : by_error() && agrees() ? ['ZNCC: images differ', 'ZNCC: images agree']
      : state.colour_by === 'error' ? ['mm: behind the surface', 'mm: towards the cameras']
      : state.colour_by === 'views' ? ['views', 'views'] : ['confidence', 'confidence'];
    legend.low.textContent = `${number(low)} ${what[0]}`;
    legend.high.textContent = `${number(high)} ${what[1]}; grey: ${state.mode === 'difference' ? 'one side alone'
      : 'not known'}`;
  }

  // Whose holes are drawn: beside B minus A those of B, which is the one that is judged.
  const holes_beside = (cloud) => state.mode === 'difference' && state.compared ? state.b : cloud;

  function draw_scene(part, cloud, share) {
    const {gl, camera, show} = state, shapes = shapes_of(cloud), ratio = part[2] / part[3];
    const {holes} = shapes_of(holes_beside(cloud));
    const matrix = viewer_camera.matrix(camera, ratio);
    gl.begin(part, matrix);
    const px_per_mm = part[3] / 2 * (ratio >= 1 ? 2.74 : 2.74 * ratio);
    const range = range_of(), compared = state.mode === 'difference' ? state.compared : null;
    if (shapes.mesh && show.mesh.checked && !compared) gl.draw(shapes.mesh, 'TRIANGLES', {range});
    // Points as large as the gaps between them, so that nothing shines through.
    if (compared) gl.draw(compared, 'TRIANGLES', {range});
    else if (show.points.checked) {
      const drawn = state.colour_by === 'error' && shapes.known || shapes.points;
      const gap_mm = 1.7 * cloud.spacing_mm * Math.sqrt(shapes.points.count / drawn.count);
      gl.draw(drawn, 'POINTS', {count: Math.ceil(drawn.count * share), range, direct: own_colours(),
        size: px_per_mm * Math.min(cloud.most_mm, gap_mm) / Math.sqrt(Math.max(share, 1e-3)), least: 2});
    }
    if (holes && show.holes.checked)
      for (const {cause, shape} of holes) gl.draw(shape, 'TRIANGLES', {colour: rgb(cause_colours[cause])});
    if (shapes.truth && show.truth.checked) gl.draw(shapes.truth, 'LINES', {colour: [0.75, 0.75, 0.75]});
    if (shapes.cameras && show.rig.checked) {
      gl.draw(shapes.cameras, 'LINES', {colour: [1, 1, 1]});
      gl.draw(shapes.water, 'LINES', {colour: [0.2, 0.5, 0.8]});
      viewer_rig.draw_pictures(gl, shapes.photographs, moved);
    }
  }

  const two_pictures = () => state.mode === 'both' && state.b;

  // Returns the parts of the canvas that pictures take, and their clouds.
  function parts_of_canvas() {
    const {width, height} = state.canvas;
    if (!two_pictures()) return [[[0, 0, width, height], state.a]];
    const half = Math.floor(width / 2);
    return [[[0, 0, half - 1, height], state.a], [[half + 1, 0, width - half - 1, height], state.b]];
  }

  // Draws a share of the points, and finds how many are drawn in 33 ms.
  function draw(share = 1) {
    const started = performance.now();
    state.gl.wipe();
    for (const [part, cloud] of parts_of_canvas()) draw_scene(part, cloud, share);
    state.gl.finish();
    draw_overlay();
    const took_ms = performance.now() - started;
    if (share < 1 || took_ms > 40) state.moving_share = Math.min(1, Math.max(0.01, state.moving_share *
      Math.min(2, Math.max(0.4, 33 / Math.max(took_ms, 1)))));
    return took_ms;
  }

  // A length of 1, 2 or 5 times a power of ten mm, up to `most_mm`.
  const round_length = (most_mm) => {
    const power = 10 ** Math.floor(Math.log10(most_mm));
    return [5, 2, 1].map((step) => step * power).find((length) => length <= most_mm);
  };
  // Where no camera says how large a cloud is, its lengths are units of its own.
  const in_units = (cloud) => aqbench.data.cases[cloud.index].free_scale === true;
  const length_text = (mm, cloud) => in_units(cloud) ? `${number(mm / 1000)} ${mm === 1000 ? 'unit' : 'units'} (free scale)`
    : mm >= 1000 ? `${number(mm / 1000)} m` : `${number(mm)} mm`;

  // Breaks a name behind blanks and slashes into lines of at most so many letters, as far as it can be.
  const broken = (name, most) => name.split(/(?<=[/ ])/).reduce((lines, part) => {
    if (lines.length > 0 && lines.at(-1).length + part.length <= most) lines.push(lines.pop() + part);
    else lines.push(part);
    return lines;
  }, []);

  // What stands above the picture: names, a scale bar, the directions of the axes, what was picked.
  function draw_overlay() {
    const {overlay} = state.parts, {canvas, camera} = state, pixels = canvas.width / Math.max(1, canvas.clientWidth);
    if (!overlay) return;
    const width = canvas.width / pixels, height = canvas.height / pixels, shapes = [];
    overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const shape = (...parts) => shapes.push(aqbench.draw(...parts));
    // The labels of a page over two bundles begin with their side.
    const {cases, pairs} = aqbench.data, parts = parts_of_canvas(), label = (cloud) => cases[cloud.index].label.slice(pairs ? 3 : 0);
    const compared = state.mode === 'difference' && state.compared;
    parts.forEach(([[left, , part_width, part_height], cloud], i) => {
      const x = left / pixels, ratio = part_width / part_height, matrix = viewer_camera.matrix(camera, ratio);
      const at = (place) => {
        const [u, v, w] = viewer_camera.project(matrix, ...place);
        return w > 0 ? [x + (1 + u) / 2 * part_width / pixels, (1 - v) / 2 * part_height / pixels] : null;
      };
      const name = compared ? `B minus A: ${label(state.b)}${label(state.a) === label(state.b) ? '' : ' minus ' + label(state.a)}` : `${state.b ? 'AB'[i] + ': ' : ''}${label(cloud)}`;
      broken(name, (part_width / pixels - 20) / 7).forEach((line, row) => shape('text', {x: x + 10, y: 20 + 15 * row}, line));
      const across = viewer_camera.frame(camera).right.map((part, axis) => camera.target[axis] + part), [x0] = at(camera.target), [x1] = at(across);
      const mm = round_length(0.25 * part_width / pixels / (x1 - x0)), length = mm * (x1 - x0), y = height - 14;
      shape('path', {d: `M${x + 12} ${y - 5}v5h${length}v-5`});
      shape('text', {x: x + 18 + length, y}, length_text(mm, cloud));
      // World: x and y along the patch, z down.
      const corner = [x + part_width / pixels - 50, height - 50];
      ['x', 'y', 'z'].forEach((name, axis) => {
        const to = viewer_camera.direction(camera, axis).map((part, k) => corner[k] + 30 * (k === 1 ? -part : part));
        shape('path', {d: `M${corner}L${to}`});
        shape('text', {x: to[0] + 3, y: to[1] + 4}, name);
      });
      const picked = state.picked && (compared || state.picked.cloud === cloud) ? at(state.picked.place) : null;
      if (picked) shape('circle', {cx: picked[0], cy: picked[1], r: 9});
    });
    overlay.replaceChildren(...shapes);
  }

  // All points follow when nothing has moved for a while.
  function settle() {
    clearTimeout(state.settle);
    if (state.moving_share < 1) state.settle = setTimeout(() => draw(1), 200);
  }

  // Draws what is quick now.
  function show() {
    draw(state.moving_share);
    settle();
  }

  function moved() {
    if (!state.pending) state.pending = requestAnimationFrame(() => {
      state.pending = 0;
      show();
    });
  }

  function resize() {
    const {canvas} = state, pixels = Math.min(devicePixelRatio || 1, 2);
    canvas.width = Math.max(300, Math.round(canvas.clientWidth * pixels));
    canvas.height = Math.max(200, Math.round(canvas.clientHeight * pixels));
    show();
  }

  // Finds the nearest shown point within 8 pixels of a place on the canvas (pixels, y down).
  function pick(x, y) {
    const best = {distance: 64, depth: Infinity};
    for (const [[left, , width, height], cloud] of parts_of_canvas()) {
      if (x < left || x >= left + width) continue;
      const matrix = viewer_camera.matrix(state.camera, width / height);
      const seek = (positions, kind, of) => {
        for (let i = 0; i < positions.length / 3; ++i) {
          const [u, v, w] = viewer_camera.project(matrix, positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
          const dx = left + (u + 1) / 2 * width - x, dy = (1 - v) / 2 * height - y, distance = dx * dx + dy * dy;
          if (w > 0 && distance < 64 && (w < best.depth - 2 || (w < best.depth + 2 && distance < best.distance)))
            Object.assign(best, {distance, depth: w, index: i, kind, cloud: of});
        }
      };
      seek(state.mode === 'difference' && state.compared ? state.cells.positions : cloud.points.positions,
        state.mode === 'difference' ? 'cell' : 'point', cloud);
      const other = holes_beside(cloud);
      if (state.show.holes.checked && other.view.holes.length > 0)
        seek(in_mm(other.view.holes, other.view.step_mm), 'hole', other);
    }
    return best.kind ? best : null;
  }

  // The place of what was picked, mm from the origin of its view.
  function place_of({cloud, index, kind}) {
    const three = (positions) => [...positions.slice(3 * index, 3 * index + 3)];
    return kind === 'cell' ? three(state.cells.positions) : kind === 'hole'
      ? three(cloud.view.holes).map((value) => value * cloud.view.step_mm) : three(cloud.points.positions);
  }

  // Says what was picked.
  function text_of(found) {
    if (!found) return 'Nothing there.';
    const {cloud, index} = found, name = aqbench.data.cases[cloud.index].label;
    const [per_mm, unit] = in_units(cloud) ? [0.001, 'units (free scale)'] : [1, 'mm'];
    const place = (steps) => [0, 1, 2].map((axis) => number(Number((per_mm * Number((cloud.view.origin_mm[axis] +
      steps[axis]).toFixed(2))).toPrecision(6)))).join(', ') + ' ' + unit;
    if (found.kind === 'cell') {
      const change = state.cells.errors[index];
      return Number.isNaN(change) ? `Only ${state.cells.only[index]} has points here.`
        : agrees() ? `B minus A: the images agree ${number(Number(Math.abs(change).toPrecision(3)))} ${change > 0 ? 'less' : 'more'} here.`
          : `B minus A: the mean error is ${number(Number(Math.abs(change).toPrecision(3)))} mm ${change > 0 ? 'larger' : 'smaller'} here.`;
    }
    if (found.kind === 'hole') {
      return `${name}\nhole at ${place(place_of(found))}: ${cause_texts[cloud.view.causes[index]]}`;
    }
    const mark = cloud.view.marks[cloud.points.order[index]], own = cloud.view.colours?.[cloud.points.order[index]];
    const value = cloud.points.errors[index];
    const what = cloud.view.values !== 'agreement' ? `error ${number(Number(value.toFixed(3)))} mm`
      : Number.isNaN(value) ? 'agreement not known' : `agreement of images ${number(Number(value.toFixed(2)))}`;
    return `${name}\npoint at ${place(place_of(found))}; ${what}; ` +
      `${(mark & 15) === 15 ? 'views not known' : `${mark & 15} cameras see it`}; ` +
      `${mark >> 4 === 15 ? 'no confidence' : `confidence ${((mark >> 4) / 14).toFixed(2)}`}` +
      (own === undefined ? '' : `; colour ${hex_of_code(own)}`);
  }

  return {cloud_of, shapes_of, set_colours, draw, show, moved, resize, pick, place_of, text_of, parts_of_canvas, agrees, in_units, cause_colours,
    cause_texts, get state() { return state; }, set state(value) { state = value; }};
})();
