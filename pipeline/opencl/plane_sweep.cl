// The plane sweep on a device. Constants are generated (sweep.cc): WINDOW, COST (as CostFunction: 0 zncc, 1
// ncc_reference, 2 ssim), WEIGHT(k), LEAST_WEIGHT, NOISE, SSIM_C1, SSIM_C2, INVERSE (hypotheses even in inverse depth), GUIDED (a depth
// of its own for each pixel), INTERFACE (0 none, 1 level water, 2 level water with the thinner medium below).
//
// Planes are [depth of the batch][y][x]; `width` is a multiple of a work group, and rays beyond the image's `columns`
// are NaN. A plane of samples has HALF missing columns (NaN) on either side, a plane of row sums HALF rows of zeros
// above and below: no work item needs a branch, so compilers for processors vectorise over work items.
#define HALF (WINDOW / 2)
#define INLINE __attribute__((always_inline))

// A camera as camera_table() writes it: lengths in metres, from the centre of the reference camera.
enum {
  ROWS = 0, CX = 9, CY, PER_X, PER_Y, CENTRE_X, CENTRE_Y, CENTRE_Z, WATER_Z, HEIGHT, RATIO_M, RATIO_C, SATURATION
};

// Pixel of a point, and the point's depth along the ray; NaN where there is none. The formulas of scenes/optics/snell.h.
INLINE float3 project(constant float* c, float3 point) {
  const float x = point.x - c[CENTRE_X], y = point.y - c[CENTRE_Y];
#if INTERFACE == 0
  const float z = point.z - c[CENTRE_Z], along = sqrt(x * x + y * y + z * z);
  const bool below = true;
#else
  const float depth = point.z - c[WATER_Z], rho = sqrt(x * x + y * y);
  const bool below = depth > 0;
  const float thin = INTERFACE == 1 ? c[HEIGHT] : depth, dense = INTERFACE == 1 ? depth : c[HEIGHT];
  const float q = dense * c[RATIO_M];
  float t = fmax(rho / (thin + q), (rho - dense * c[SATURATION]) / thin);
#pragma unroll
  for (int i = 0; i < (INTERFACE == 1 ? 4 : 8); ++i) {
    const float w2 = 1 + c[RATIO_C] * t * t, w3 = w2 * sqrt(w2);
    t = (rho * w3 - q * c[RATIO_C] * t * t * t) / (thin * w3 + q);
  }
  const float w = sqrt(1 + c[RATIO_C] * t * t), apparent = INTERFACE == 1 ? c[RATIO_M] / w : w / c[RATIO_M];
  const float z = c[HEIGHT] + depth * apparent, tangent = INTERFACE == 1 ? apparent * t : t;
  const float along = depth * sqrt(1 + tangent * tangent);
#endif
  const float u = c[0] * x + c[1] * y + c[2] * z, v = c[3] * x + c[4] * y + c[5] * z;
  const float scale = c[6] * x + c[7] * y + c[8] * z;
  return below && scale > 0 ? (float3)(c[CX] + u / scale, c[CY] + v / scale, along) : (float3)(NAN);
}

