// A camera that turns around a point. World: mm, +Z down into the water, so up is -Z.
'use strict';
const viewer_camera = (() => {
  const top = {azimuth: 0, elevation: Math.PI / 2 - 1e-3};

  // Returns a camera that sees a box of this width from obliquely above.
  const start = (width_mm) => ({target: [0, 0, 0], distance: 1.6 * width_mm, azimuth: -0.5, elevation: 0.9});

  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => a.map((value) => value / Math.hypot(...a));

  // Returns the eye and the axes right, up and back of the camera in the world.
  function frame(camera) {
    const flat = Math.cos(camera.elevation);
    const back = [flat * Math.sin(camera.azimuth), flat * Math.cos(camera.azimuth), -Math.sin(camera.elevation)];
    const right = unit(cross([0, 0, -1], back)), up = cross(back, right);
    return {eye: camera.target.map((value, i) => value + camera.distance * back[i]), right, up, back};
  }

  // Returns the matrix from world to clip coordinates, in columns, for a picture of this width / height.
  function matrix(camera, ratio) {
    const {eye, right, up, back} = frame(camera);
    const near = camera.distance / 100, far = camera.distance * 20 + 5000;
    // The wider side sees 0.7 rad.
    const scale = 1 / Math.tan(0.35), sx = ratio >= 1 ? scale / ratio : scale, sy = sx * ratio;
    const rows = [right.map((v) => v * sx), up.map((v) => v * sy), back.map((v) => -v * (far + near) / (far - near)),
      back.map((v) => -v)];
    const shift = [-dot(right, eye) * sx, -dot(up, eye) * sy,
      dot(back, eye) * (far + near) / (far - near) - 2 * far * near / (far - near), dot(back, eye)];
    const columns = new Float32Array(16);
    for (let row = 0; row < 4; ++row) {
      for (let column = 0; column < 3; ++column) columns[4 * column + row] = rows[row][column];
      columns[12 + row] = shift[row];
    }
    return columns;
  }

  // Returns [x, y, w] of a point in clip coordinates after division, w the distance along the view.
  function project(m, x, y, z) {
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    return [(m[0] * x + m[4] * y + m[8] * z + m[12]) / w, (m[1] * x + m[5] * y + m[9] * z + m[13]) / w, w];
  }

  function turn(camera, azimuth, elevation) {
    camera.azimuth += azimuth;
    camera.elevation = Math.min(top.elevation, Math.max(-top.elevation, camera.elevation + elevation));
  }

  function move(camera, right_share, up_share) {
    const {right, up} = frame(camera);
    camera.target = camera.target.map(
      (value, i) => value - camera.distance * 0.73 * (right_share * right[i] + up_share * up[i]));
  }

  // Returns where an axis of the world points in the picture: [right, up], at most 1 long.
  const direction = (camera, axis) => {
    const {right, up} = frame(camera);
    return [right[axis], up[axis]];
  };

  // Moves the camera so that it sees all corners of a box [[x, x], [y, y], [z, z]] in a picture of this width / height.
  function fit(camera, box, ratio) {
    camera.target = box.map(([low, high]) => (low + high) / 2);
    camera.distance = 2 * Math.max(...box.map(([low, high]) => high - low), 1);
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => box.map((ends, axis) => ends[k >> axis & 1]));
    for (let step = 0; step < 20; ++step) {
      const m = matrix(camera, ratio);
      const most = Math.max(...corners.map((corner) => project(m, ...corner)).map(([u, v, w]) =>
        w > 0 ? Math.max(Math.abs(u), Math.abs(v)) : 4));
      camera.distance *= 0.4 + 0.6 * most / 0.88;
    }
  }

  return {start, fit, frame, direction, top, matrix, project, turn, move};
})();
