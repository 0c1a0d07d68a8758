// Draws points, lines and triangles with WebGL2, each coloured by one number through a palette.
'use strict';
const viewer_gl = (() => {
  // The colour is found once for each vertex: where a program draws in place of a device, a look into the palette
  // for each pixel is what takes longest.
  const vertex_source = `#version 300 es
    in vec3 position; in float value;
    uniform mat4 world_to_clip; uniform vec2 range; uniform float size; uniform float least_size;
    uniform sampler2D palette; uniform vec4 fixed_colour; uniform float direct;
    flat out vec3 colour;
    void main() {
      gl_Position = world_to_clip * vec4(position, 1.0);
      gl_PointSize = clamp(size / gl_Position.w, least_size, 64.0);
      float share = clamp((value - range.x) / (range.y - range.x), 0.0, 1.0);
      int place = int(floor(share * float(textureSize(palette, 0).x - 1) + 0.5));
      int code = int(value);  // where direct: five bits of red, six of green, five of blue
      colour = fixed_colour.a > 0.0 ? fixed_colour.rgb : isnan(value) ? vec3(0.502)
        : direct > 0.0 ? vec3(float(code >> 11), float(code >> 5 & 63), float(code & 31)) / vec3(31.0, 63.0, 31.0)
        : texelFetch(palette, ivec2(place, 0), 0).rgb;
    }`;
  const fragment_source = `#version 300 es
    precision mediump float;
    flat in vec3 colour; out vec4 pixel;
    void main() { pixel = vec4(colour, 1.0); }`;

  function compile(gl, type, source) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    return shader;
  }

  // Returns what draws on a canvas; null where there is no WebGL2.
  function painter(canvas) {
    const gl = canvas.getContext('webgl2', {antialias: false, alpha: false, powerPreference: 'high-performance'});
    if (!gl) return null;
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, vertex_source));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, fragment_source));
    gl.bindAttribLocation(program, 0, 'position');
    gl.bindAttribLocation(program, 1, 'value');
    gl.linkProgram(program);
    gl.useProgram(program);
    const uniform = (name) => gl.getUniformLocation(program, name);
    const places = {clip: uniform('world_to_clip'), range: uniform('range'), size: uniform('size'),
      least: uniform('least_size'), fixed: uniform('fixed_colour'), direct: uniform('direct')};
    gl.enable(gl.DEPTH_TEST);
    gl.clearColor(0.125, 0.141, 0.165, 1);

    // Puts numbers on the device. `values` may be null for what has one colour.
    function load(positions, values, indices = null) {
      const shape = {array: gl.createVertexArray(), count: indices ? indices.length : positions.length / 3,
        indexed: indices !== null, values: gl.createBuffer()};
      gl.bindVertexArray(shape.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, positions, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      if (values) recolour(shape, values);
      if (indices) {
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
        gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
      }
      return shape;
    }

    function recolour(shape, values) {
      gl.bindVertexArray(shape.array);
      gl.bindBuffer(gl.ARRAY_BUFFER, shape.values);
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(1);
      gl.vertexAttribPointer(1, 1, gl.FLOAT, false, 0, 0);
    }

    // Takes colours as "#rrggbb".
    function set_palette(colours) {
      const texels = new Uint8Array(colours.flatMap((hex) =>
        [1, 3, 5].map((from) => parseInt(hex.slice(from, from + 2), 16)).concat(255)));
      gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, colours.length, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    }

    // Leaves nothing of the last picture.
    function wipe() {
      gl.disable(gl.SCISSOR_TEST);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    }

    // Begins a picture in a part of the canvas: x, y, width, height in pixels, y up.
    function begin(part, world_to_clip) {
      gl.viewport(...part);
      gl.scissor(...part);
      gl.enable(gl.SCISSOR_TEST);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(places.clip, false, world_to_clip);
    }

    // Draws the first `count` of a shape. `colour` is [r, g, b] or null for the palette; with `direct` the values are
    // colours of 16 bits.
    function draw(shape, mode, {count = shape.count, colour = null, range = [0, 1], size = 0, least = 1, direct = false} = {}) {
      gl.bindVertexArray(shape.array);
      gl.uniform4f(places.fixed, ...(colour ?? [0, 0, 0]), colour ? 1 : 0);
      gl.uniform2f(places.range, ...range);
      gl.uniform1f(places.size, size);
      gl.uniform1f(places.least, least);
      gl.uniform1f(places.direct, direct ? 1 : 0);
      if (shape.indexed) gl.drawElements(gl[mode], count, gl.UNSIGNED_INT, 0);
      else gl.drawArrays(gl[mode], 0, count);
    }

    function pixel(x, y) {
      const rgba = new Uint8Array(4);
      gl.readPixels(x, y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, rgba);
      return [...rgba].slice(0, 3);
    }

    return {load, recolour, set_palette, wipe, begin, draw, pixel, finish: () => pixel(0, 0)};
  }

  // Returns whether WebGL2 is there and a device draws it, not a program in its place.
  function has_device() {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return false;
    const shown = gl.getParameter(gl.RENDERER);
    const unmasked = shown === 'WebKit WebGL' && gl.getExtension('WEBGL_debug_renderer_info');
    const name = unmasked ? gl.getParameter(unmasked.UNMASKED_RENDERER_WEBGL) : shown;
    gl.getExtension('WEBGL_lose_context')?.loseContext();
    return !/swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
  }

  return {painter, has_device};
})();
