// Reads the views of clouds that a page holds (harness/viewing/cloud_view.h says how they are written).
'use strict';
const view_data = (() => {
  // Returns the bytes of a base64 text.
  function bytes_of(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
    return bytes;
  }

  // Reads `count` values of zigzag varints, each a difference from the one `apart` before it.
  function differences(bytes, at, count, apart, out) {
    let {place} = at;
    for (let i = 0; i < count; ++i) {
      let shift = 0, zigzag = 0, byte;
      do {
        byte = bytes[place++];
        zigzag |= (byte & 127) << shift;
        shift += 7;
      } while (byte > 127);
      const difference = (zigzag >>> 1) ^ -(zigzag & 1);
      out[i] = i < apart ? difference : out[i - apart] + difference;
    }
    at.place = place;
    return out;
  }

  // Reads one view. Throws where the bytes are none.
  function decode(bytes) {
    const first = bytes.indexOf(10), second = bytes.indexOf(10, first + 1);
    const text = new TextDecoder();
    if (text.decode(bytes.subarray(0, first)) !== 'aqbench-view 1') throw new Error('no view of a cloud');
    const header = JSON.parse(text.decode(bytes.subarray(first + 1, second)));
    const at = {place: second + 1};
    const grid = (count) => differences(bytes, at, 3 * count, 3, new Int32Array(3 * count));
    const plain = (Type, count) => {
      const part = bytes.slice(at.place, at.place + count);
      at.place += count;
      return new Type(part.buffer);
    };
    const view = {...header, count: header.points};
    view.positions = grid(header.points);
    view.codes = plain(Int8Array, header.points);
    view.marks = plain(Uint8Array, header.points);
    if (header.colours) {
      const halves = plain(Uint8Array, 2 * header.points);
      view.colours = new Uint16Array(header.points);
      for (let i = 0; i < header.points; ++i) view.colours[i] = halves[2 * i] | halves[2 * i + 1] << 8;
    }
    view.holes = grid(header.holes);
    view.causes = plain(Uint8Array, header.holes);
    view.vertices = grid(header.vertices);
    view.vertex_codes = plain(Int8Array, header.vertices);
    view.triangles = differences(bytes, at, 3 * header.triangles, 1, new Uint32Array(3 * header.triangles));
    view.rays = grid(header.rays ?? 0);
    if (at.place !== bytes.length) throw new Error('no view of a cloud: wrong length');
    return view;
  }

  // Returns the error of a code, mm.
  const error_of_code = (code, full_mm) => Math.sign(code) * full_mm * (code / 127) ** 2;

  // Returns what a code of a view is: an error in mm, of a cloud without a truth the agreement of images, -1 to 1.
  const value_of_code = (view) => view.values === 'agreement' ? (code) => code === -128 ? NaN : code / 127
    : (code) => error_of_code(code, view.error_mm);

  // Returns an order in which every beginning is an even choice: each 64th index, then each 32nd, and so on.
  function levels(count) {
    const order = new Uint32Array(count);
    let place = 0;
    for (let index = 0; index < count; index += 64) order[place++] = index;
    for (let stride = 64; stride > 1; stride /= 2)
      for (let index = stride / 2; index < count; index += stride) order[place++] = index;
    return order;
  }

  // Returns positions in mm and errors in mm (of a cloud without a truth the agreement of images, -1 to 1), in the order
  // of levels(), and that order.
  function points_of(view) {
    const order = levels(view.count);
    const positions = new Float32Array(3 * view.count), errors = new Float32Array(view.count);
    const table = new Float32Array(256);
    const value_of = value_of_code(view);
    for (let code = -128; code < 128; ++code) table[code + 128] = value_of(code);
    for (let i = 0; i < view.count; ++i) {
      const from = order[i];
      for (let axis = 0; axis < 3; ++axis) positions[3 * i + axis] = view.positions[3 * from + axis] * view.step_mm;
      errors[i] = table[view.codes[from] + 128];
    }
    return {positions, errors, order, count: view.count};
  }

  // Returns B minus A on cells of `cell_mm`: by how much B is worse, its mean absolute error larger or, with
  // `agreement`, its mean agreement smaller, where both have points; NaN where only one has.
  function difference(a, b, cell_mm, agreement = false) {
    const cells = new Map();
    [a, b].forEach((side, which) => {
      for (let i = 0; i < side.count; ++i) {
        const column = Math.floor(side.positions[3 * i] / cell_mm), row = Math.floor(side.positions[3 * i + 1] / cell_mm);
        const key = (column + 65536) * 131072 + row + 65536;
        let cell = cells.get(key);
        if (!cell) cells.set(key, cell = {column, row, sum: [0, 0], count: [0, 0], z: 0});
        if (Number.isNaN(side.errors[i])) continue;
        cell.sum[which] += agreement ? -side.errors[i] : Math.abs(side.errors[i]);
        ++cell.count[which];
        cell.z += side.positions[3 * i + 2];
      }
    });
    const positions = [], errors = [], only = [];
    for (const {column, row, sum, count, z} of cells.values()) {
      positions.push((column + 0.5) * cell_mm, (row + 0.5) * cell_mm, z / (count[0] + count[1]));
      errors.push(count[0] > 0 && count[1] > 0 ? sum[1] / count[1] - sum[0] / count[0] : NaN);
      only.push(count[1] === 0 ? 'A' : count[0] === 0 ? 'B' : '');
    }
    return {positions: new Float32Array(positions), errors: new Float32Array(errors), only, count: errors.length};
  }

  // Returns the height of the true surface at a place, mm; `otherwise` where none is known there.
  function height_at(view, x, y, otherwise) {
    const truth = view.scene?.truth;
    if (!truth) return otherwise;
    const u = (x - truth.x_mm[0]) / (truth.x_mm[1] - truth.x_mm[0]) * (truth.columns - 1);
    const v = (y - truth.y_mm[0]) / (truth.y_mm[1] - truth.y_mm[0]) * (truth.rows - 1);
    const column = Math.min(truth.columns - 2, Math.max(0, Math.floor(u))), row = Math.min(truth.rows - 2, Math.max(0, Math.floor(v)));
    const s = Math.min(1, Math.max(0, u - column)), t = Math.min(1, Math.max(0, v - row));
    const at = (i, k) => truth.z_steps[(row + k) * truth.columns + column + i] * view.step_mm;
    return (1 - t) * ((1 - s) * at(0, 0) + s * at(1, 0)) + t * ((1 - s) * at(0, 1) + s * at(1, 1));
  }

  // Returns squares of `side_mm` around places (x, y, z each), which lie on the true surface where one is known, `lift_mm`
  // above it: corners and the indices of their triangles.
  function squares(view, places, side_mm, lift_mm) {
    const count = places.length / 3, positions = new Float32Array(12 * count), indices = new Uint32Array(6 * count);
    for (let i = 0; i < count; ++i) {
      for (let corner = 0; corner < 4; ++corner) {
        const x = places[3 * i] + side_mm * (corner % 2 - 0.5), y = places[3 * i + 1] + side_mm * ((corner >> 1) - 0.5);
        positions.set([x, y, height_at(view, x, y, places[3 * i + 2]) - lift_mm], 12 * i + 3 * corner);
      }
      indices.set([0, 1, 3, 0, 3, 2].map((corner) => 4 * i + corner), 6 * i);
    }
    return {positions, indices};
  }

  // Returns the box of a cloud without its farthest two percent to each side: [[x, x], [y, y], [z, z]].
  function box_of(positions) {
    return [0, 1, 2].map((axis) => {
      const values = Float32Array.from({length: positions.length / 3}, (_, i) => positions[3 * i + axis]).sort();
      return values.length === 0 ? [-1, 1] : [0.02, 0.98].map((share) => values[Math.floor(share * (values.length - 1))]);
    });
  }

  return {height_at, squares, box_of, bytes_of, decode, error_of_code, value_of_code, levels, points_of, difference};
})();