// Casts the rays of an image: [origin x, y, z, direction x, y, z][y][x], rows of `pitch` pixels; NaN where there is
// none. The formulas of cast_ray_fast() in scenes/optics/refractive_camera.cc.
kernel void cast_rays(constant float* c, int width, int pitch, global float* rays) {
  const int x = get_global_id(0), y = get_global_id(1), plane = pitch * get_global_size(1);
  if (x >= pitch) return;
  const float u = (x - c[CX]) * c[PER_X], v = (y - c[CY]) * c[PER_Y];
  const float3 seen = u * (float3)(c[0], c[1], c[2]) + v * (float3)(c[3], c[4], c[5]) + (float3)(c[6], c[7], c[8]);
  const float3 air = seen / sqrt(seen.x * seen.x + seen.y * seen.y + seen.z * seen.z);
#if INTERFACE == 0
  const bool valid = x < width;
  const float3 origin = 0, direction = air;
#else
  const float bend = INTERFACE == 1 ? c[RATIO_M] : 1 / c[RATIO_M], reach = c[HEIGHT] / air.z;
  const float sine2 = bend * bend * (air.x * air.x + air.y * air.y);
  const bool valid = x < width && air.z > 0 && sine2 < 1;
  const float3 origin = (float3)(reach * air.x, reach * air.y, c[HEIGHT]);
  const float3 direction = (float3)(bend * air.x, bend * air.y, sqrt(1 - sine2));
#endif
  global float* out = rays + y * pitch + x;
  out[0] = valid ? origin.x : NAN, out[plane] = origin.y, out[2 * plane] = origin.z;
  out[3 * plane] = direction.x, out[4 * plane] = direction.y, out[5 * plane] = direction.z;
}

// The point at a depth along the ray of a pixel. rays: [origin x, y, z, direction x, y, z][pixel].
INLINE float3 point_at(global const float* rays, int pixel, int pixels, float depth) {
  const float3 origin = (float3)(rays[pixel], rays[pixels + pixel], rays[2 * pixels + pixel]);
  return origin + depth * (float3)(rays[3 * pixels + pixel], rays[4 * pixels + pixel], rays[5 * pixels + pixel]);
}

// ---- Filter by other views ----

kernel void count_agreeing(global const float* rays, global const float* depths, global const float* confidence,
                           int pixels, float least_confidence, constant float* camera, global const float* seen,
                           int width, int height, float tolerance, float per_square, global int* agreeing) {
  const int pixel = get_global_id(0);
  if (pixel >= pixels || !(confidence[pixel] >= least_confidence) || !isfinite(depths[pixel])) return;
  const float3 at = project(camera, point_at(rays, pixel, pixels, depths[pixel]));
  if (!(at.x >= 0 && at.x <= width - 1 && at.y >= 0 && at.y <= height - 1)) return;
  const int x = (int)at.x, y = (int)at.y;
  const float fx = at.x - x, fy = at.y - y;
  float sum = 0, weight = 0;
  for (int k = 0; k < 4; ++k) {
    const float share = ((k & 1) ? fx : 1 - fx) * ((k >> 1) ? fy : 1 - fy);
    const float depth = seen[min(y + (k >> 1), height - 1) * width + min(x + (k & 1), width - 1)];
    // Differences from the point's depth lose no digits.
    sum += isnan(depth) ? 0 : share * (depth - at.z);
    weight += isnan(depth) ? 0 : share;
  }
  if (weight >= 0.99f && fabs(sum / weight) < fmax(tolerance, per_square * at.z * at.z)) ++agreeing[pixel];
}

#ifdef WINDOW
// ---- Cost volume ----

// Copies the reference image, less `centre`, to rows with HALF columns of zeros on either side.
kernel void pad_reference(global const float* image, int columns, int width, float centre, global float* reference) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x < columns) reference[y * (width + 2 * HALF) + HALF + x] = image[y * columns + x] - centre;
}

