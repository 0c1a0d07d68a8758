// The cameras of the 3D view: their photographs stand in their frusta, and a picked point is shown in each photograph that
// shows it. No formula of lenses or water is needed: the view has their rays (view_rays.js).
'use strict';
const viewer_rig = (() => {
  const {make, draw} = aqbench;
  const most_shown = 12;  // photographs in a strip
  const textures = new Map();

  // The photograph of a camera in a case: the text of its JPEG in base64, and how many pixels of the image one of its is wide.
  function photograph_of(index, camera) {
    const {cases, photographs} = aqbench.data, [block, every_px] = photographs?.[cases[index].name]?.[camera] ?? [];
    const holder = document.getElementById('photograph-' + block);
    return holder && {id: holder.id, url: 'data:image/jpeg;base64,' + holder.textContent, every_px};
  }

  // Returns the pixels of a photograph, {width, height, words}; null until it is decoded, after which `then` is called.
  function texture_of({id, url}, then) {
    if (textures.has(id)) return textures.get(id);
    textures.set(id, null);
    const image = new Image();
    image.onload = () => {
      const {width, height} = image, context = make('canvas', {width, height}).getContext('2d');
      context.drawImage(image, 0, 0);
      textures.set(id, {width, height, words: new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)});
      then();
    };
    image.src = url;
    return null;
  }

  const {minus, dot} = view_rays;
  const distance = (a, b) => Math.hypot(...minus(a, b));
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

  // How long frusta are, mm: a part of the way to the scene, and so short that neighbours leave each other room.
  function frustum_length(cameras) {
    const ways = cameras.map((camera) => {
      const {nodes: [columns, rows], centre_mm} = camera, ray = view_rays.ray_at(camera, (columns - 1) / 2, (rows - 1) / 2);
      return distance(centre_mm, [0, 1, 2].map((axis) => (ray[axis] + ray[3 + axis]) / 2));
    }).filter(Number.isFinite);
    const way = ways.length > 0 ? median(ways) : 300;
    const gaps = cameras.map(({centre_mm}) => Math.min(...cameras.map((other) => distance(centre_mm, other.centre_mm)).filter((gap) => gap > 0)));
    return Math.max(0.04 * way, Math.min(0.15 * way, 0.5 * median(gaps)));
  }

  // The end of a camera's frustum, [x, y, z] for each node, NaN where it has no ray: flat, but for what a wide lens sees more
  // than 37 degrees beside its middle.
  function end_of(camera, length) {
    const {nodes: [columns, rows], centre_mm, near, far} = camera, middle = view_rays.ray_at(camera, (columns - 1) / 2, (rows - 1) / 2);
    const unit = (part) => part.map((value) => value / Math.hypot(...part)), axis = unit(minus(middle.slice(3), centre_mm));
    const end = new Float32Array(3 * columns * rows).fill(NaN);
    for (let node = 0; node < end.length; node += 3) {
      if (Number.isNaN(near[node])) continue;
      const towards = unit(minus(far.subarray(node, node + 3), centre_mm));
      const ahead = Math.max(0.8, dot(towards, axis)) || 1;  // NaN: the middle has no ray
      towards.forEach((value, i) => end[node + i] = centre_mm[i] + length * value / ahead);
    }
    return end;
  }

  // The edges of a frustum: to its corners, and around its end.
  function edges_of({centre_mm, nodes: [columns, rows]}, end) {
    const lines = [], at = (node) => end.subarray(3 * node, 3 * node + 3);
    for (let node = 0; node < columns * rows; ++node) {
      const column = node % columns, row = Math.floor(node / columns), beside = column % (columns - 1) === 0, above = row % (rows - 1) === 0;
      if (above && column + 1 < columns) lines.push(...at(node), ...at(node + 1));
      if (beside && row + 1 < rows) lines.push(...at(node), ...at(node + columns));
      if (above && beside) lines.push(...centre_mm, ...at(node));
    }
    return lines;
  }

  // The end of a frustum as triangles with the photograph's pixels at their corners.
  function picture_of({nodes: [columns, rows], size_px: [width, height]}, end, every_px) {
    const indices = [], places = [];
    for (let node = 0; node < columns * rows; ++node) {
      const column = node % columns, row = Math.floor(node / columns);
      places.push((column / (columns - 1) * (width - 1) + 0.5) / every_px, (row / (rows - 1) * (height - 1) + 0.5) / every_px);
      if (column > 0 && row > 0) indices.push(node - columns - 1, node - columns, node, node - columns - 1, node, node - 1);
    }
    return {positions: end, places: Float32Array.from(places), indices, count: indices.length, values: null};
  }

  // Returns what is drawn of the cameras of a cloud: lines, and pictures with their photographs.
  function shapes_of({index, view}) {
    const cameras = view_rays.cameras_of(view), length = frustum_length(cameras), lines = [], pictures = [];
    for (const camera of cameras) {
      const end = end_of(camera, length), photograph = photograph_of(index, camera.name);
      lines.push(...edges_of(camera, end));
      if (photograph) pictures.push({shape: picture_of(camera, end, photograph.every_px), photograph});
    }
    return {lines: new Float32Array(lines), pictures};
  }

  // Draws the photographs; what is not decoded yet follows.
  function draw_pictures(gl, pictures, again) {
    for (const {shape, photograph} of pictures) {
      const texture = texture_of(photograph, again);
      if (texture) gl.draw(shape, 'TRIANGLES', {texture});
    }
  }

  // Whether the true surface, where it is known as heights, lies between a place and the camera that shows it there.
  function is_hidden(view, place, {ray, t}) {
    const {truth} = view.scene, [[x0, x1], [y0, y1]] = [truth.x_mm, truth.y_mm], cell_mm = (x1 - x0) / (truth.columns - 1);
    const along = [0, 1, 2].map((axis) => ray[3 + axis] - ray[axis]), step = 0.5 * cell_mm / Math.hypot(...along);
    const lift = Math.max(0, place[2] - view_data.height_at(view, place[0], place[1], place[2]));
    for (let at = t - 2 * step; at > t - 1000 * step; at -= step) {
      const [x, y, z] = along.map((value, axis) => ray[axis] + at * value);
      if (x < x0 || x > x1 || y < y0 || y > y1) return false;
      if (z - lift > view_data.height_at(view, x, y, z) + 0.5 * cell_mm) return true;
    }
    return false;
  }

  // Returns the cameras whose images show a place of a cloud, with its pixel, and the names of those that the surface hides.
  function sightings_of({index, view}, place) {
    const seen = [], hidden = [];
    for (const camera of view_rays.cameras_of(view)) {
      const pixel = view_rays.pixel_of(camera, place);
      if (!pixel) continue;
      if (view.scene.truth && is_hidden(view, place, pixel)) hidden.push(camera.name);
      else seen.push({camera, pixel, text: `${camera.name} (${Math.round(pixel.x)}, ${Math.round(pixel.y)})`,
        photograph: photograph_of(index, camera.name)});
    }
    return {seen, hidden};
  }

  // A photograph with a cross at the pixel.
  function picture_with_cross({camera: {size_px: [width, height]}, pixel, text, photograph: {url, every_px}}) {
    const [w, h] = [Math.floor(width / every_px), Math.floor(height / every_px)], arm = w / 16;
    const [x, y] = [(pixel.x + 0.5) / every_px, (pixel.y + 0.5) / every_px];
    const d = [[1, 0], [-1, 0], [0, 1], [0, -1]].map(([a, b]) => `M${x + a * arm / 4} ${y + b * arm / 4}l${a * arm} ${b * arm}`).join('');
    return draw('svg', {viewBox: `0 0 ${w} ${h}`, style: `--ratio:${w / h}`, role: 'img', 'aria-label': `the point in the image of ${text}`},
      draw('image', {href: url, width: w, height: h}), draw('path', {d, class: 'under'}), draw('path', {d}));
  }

  // Opens a photograph of a strip large; arrow keys and buttons show the ones beside it.
  function enlarge(strip, shown, place) {
    const figure = make('figure'), step = (by) => {
      place = (place + by + shown.length) % shown.length;
      const {text, photograph: {every_px}} = shown[place];
      figure.replaceChildren(picture_with_cross(shown[place]), make('figcaption', {'aria-live': 'polite'}, make('b', {}, text),
        (shown.length > 1 ? `, ${place + 1} of ${shown.length}` : '') + (every_px > 1 ? `, at 1/${every_px} of its size` : '')));
    };
    const button = (text, onclick) => make('button', {type: 'button', onclick}, text);
    const dialog = make('dialog', {class: 'photograph', 'aria-label': 'photograph', onkeydown: ({key}) => step({ArrowLeft: -1, ArrowRight: 1}[key] ?? 0),
      onclose: () => {
        dialog.remove();
        strip.querySelectorAll('button')[place]?.focus();
      }}, figure, make('div', {class: 'tools'},
      ...shown.length > 1 ? [button('\u2190 previous', () => step(-1)), button('next \u2192', () => step(1))] : [], button('close (Esc)', () => dialog.close())));
    step(0);
    document.body.append(dialog);
    dialog.showModal();
  }

  // Fills the strip below the text of a picked place; empties it without one.
  function show_sightings(strip, found) {
    const {cloud, place} = found ?? {};
    strip.replaceChildren();
    if (!cloud || view_rays.cameras_of(cloud.view).length === 0) return;
    const {seen, hidden} = sightings_of(cloud, place), pictured = seen.filter(({photograph}) => photograph);
    const shown = pictured.slice(0, most_shown), others = seen.filter((one) => !shown.includes(one)).map(({text}) => text);
    const words = [seen.length + hidden.length === 0 ? 'In the image of no camera.' : others.length === 0 ? ''
      : `${shown.length > 0 ? 'Also in' : 'In'} the ${others.length === 1 ? 'image' : 'images'} of ${others.join(', ')}.`,
    hidden.length > 0 ? `The true surface hides it from ${hidden.join(', ')}.` : '',
    seen.length > 0 && !cloud.view.scene.truth ? 'Whether something stands in front of it is not tested.' : ''].filter(Boolean).join(' ');
    const figures = shown.map((one, place) => make('figure', {}, make('button', {type: 'button', title: 'enlarge', 'aria-haspopup': 'dialog',
      onclick: () => enlarge(strip, shown, place)}, picture_with_cross(one)), make('figcaption', {}, one.text)));
    strip.append(...figures, ...words ? [make('p', {class: 'dim'}, words)] : []);
  }

  return {shapes_of, draw_pictures, sightings_of, show_sightings};
})();
