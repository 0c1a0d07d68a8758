// Draws points, lines and triangles, each coloured by one number through a palette. No device is needed: a picture is the same on
// every machine, and a program that takes a device's place would need microseconds for each point.
'use strict';
const viewer_draw = (() => {
  const background = 0xff2a2420, grey = 0xff808080;  // ABGR
  const near = 1e-3;
  const word_of = (rgb) => (255 << 24 | rgb[2] << 16 | rgb[1] << 8 | rgb[0]) >>> 0;

  // Returns what draws on a canvas.
  function painter(canvas) {
    const context = canvas.getContext('2d', {alpha: false});
    let picture = null, words = null, nearness = null;  // nearness: 1 / distance along the view
    let palette = new Uint32Array(1), palettes = 0, part = [0, 0, 1, 1], m = null;

    // Takes what is drawn. `values` may be null for what has one colour.
    const load = (positions, values, indices = null) => ({positions, values, indices,
      count: indices ? indices.length : positions.length / 3});

    function recolour(shape, values) {
      shape.values = values;
      shape.words = null;
    }

    // Takes colours as "#rrggbb".
    function set_palette(colours) {
      palette = Uint32Array.from(colours, (hex) => word_of([1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))));
      ++palettes;  // what was coloured by another palette is coloured anew
    }

    // Leaves nothing of the last picture.
    function wipe() {
      if (picture?.width !== canvas.width || picture.height !== canvas.height) {
        picture = context.createImageData(canvas.width, canvas.height);
        words = new Uint32Array(picture.data.buffer);
        nearness = new Float32Array(words.length);
      }
      words.fill(background);
      nearness.fill(0);
    }

    // Begins a picture in a part of the canvas: x, y, width, height in pixels, y up.
    function begin([left, bottom, width, height], world_to_clip) {
      part = [left, canvas.height - bottom - height, width, height];
      m = world_to_clip;
    }

    // The colours of all values of 16 bits: five of red, six of green, five of blue.
    let words_of_codes = null;
    const all_codes = () => words_of_codes ??= Uint32Array.from({length: 65536}, (_, code) =>
      word_of([[code >> 11, 31], [code >> 5 & 63, 63], [code & 31, 31]].map(([level, most]) => Math.round(level * 255 / most))));

    // The colour of each vertex by the palette, or of its value itself, kept until values, range or palette change.
    function words_of(shape, [low, high], direct) {
      const key = `${low} ${high} ${palettes} ${direct}`;
      if (shape.words && shape.key === key) return shape.words;
      const {values} = shape, last = palette.length - 1, scale = last / (high - low), own = direct ? all_codes() : null;
      const at = (value) => Math.floor((value - low) * scale + 0.5);
      const word_of_value = own ? (value) => own[value] ?? grey
        : (value) => palette[Math.min(last, Math.max(0, at(value)))] ?? grey;
      shape.words = new Uint32Array(values.length);
      for (let i = 0; i < values.length; ++i) shape.words[i] = word_of_value(values[i]);
      shape.key = key;
      return shape.words;
    }

    // Returns [x, y, w] of a vertex: pixels of the canvas with y down, distance along the view.
    function place(p, i) {
      const [u, v, w] = viewer_camera.project(m, p[3 * i], p[3 * i + 1], p[3 * i + 2]);
      return [part[0] + (1 + u) / 2 * part[2], part[1] + (1 - v) / 2 * part[3], w];
    }

    function points(shape, count, fixed, colours, size, least) {
      const p = shape.positions, [left, top, width, height] = part, right = left + width, low = top + height;
      const across = canvas.width;
      for (let i = 0; i < count; ++i) {
        const x = p[3 * i], y = p[3 * i + 1], z = p[3 * i + 2], w = m[3] * x + m[7] * y + m[11] * z + m[15];
        if (!(w > near)) continue;
        const u = (m[0] * x + m[4] * y + m[8] * z + m[12]) / w, v = (m[1] * x + m[5] * y + m[9] * z + m[13]) / w;
        if (u < -1 || u > 1 || v < -1 || v > 1) continue;
        const half = Math.min(64, Math.max(least, size / w)) / 2, one_by_w = Math.fround(1 / w);
        const cx = left + (1 + u) / 2 * width, cy = top + (1 - v) / 2 * height, word = colours ? colours[i] : fixed;
        const x0 = Math.max(left, Math.ceil(cx - half - 0.5)), x1 = Math.min(right, Math.ceil(cx + half - 0.5));
        const y0 = Math.max(top, Math.ceil(cy - half - 0.5)), y1 = Math.min(low, Math.ceil(cy + half - 0.5));
        for (let row = y0; row < y1; ++row)
          for (let at = row * across + x0, end = row * across + x1; at < end; ++at)
            if (one_by_w > nearness[at]) {
              nearness[at] = one_by_w;
              words[at] = word;
            }
      }
    }

    // Sets one pixel if it is in the part and in front of what stands there.
    function dot(x, y, one_by_w, word) {
      const column = Math.floor(x), row = Math.floor(y);
      if (column < part[0] || column >= part[0] + part[2] || row < part[1] || row >= part[1] + part[3]) return;
      const at = row * canvas.width + column;
      if (one_by_w <= nearness[at]) return;
      nearness[at] = one_by_w;
      words[at] = word;
    }

    function lines(shape, count, word) {
      for (let i = 0; i + 1 < count; i += 2) {
        const a = place(shape.positions, i), b = place(shape.positions, i + 1);
        if (!(a[2] > near && b[2] > near)) continue;
        const steps = Math.min(8000, Math.ceil(Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]), 1)));
        for (let step = 0; step <= steps; ++step) {
          const t = step / steps;
          dot(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), (1 - t) / a[2] + t / b[2], word);
        }
      }
    }

    // The pixel of a texture at a place in a triangle, by the places of its corners in the texture.
    function texel({width, height, words: of}, {places, indices}, i, s, t) {
      const [x, y] = [0, 1].map((axis) => Math.floor((1 - s - t) * places[2 * indices[i] + axis] + s * places[2 * indices[i + 1] + axis] +
        t * places[2 * indices[i + 2] + axis]));
      return of[Math.min(height - 1, Math.max(0, y)) * width + Math.min(width - 1, Math.max(0, x))];
    }

    // Each in the colour of its last corner, or with a texture.
    function triangles(shape, count, fixed, colours, texture) {
      const corners = new Float32Array(shape.positions.length);
      for (let i = 0; i < corners.length / 3; ++i) corners.set(place(shape.positions, i), 3 * i);
      const corner = (i) => corners.subarray(3 * shape.indices[i], 3 * shape.indices[i] + 3);
      for (let i = 0; i + 2 < count; i += 3) {
        const a = corner(i), b = corner(i + 1), c = corner(i + 2);
        const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if (!(a[2] > near && b[2] > near && c[2] > near) || area === 0) continue;
        const x0 = Math.max(part[0], Math.floor(Math.min(a[0], b[0], c[0])));
        const x1 = Math.min(part[0] + part[2] - 1, Math.ceil(Math.max(a[0], b[0], c[0])));
        const y0 = Math.max(part[1], Math.floor(Math.min(a[1], b[1], c[1])));
        const y1 = Math.min(part[1] + part[3] - 1, Math.ceil(Math.max(a[1], b[1], c[1])));
        for (let y = y0; y <= y1; ++y)
          for (let x = x0; x <= x1; ++x) {
            const dx = x + 0.5 - a[0], dy = y + 0.5 - a[1];
            const s = (dx * (c[1] - a[1]) - dy * (c[0] - a[0])) / area;
            const t = (dy * (b[0] - a[0]) - dx * (b[1] - a[1])) / area;
            if (s >= 0 && t >= 0 && s + t <= 1)
              dot(x, y, (1 - s - t) / a[2] + s / b[2] + t / c[2], texture ? texel(texture, shape, i, s, t)
                : colours ? colours[shape.indices[i + 2]] : fixed);
          }
      }
    }

    // Draws the first `count` of a shape. `colour` is [r, g, b] or null for the palette; with `direct` the values are
    // colours of 16 bits. A texture, {width, height, words}, stands in place of colours.
    function draw(shape, mode, {count = shape.count, colour = null, range = [0, 1], size = 0, least = 1, direct = false, texture = null} = {}) {
      const fixed = colour ? word_of(colour.map((share) => Math.round(255 * share))) : 0;
      const colours = colour || texture ? null : words_of(shape, range, direct);
      if (mode === 'POINTS') points(shape, count, fixed, colours, size, least);
      else if (mode === 'LINES') lines(shape, count, fixed);
      else triangles(shape, count, fixed, colours, texture);
    }

    // Returns the colour of a pixel, y up.
    function pixel(x, y) {
      const at = 4 * ((canvas.height - 1 - y) * canvas.width + x);
      return [...picture.data.subarray(at, at + 3)];
    }

    // Shows the picture, darker behind edges: where a neighbour stands nearer than a pixel by more than the slope of a surface.
    function finish() {
      const across = canvas.width, shaded = new ImageData(new Uint8ClampedArray(picture.data), across, canvas.height);
      for (let at = across; at < words.length - across; ++at) {
        const own = nearness[at];
        if (own === 0) continue;
        const near = Math.max(nearness[at - 1], nearness[at + 1], nearness[at - across], nearness[at + across]);
        const light = Math.max(0.5, 1 - 12 * Math.max(0, near / own - 1.004));
        if (light < 1) for (let part = 4 * at; part < 4 * at + 3; ++part) shaded.data[part] *= light;
      }
      context.putImageData(shaded, 0, 0);
    }

    return {load, recolour, set_palette, wipe, begin, draw, pixel, finish};
  }

  return {painter};
})();