// depths: of the hypotheses, or with GUIDED the guide of each pixel of `columns` in a row. image: of the source, from
// which `centre` is subtracted.
kernel void warp(global const float* rays, global const float* depths, int columns, int first, float step,
                 float step_at, constant float* camera, global const float* image, int image_width, int image_height,
                 float centre, int width, int height, global float* samples) {
  const int x = get_global_id(0), y = get_global_id(1), k = get_global_id(2);
  const int pixel = y * width + x;
#if GUIDED
  const float guide = depths[y * columns + min(x, columns - 1)];
  const float scale = step_at > 0 ? (guide / step_at) * (guide / step_at) : 1;
  const float depth = guide + (first + k - 7.5f) * step * scale;
#else
  const float depth = depths[first + k];
#endif
  const float3 at = project(camera, point_at(rays, pixel, width * height, depth));
  const bool inside = at.x >= 0 && at.x <= image_width - 1 && at.y >= 0 && at.y <= image_height - 1;
  // Read where there is a sample or not: without a branch.
  const float column = inside ? at.x : 0, row = inside ? at.y : 0;
  const int u = (int)column, v = (int)row;
  const int right = min(u + 1, image_width - 1) - u, below = (min(v + 1, image_height - 1) - v) * image_width;
  const float fx = column - u, fy = row - v;
  global const float* grey = image + v * image_width + u;
  const float sample = mix(mix(grey[0], grey[right], fx), mix(grey[below], grey[below + right], fx), fy);
  samples[(k * height + y) * (width + 2 * HALF) + HALF + x] = inside ? sample - centre : NAN;
}

// Sums along a row of the window: weight, r, s, r r, s s, r s of the pixels with a sample. stride: of a depth's plane
// in `reference`, 0 if all depths share one.
kernel void sum_rows(global const float* reference, int stride, global const float* samples, int width, int height,
                     int batch, global float* sums) {
  const int x = get_global_id(0), y = get_global_id(1), k = get_global_id(2);
  global const float* r_row = reference + k * stride + y * (width + 2 * HALF) + x;
  global const float* s_row = samples + (k * height + y) * (width + 2 * HALF) + x;
  float weights = 0, r_sum = 0, s_sum = 0, rr = 0, ss = 0, rs = 0;
#pragma unroll
  for (int i = 0; i < WINDOW; ++i) {
    const bool valid = !isnan(s_row[i]);
    const float weight = valid ? WEIGHT(i) : 0, s = valid ? s_row[i] : 0, r = r_row[i];
    weights += weight;
    r_sum += weight * r;
    s_sum += weight * s;
    rr += weight * r * r;
    ss += weight * s * s;
    rs += weight * r * s;
  }
  const int rows = height + 2 * HALF, plane = batch * rows * width;
  global float* out = sums + (k * rows + HALF + y) * width + x;
  out[0] = weights, out[plane] = r_sum, out[2 * plane] = s_sum;
  out[3 * plane] = rr, out[4 * plane] = ss, out[5 * plane] = rs;
}

INLINE float sum_column(global const float* rows, int width) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < WINDOW; ++i) sum += WEIGHT(i) * rows[i * width];
  return sum;
}

// Subtracts from each pixel the mean of its own window, of reference and samples.
kernel void centre(global const float* reference, global const float* samples, global const float* sums, int width,
                   int height, int batch, global float* means, global float* reference_out, global float* samples_out) {
  const int x = get_global_id(0), y = get_global_id(1), k = get_global_id(2);
  const int rows = height + 2 * HALF, plane = batch * rows * width;
  global const float* column = sums + (k * rows + y) * width + x;
  const float weight = fmax(sum_column(column, width), COST == 2 ? 1e-8f : 1.0f);
  const float r = sum_column(column + plane, width) / weight, s = sum_column(column + 2 * plane, width) / weight;
  const int padded = (k * height + y) * (width + 2 * HALF) + HALF + x, pixel = (k * height + y) * width + x;
  means[pixel] = r, means[batch * height * width + pixel] = s;
  reference_out[padded] = reference[y * (width + 2 * HALF) + HALF + x] - r;
  samples_out[padded] = samples[padded] - s;  // missing remains missing
}

