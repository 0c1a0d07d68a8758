// Where cameras show a point: by the rays that a view has of each of them (harness/viewing/camera_rays.h), whatever bends them.
'use strict';
const view_rays = (() => {
  // Returns the cameras of a view that have rays: two points of each node's ray, `near` and `far`, mm; NaN where there is none.
  function cameras_of(view) {
    let at = 0;
    return (view.rays.length > 0 && view.scene?.cameras || []).filter(({nodes}) => nodes).map((camera) => {
      const count = 3 * camera.nodes[0] * camera.nodes[1];
      const part = () => Float64Array.from(view.rays.subarray(at, at += count), (steps) => steps * view.step_mm);
      const near = part(), far = part();
      for (const node of camera.missing ?? []) near.fill(NaN, 3 * node, 3 * node + 3);
      return {...camera, near, far};
    });
  }

  // Returns the first of `size` nodes around a place among `count`, `shift` nodes further, and the weights of their polynomial there.
  function weights(place, count, size, shift) {
    const first = Math.min(count - size, Math.max(0, Math.floor(place) - size / 2 + 1 + shift));
    return [first, Array.from({length: size}, (_, i) => {
      let weight = 1;
      for (let k = 0; k < size; ++k) if (k !== i) weight *= (place - first - k) / (i - k);
      return weight;
    })];
  }

  function interpolated({nodes: [columns, rows], near, far}, column, row, size, right, below) {
    const [left, across] = weights(column, columns, size, right), [top, down] = weights(row, rows, size, below);
    const ray = [0, 0, 0, 0, 0, 0];
    for (let k = 0; k < size; ++k)
      for (let i = 0; i < size; ++i) {
        const weight = across[i] * down[k], node = 3 * ((top + k) * columns + left + i);
        for (let axis = 0; weight !== 0 && axis < 3; ++axis) {
          ray[axis] += weight * near[node + axis];
          ray[3 + axis] += weight * far[node + axis];
        }
      }
    return ray;
  }

  // Returns the two points of the ray at a place between nodes, [x, y, z, x, y, z], by the 4 x 4 nodes around it; beside
  // missing ones by those of them that lie further inside, else by 2 x 2; NaN where one of these is missing.
  function ray_at(camera, column, row) {
    const {nodes: [columns, rows]} = camera, right = column < columns / 2 ? 1 : -1, below = row < rows / 2 ? 1 : -1;
    let ray = null;
    for (const [size, ...shift] of [[4, 0, 0], [4, right, 0], [4, 0, below], [4, right, below], [2, 0, 0]]) {
      ray = interpolated(camera, column, row, size, ...shift);
      if (!Number.isNaN(ray[0])) break;
    }
    return ray;
  }

  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const determinant = (a, b, c) => a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
    a[2] * (b[0] * c[1] - b[1] * c[0]);

  // The node whose ray passes nearest to a point in front of the camera, and where along that ray; null without one.
  function nearest_node({nodes: [columns], near, far, centre_mm}, point) {
    let best = null, least = Infinity;
    for (let node = 0; node < near.length / 3; ++node) {
      const start = near.subarray(3 * node, 3 * node + 3), along = minus(far.subarray(3 * node, 3 * node + 3), start);
      const from = minus(point, start), t = dot(from, along) / dot(along, along);
      const off = Math.hypot(...from.map((value, axis) => value - t * along[axis]));
      if (off < least && dot(minus(point, centre_mm), along) > 0) [least, best] = [off, [node % columns, Math.floor(node / columns), t]];
    }
    return best;
  }

  // Returns the pixel of the camera's whole image that shows a point, {x, y}, and the place on the ray, {ray, t}; null where
  // the point is outside of the image. Solves near + t (far - near) = point for column, row and t by Newton's method.
  function pixel_of(camera, point) {
    const {nodes: [columns, rows], size_px: [width, height]} = camera, found = nearest_node(camera, point);
    if (!found) return null;
    let [column, row, t] = found;
    for (let step = 0; step < 20; ++step) {
      const on = (at_column, at_row) => {
        const ray = ray_at(camera, at_column, at_row);
        return [0, 1, 2].map((axis) => ray[axis] + t * (ray[3 + axis] - ray[axis]));
      };
      const ray = ray_at(camera, column, row), here = on(column, row), rest = minus(point, here), along = minus(ray.slice(3), ray);
      // On that side on which there is a ray.
      const slope = (h, right, below) => minus(on(column + h * right, row + h * below), here).map((value) => value / h);
      const change = (...sides) => [1e-3, -1e-3].map((h) => slope(h, ...sides)).find(([x]) => !Number.isNaN(x)) ?? [NaN];
      const across = change(1, 0), down = change(0, 1), whole = determinant(across, down, along);
      let by = [determinant(rest, down, along) / whole, determinant(across, rest, along) / whole];
      if (!by.every(Number.isFinite)) return null;
      if (Math.abs(by[0]) + Math.abs(by[1]) < 1e-5) {
        const inside = column > -1e-3 && row > -1e-3 && column < columns - 1 + 1e-3 && row < rows - 1 + 1e-3;
        return inside ? {x: column / (columns - 1) * (width - 1), y: row / (rows - 1) * (height - 1), ray, t} : null;
      }
      const next = () => [Math.min(columns, Math.max(-1, column + by[0])), Math.min(rows, Math.max(-1, row + by[1]))];
      for (let halves = 0; halves < 8 && Number.isNaN(ray_at(camera, ...next())[0]); ++halves) by = by.map((part) => part / 2);
      [column, row] = next();
      t += determinant(across, down, rest) / whole;
    }
    return null;
  }

  return {cameras_of, ray_at, pixel_of, minus, dot};
})();
