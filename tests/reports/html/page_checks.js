// Runs inside of a page in a browser (browser_test.cc): each check becomes a line "ok NAME" or "FAIL NAME: why".
'use strict';
(() => {
  const lines = [];
  const check = (name, body) => {
    try {
      const wrong = body();
      lines.push(wrong ? `FAIL ${name}: ${wrong}` : `ok ${name}`);
    } catch (error) {
      lines.push(`FAIL ${name}: ${error.stack}`);
    }
  };
  const differ = (a, b) => JSON.stringify(a) === JSON.stringify(b) ? '' : `${JSON.stringify(a)}, not ${JSON.stringify(b)}`;
  const near = (a, b, slack) => Math.abs(a - b) <= slack ? '' : `${a}, not ${b}`;

  check('keys of cells sort numbers before text and nothing last', () => {
    const keys = [null, 'b', 10, 2, 'a'].sort((a, b) => aqbench.order_of_keys(a, b, false));
    return differ(keys, [2, 10, 'a', 'b', null]) ||
      differ([null, 1, 2].sort((a, b) => aqbench.order_of_keys(a, b, true)), [2, 1, null]);
  });
  check('filters take all words and leave out those with a minus', () =>
    differ(['flat roma', 'flat sparse', 'step roma'].filter((text) => aqbench.passes(text, 'FLAT -sparse')), ['flat roma']));
  check('tables sort and filter', () => {
    const table = document.querySelector('#cases table'), rows = () => [...table.tBodies[0].rows];
    const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.startsWith('mean error'));
    const button = table.tHead.rows[0].cells[column].querySelector('button');
    button.click();
    const rising = rows().map((row) => aqbench.cell_key(row.cells[column])).filter((key) => key !== null);
    button.click();
    const falling = rows().map((row) => aqbench.cell_key(row.cells[column])).filter((key) => key !== null);
    if (rising.length < 3 || rising.some((value, i) => i > 0 && value < rising[i - 1])) return `rising ${rising}`;
    if (differ([...falling].reverse(), rising)) return `falling ${falling}`;
    const filter = document.querySelector('#cases input[type=search]');
    filter.value = 'undulating';
    filter.dispatchEvent(new Event('input'));
    const shown = rows().filter((row) => !row.hidden).length;
    filter.value = '';
    filter.dispatchEvent(new Event('input'));
    return differ([shown, rows().length], [2, 4]);
  });
  check('a number opens its case, its definition and the command', () => {
    document.querySelector('tr[data-case^="flat_plane/roma"] td[data-metric]').click();
    const dialog = document.querySelector('dialog'), text = dialog.textContent;
    const good = dialog.open && text.includes('flat_plane/roma_like/seed=42') && text.includes('aqbench replay . --case') &&
      text.includes('accuracy_mean_mm') && dialog.querySelector('tr.here');
    dialog.close();
    return good ? '' : text.slice(0, 300);
  });
  check('a link that is no name opens nothing and breaks nothing', () =>
    differ(['%', 'a%2Fb', '50%'].map(aqbench.decoded), ['%', 'a/b', '50%']));
  check('curves', () => differ(aqbench_plots.ecdf([3, 1, 1, 2]), {x: [1, 2, 3], y: [50, 75, 100]}) ||
    differ(aqbench_plots.front([{x: 1, y: 3}, {x: 2, y: 2}, {x: 3, y: 2}, {x: 0.5, y: 9}]), [0, 1, 3]));
  check('curves are drawn', () => {
    aqbench_plots.start();
    return document.querySelectorAll('#curves .uplot').length >= 2 ? '' : 'no plots';
  });
  const bars = () => [...document.querySelectorAll('#flames .frame > button')], texts = () => bars().map(({title}) => title);
  check('the page draws the samples of two cases against each other', () => {
    aqbench_flames.show(0, 1);
    const samples = texts();
    const [changed] = document.querySelectorAll('#flames tbody tr');
    aqbench_flames.show(0, -1);
    return differ([samples, changed.textContent, texts().length], [['main: 50 samples, 100 %',
      'hot: 40 samples, 80 %', 'rest: 10 samples, 20 %', 'main: 100 samples, 100 %, +0 points', 'hot: 50 samples, 50 %, -30 points',
      'rest: 50 samples, 50 %, +30 points'], 'hot80 %50 %-30 points', 3]);
  });
  check('bars are walked by keys, zoomed and found', () => {
    const here = () => document.activeElement, press = (key) => here().dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    bars()[0].focus();
    const walk = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'ArrowRight'].map((key) => {
      press(key);
      return here().textContent;
    });
    const share = () => bars().map((bar) => Math.round(100 * bar.offsetWidth / bars()[0].offsetWidth));
    const whole = share(), said = document.querySelector('#flames output').textContent;
    here().click();
    const zoomed = [here().textContent, ...texts(), ...share()];
    press('Escape');
    const input = document.querySelector('#flames input'), found = (words) => {
      input.value = words;
      input.dispatchEvent(new Event('input'));
      return [document.querySelector('#flames .tools span').textContent, document.querySelectorAll('#flames .hit').length];
    };
    return differ([walk, whole, said, zoomed, found('RES'), found('main'), found('')], [['main', 'hot', 'hot', 'rest', 'rest', 'main', 'hot',
      'rest'], [100, 80, 20], 'rest: 10 samples, 20 %', ['rest', 'main: 50 samples, 100 %', 'rest: 10 samples, 20 %', 100, 100],
    ['1 bar, 20 %', 1], ['1 bar, 100 %', 1], ['', 0]]);
  });
  check('levels are permutations with even beginnings', () => {
    const order = [...view_data.levels(1000)];
    return differ([...order].sort((a, b) => a - b), [...Array(1000).keys()]) ||
      differ(order.slice(0, 16), [...Array(16).keys()].map((i) => 64 * i));
  });
  check('a fault lies at one place in the map of tiles and in the viewer from above', () => {
    const map = document.querySelector('svg[aria-label="map of tiles"]'), of_3_of_5 = aqbench.data.colours.signed[24];
    const red = [...map.querySelectorAll('path')].find((path) => path.getAttribute('fill') === of_3_of_5);
    const [x, y] = red.getAttribute('d').match(/M(\d+) (\d+)/).slice(1).map(Number), {width, height} = map.viewBox.baseVal;
    const camera = {...viewer_camera.start(500), ...viewer_camera.top};
    const [u, v] = viewer_camera.project(viewer_camera.matrix(camera, 500 / 300), 100, 50, 0);
    const side = (share) => Math.sign(share - 0.5);
    return differ([side((x + 0.5) / width), side((y + 0.5) / height)], [side((1 + u) / 2), side((1 - v) / 2)]) ||
      differ([x, y], [35, 20]);
  });
  const show_alone = () => {
    aqbench_viewer.start();
    const [a, b] = document.querySelectorAll('#clouds .tools select');
    [a.value, b.value] = ['0', ''];
    for (const select of [b, a]) select.dispatchEvent(new Event('change'));
  };
  check('the viewer opens on the worst case beside the best of its scene', () => {
    aqbench_viewer.start();
    const {a, b} = aqbench_viewer.state;
    return differ([a.index, b?.index], [1, 0]);
  });
  check('the dent stands at its place with its colour', () => {
      show_alone();
      const {state} = aqbench_viewer, {canvas} = state;
      Object.assign(state.camera, viewer_camera.top, {distance: 900});
      state.show.truth.checked = false;
      state.limit_mm = 5;
      aqbench_viewer.set_colours();
      const matrix = () => viewer_camera.matrix(state.camera, canvas.width / canvas.height);
      const colour_at = (x, y, z) => {
        aqbench_viewer.draw(1);
        const [u, v] = viewer_camera.project(matrix(), x, y, z);
        const rgb = state.gl.pixel(Math.round((u + 1) / 2 * canvas.width), Math.round((v + 1) / 2 * canvas.height));
        return '#' + rgb.map((part) => part.toString(16).padStart(2, '0')).join('');
      };
      const expected = (error) => aqbench.data.colours.signed[Math.floor((error + 5) / 10 * 30 + 0.5)];
      const error = view_data.error_of_code(Math.round(127 * Math.sqrt(3 / 20)), 20);
      return differ([colour_at(101, 51, -3), colour_at(111, 45, -3), colour_at(101, -49, 0), colour_at(61, 51, 0)],
        [expected(error), expected(error), expected(0), expected(0)]);
    });
  check('points have the colours of their program', () => {
      show_alone();
      const {state} = aqbench_viewer, {canvas} = state, [colour] = [...document.querySelectorAll('#clouds .tools select')]
        .filter((select) => select.options[0].value === 'error');
      Object.assign(state.camera, viewer_camera.top, {distance: 900});
      state.show.truth.checked = false;
      const kinds = () => [...colour.options].map(({value}) => value), before = kinds();
      colour.value = 'colour';
      colour.dispatchEvent(new Event('change'));
      const matrix = viewer_camera.matrix(state.camera, canvas.width / canvas.height), at = (x, y) => {
        const [u, v] = viewer_camera.project(matrix, x, y, 0);
        return [(u + 1) / 2 * canvas.width, (v + 1) / 2 * canvas.height].map(Math.round);
      };
      const pixels = [at(61, 51), at(-61, 51)].map(([x, y]) => state.gl.pixel(x, y));
      const [x, y] = at(-61, 51), text = aqbench_viewer.text_of(aqbench_viewer.pick(x, canvas.height - y));
      // 130 of 255 is 32.1 of 63, and that is stored as 32: 129.5 of 255.
      const wrong = differ(pixels[1], [255, 0, 0]) || near(pixels[0][1], 129.5, 0.6) || differ([pixels[0][0], pixels[0][2]],
        [0, 0]) || (text.includes('colour #ff0000') ? '' : text);
      const [, b] = document.querySelectorAll('#clouds .tools select'), a = document.querySelector('#clouds .tools select');
      a.value = '1';
      a.dispatchEvent(new Event('change'));
      const without = [kinds(), state.colour_by];
      b.value = '0';  // one of two is enough
      b.dispatchEvent(new Event('change'));
      const with_b = kinds();
      [a.value, b.value] = ['0', ''];  // as it was
      for (const select of [a, b]) select.dispatchEvent(new Event('change'));
      return wrong || differ([before, ...without, with_b], [['error', 'confidence', 'views', 'colour'],
        ['error', 'confidence', 'views'], 'error', ['error', 'confidence', 'views', 'colour']]);
    });
  check('picking a point tells its error', () => {
    const {state} = aqbench_viewer, {canvas} = state;
    const [u, v] = viewer_camera.project(viewer_camera.matrix(state.camera, canvas.width / canvas.height), 101, 51, -3);
    const text = aqbench_viewer.text_of(aqbench_viewer.pick((u + 1) / 2 * canvas.width, (1 - v) / 2 * canvas.height));
    return /error (2.9|3)\d* mm; 3 cameras see it; confidence 0.50/.test(text) ? '' : text;
  });
  check('a picked point is shown in the photographs that show it', () => {
    const [cloud, other] = [0, 1].map(aqbench_viewer.cloud_of), strip = document.createElement('div');
    viewer_rig.show_sightings(strip, {cloud, place: [101, 51, -3]});
    // 500 px / 997 mm from the middle, half as large in the photograph.
    const [x, y] = [200 + 500 * 101 / 997, 150 + 500 * 51 / 997], path = strip.querySelector('path').getAttribute('d');
    const [, left, right] = path.match(/^M([\d.]+) ([\d.]+)/).map(Number), {width} = strip.querySelector('svg').viewBox.baseVal;
    const texts = [strip.querySelectorAll('figure').length, strip.textContent];
    viewer_rig.show_sightings(strip, {cloud: other, place: [101, 51, -3]});  // its bundle has no photographs
    texts.push(strip.textContent);
    viewer_rig.show_sightings(strip, {cloud, place: [101, 51, 60]});
    texts.push(strip.textContent);
    viewer_rig.show_sightings(strip, {cloud, place: [9999, 0, 0]});
    return differ([...texts, strip.textContent, width], [1, `cam00 (${Math.round(x)}, ${Math.round(y)})`,
      `In the image of cam00 (${Math.round(x)}, ${Math.round(y)}).`, 'cam00 (248, 174)', 'In the image of no camera.', 200]) ||
      near(left, (x + 0.5) / 2 + 200 / 64, 0.1) || near(right, (y + 0.5) / 2, 0.1);
  });
  check('a photograph opens large, and keys show the next one', () => {
    const strip = aqbench_viewer.state.parts.sightings, cloud = aqbench_viewer.cloud_of(0), dialog = () => document.querySelector('dialog.photograph');
    viewer_rig.show_sightings(strip, {cloud, place: [-50, 51, 0]});
    const [first, second] = strip.querySelectorAll('button'), press = (key) => dialog().dispatchEvent(new KeyboardEvent('keydown', {key}));
    const shown = () => dialog().querySelector('figcaption').textContent;
    first.focus();
    first.click();
    const texts = [dialog().open, shown(), dialog().querySelectorAll('svg path').length], {width, height} = dialog().querySelector('svg').getBoundingClientRect();
    press('ArrowRight');
    texts.push(shown());
    press('ArrowRight');
    press('ArrowLeft');
    texts.push(shown());
    press('x');
    dialog().close();
    const back = document.activeElement === first, {id} = dialog() ?? {};
    dialog().dispatchEvent(new Event('close'));
    const cam00 = 'cam00 (175, 176), 1 of 2, at 1/2 of its size', cam01 = 'cam01 (375, 176), 2 of 2, at 1/2 of its size';
    const wrong = differ([...texts, back, id, dialog(), document.activeElement === second], [true, cam00, 2, cam01, cam01, true, '', null, true]);
    viewer_rig.show_sightings(strip, null);
    return wrong || near(width / height, 4 / 3, 0.01) || (width > 400 ? '' : `${width} px wide`);
  });
  check('a surface hides what is behind it from a camera', () => {
    const ridge = [0, -75, -150, -75, 0], scene = {cameras: [{name: 'c', centre_mm: [-100, 0, -100], size_px: [100, 100], nodes: [4, 4]}],
      truth: {columns: 5, rows: 2, x_mm: [-100, 100], y_mm: [-50, 50], z_steps: [...ridge, ...ridge].map((mm) => mm / 0.02)}};
    // A grid of rays from the centre to a square at x = 0 and a square at x = 200, 200 and 400 mm wide.
    const rays = [1, 3].flatMap((times) => Array.from({length: 16}, (_, node) => [-100 + 100 * times,
      times * (-100 + 200 / 3 * (node % 4)), -100 + times * (-100 + 200 / 3 * Math.floor(node / 4))]).flat()).map((mm) => mm / 0.02);
    const cloud = {index: 0, view: {scene, step_mm: 0.02, rays: Int32Array.from(rays)}};
    return differ([[100, 0, 0], [100, 0, -200], [-50, 0, -75]].map((place) => {
      const {seen, hidden} = viewer_rig.sightings_of(cloud, place);
      return [seen.length, hidden];
    }), [[0, ['c']], [1, []], [1, []]]);
  });
  check('a photograph is drawn on triangles', () => {
    const {state} = aqbench_viewer, {canvas, gl} = state, texture = {width: 2, height: 1, words: new Uint32Array([0xff0000ff, 0xff00ff00])};
    const shape = {positions: new Float32Array([-100, -50, 0, 100, -50, 0, -100, 50, 0, 100, 50, 0]), places: [0, 0, 2, 0, 0, 1, 2, 1],
      indices: [0, 1, 2, 1, 3, 2], count: 6, values: null};
    const matrix = viewer_camera.matrix({...viewer_camera.start(500), ...viewer_camera.top}, canvas.width / canvas.height);
    gl.wipe();
    gl.begin([0, 0, canvas.width, canvas.height], matrix);
    gl.draw(shape, 'TRIANGLES', {texture});
    return differ([-50, 50, 150].map((x) => {
      const [u, v] = viewer_camera.project(matrix, x, 20, 0);
      return gl.pixel(Math.round((u + 1) / 2 * canvas.width), Math.round((v + 1) / 2 * canvas.height));
    }), [[255, 0, 0], [0, 255, 0], [32, 36, 42]]);
  });
  check('beside B minus A the holes of B are drawn and picked', () => {
    const {state} = aqbench_viewer, {canvas} = state;
    if (state.show.holes.checked) return 'holes of a cloud that covers 21 % are on';
    state.show.holes.checked = true;
    aqbench_viewer.compare(0, 1);
    Object.assign(state.camera, viewer_camera.top, {distance: 900});
    aqbench_viewer.draw(1);
    const [u, v] = viewer_camera.project(viewer_camera.matrix(state.camera, canvas.width / canvas.height), -100, 50, -3);
    const rgb = state.gl.pixel(Math.round((u + 1) / 2 * canvas.width), Math.round((v + 1) / 2 * canvas.height));
    const colour = '#' + rgb.map((part) => part.toString(16).padStart(2, '0')).join('');
    const text = aqbench_viewer.text_of(aqbench_viewer.pick((u + 1) / 2 * canvas.width, (1 - v) / 2 * canvas.height));
    show_alone();
    return differ(colour, aqbench_viewer.cause_colours[4]) ||
      (text.includes(aqbench.data.cases[1].label) && text.includes('filtering dropped') ? '' : text);
  });
  check('the viewer offers what its clouds have, and a scale that their errors fill', () => {
    const {state, shapes_of} = aqbench_viewer, shapes = shapes_of(state.a), offered = (name) => !state.show[name].parentElement.hidden;
    return differ(['mesh', 'truth', 'holes', 'rig'].map(offered), ['mesh', 'truth', 'holes', 'cameras'].map((name) => Boolean(shapes[name]))) ||
      (state.limit_mm < 20 ? '' : `± ${state.limit_mm} mm`);
  });
  check('the page says what became of a mesh', () => {
    const text = (mesh, corners) => aqbench_viewer.mesh_text({scene: {mesh}, triangles: Array(corners)});
    return differ([text(undefined, 0), text({triangles: 9, kept: 9, moved_mm: 0}, 27)], ['', ', mesh of 9 triangles']) ||
      (text({triangles: 900, kept: 0}, 0).includes('--keep-clouds') ? '' : 'not kept') ||
      (text({triangles: 900, kept: 9, moved_mm: 0.4}, 0).includes('no room') ? '' : 'no room') ||
      (text({triangles: 900, kept: 9, moved_mm: 0.4}, 27).includes('simplified to 9: no vertex was moved by more than 0.4 mm')
        ? '' : 'simplified');
  });
  check('B minus A is where they differ', () => {
    const side = (error) => ({count: 2, positions: new Float32Array([0.5, 0.5, 0, 5.5, 0.5, 0]),
      errors: new Float32Array([1, error])});
    const {errors, positions} = view_data.difference(side(1), side(-3), 1);
    return differ([[...errors], positions[0], positions[3]], [[0, 2], 0.5, 5.5]);
  });
  check('nothing is wider than the page', () => {
    const width = document.documentElement.clientWidth;
    return document.documentElement.scrollWidth <= width ? '' : `${document.documentElement.scrollWidth} > ${width}`;
  });
  const report = document.createElement('pre');
  report.id = 'checks';
  report.textContent = lines.join('\n');
  document.body.append(report);
})();