// Adds a source's share of the cost: cost[depth of the batch][pixel] begins at 0.
kernel void add_cost(global const float* sums, global const float* means, float centre, int width, int height,
                     int batch, float share, int is_first, global float* cost) {
  const int x = get_global_id(0), y = get_global_id(1), k = get_global_id(2);
  const int rows = height + 2 * HALF, plane = batch * rows * width, pixel = (k * height + y) * width + x;
  global const float* column = sums + (k * rows + y) * width + x;
  const float weight = sum_column(column, width), safe = fmax(weight, COST == 2 ? 1e-8f : 1.0f);
  const float rr = sum_column(column + 3 * plane, width) / safe, ss = sum_column(column + 4 * plane, width) / safe;
  const float rs = sum_column(column + 5 * plane, width) / safe;
#if COST == 0
  const float r = sum_column(column + plane, width) / safe, s = sum_column(column + 2 * plane, width) / safe;
  const float found = 1 - (rs - r * s) / sqrt((fmax(rr - r * r, 0.0f) + NOISE) * (fmax(ss - s * s, 0.0f) + NOISE));
#elif COST == 1
  const float found = 1 - rs / (sqrt(rr * ss) + 1e-8f);
#else
  const float r = means[pixel] + centre, s = means[batch * height * width + pixel] + centre;
  const float found = 1 - (2 * r * s + SSIM_C1) * (2 * rs + SSIM_C2) / ((r * r + s * s + SSIM_C1) * (rr + ss + SSIM_C2));
#endif
  const float bounded = weight < LEAST_WEIGHT ? 1.0f : clamp(found, 0.0f, COST == 2 ? 1.0f : 2.0f);
  cost[pixel] = (is_first ? 0 : cost[pixel]) + share * bounded;
}

// ---- Depth extraction (pipeline/plane_sweep/kernels/winner.h) ----

// The least cost of a pixel, its depth, the costs before and after it, the sum and the latest cost.
typedef struct {
  float best, index, before, after, sum, last;
} Winner;

kernel void feed_winner(global const float* cost, int pixels, int first, int batch, global Winner* winners) {
  const int pixel = get_global_id(0);
  Winner w = {INFINITY, -2, 0, 0, 0, 0};
  if (first > 0) w = winners[pixel];
  for (int k = 0; k < batch; ++k) {
    const float now = cost[k * pixels + pixel], depth = first + k;
    w.after = w.index == depth - 1 ? now : w.after;
    const bool better = now < w.best;
    w.before = better ? w.last : w.before;
    w.index = better ? depth : w.index;
    w.best = better ? now : w.best;
    w.sum += now;
    w.last = now;
  }
  winners[pixel] = w;
}

// Writes images of `columns` pixels in a row. score: confidence, or with GUIDED the similarity.
kernel void finish_winner(global const Winner* winners, int width, int columns, int count, global const float* depths,
                          float step, float step_at, global float* depth, global float* score) {
  const int x = get_global_id(0), y = get_global_id(1), pixel = y * columns + x;
  if (x >= columns) return;
  const Winner w = winners[y * width + x];
  const int index = (int)w.index;
  depth[pixel] = NAN, score[pixel] = 0;
  if (index < 1 || index > count - 2) return;
  const float offset = clamp(0.5f * (w.before - w.after) / (w.before - 2 * w.best + w.after + 1e-8f), -0.5f, 0.5f);
#if GUIDED
  const float guide = depths[pixel];
  if (!isfinite(guide)) return;
  const float spacing = step * (step_at > 0 ? (guide / step_at) * (guide / step_at) : 1);
  depth[pixel] = guide + (index - 7.5f + offset) * spacing;
  score[pixel] = fmax(0.0f, 1 - w.best);
#else
  const float distinct = clamp(1 - w.best / (w.sum / count + 1e-8f), 0.0f, 1.0f);
  score[pixel] = sqrt((1 - clamp(w.best, 0.0f, 1.0f)) * distinct);
#if INVERSE  // inverse depth falls as the hypotheses rise
  const float spacing = (1 / depths[count - 1] - 1 / depths[0]) / (count - 1);
  depth[pixel] = 1 / (1 / depths[index] + offset * spacing);
#else
  depth[pixel] = depths[index] + offset * (depths[1] - depths[0]);
#endif
#endif
}
#endif
