#include "pipeline/plane_sweep/kernels/tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::plane_sweep {
namespace {

// Splits `length` into as few nearly equal parts of at most `side` as possible.
std::vector<int> part_ends(int length, int side) {
  const int parts = (length + side - 1) / side;
  std::vector<int> ends;
  for (int i = 0; i <= parts; ++i)
    ends.push_back(static_cast<int>(static_cast<long long>(length) * i / parts));
  return ends;
}

constexpr int kNarrowStrip_px = 16;
// The extremes of a smooth map may exceed those at the nodes and check points by this much.
constexpr double kMargin_px = 1.0;

Coverage classify(const ProjectionFit& fit, const PackedSource& source) {
  const double right = source.width_px - 1, bottom = source.height_px - 1;
  if (fit.exact_enough && fit.u_min_px >= kMargin_px && fit.u_max_px <= right - kMargin_px &&
      fit.v_min_px >= kMargin_px && fit.v_max_px <= bottom - kMargin_px)
    return Coverage::inside;
  const double margin = kMargin_px + 10 * fit.error_px;  // infinite if a projection failed
  if (fit.u_max_px < -margin || fit.u_min_px > right + margin || fit.v_max_px < -margin ||
      fit.v_min_px > bottom + margin)
    return Coverage::outside;
  return Coverage::partial;
}

// Plain bilinear sample of one position; NaN outside.
float sample_code(const PackedSource& source, double u, double v) {
  if (!(u >= 0 && u <= source.width_px - 1 && v >= 0 && v <= source.height_px - 1))
    return std::numeric_limits<float>::quiet_NaN();
  const int x = static_cast<int>(u), y = static_cast<int>(v);
  const auto fx = static_cast<float>(u - x), fy = static_cast<float>(v - y);
  const std::uint32_t* pair = source.pairs.data() + static_cast<std::size_t>(y) * source.stride + x;
  const auto top = [&](int i) { return static_cast<float>(pair[i] & 0xffffU); };
  const auto bottom = [&](int i) { return static_cast<float>(pair[i] >> 16); };
  return (1 - fy) * ((1 - fx) * top(0) + fx * top(1)) + fy * ((1 - fx) * bottom(0) + fx * bottom(1));
}

SampleBounds bounds_of(const ProjectionFit& fit) {
  if (!std::isfinite(fit.error_px)) return {0, -1, 0, -1};
  return {fit.u_min_px, fit.u_max_px, fit.v_min_px, fit.v_max_px};
}

}  // namespace

// About a sixth of a radian: polynomials then follow the projection to 1e-4 px. Beyond 96 px the larger
// working set outweighs the smaller margin.
int tile_side_px(const RefractiveCamera& reference) {
  const double side_px = 0.16 * std::min(reference.fx_px, reference.fy_px);
  return std::clamp(static_cast<int>(std::min(side_px, 96.0)) / kLanes * kLanes, 32, 96);
}

std::vector<Tile> make_tiles(int width_px, int height_px, int side_px, int margin_px) {
  const std::vector<int> xs = part_ends(width_px, side_px), ys = part_ends(height_px, side_px);
  std::vector<Tile> tiles;
  for (std::size_t j = 0; j + 1 < ys.size(); ++j)
    for (std::size_t i = 0; i + 1 < xs.size(); ++i) {
      const PixelBox output{xs[i], xs[i + 1], ys[j], ys[j + 1]};
      const PixelBox input{
          std::max(0, output.x_begin - margin_px), std::min(width_px, output.x_end + margin_px),
          std::max(0, output.y_begin - margin_px), std::min(height_px, output.y_end + margin_px)};
      tiles.push_back({output, input});
    }
  return tiles;
}

void cut_reference(const GreyImage& image, const Tile& tile, TileReference& reference) {
  const PixelBox& box = tile.input;
  reference.columns = tile.columns();
  reference.grey.clear();
  double sum = 0;
  for (int y = box.y_begin; y < box.y_end; ++y)
    for (int x = box.x_begin; x < box.x_end; ++x) {
      reference.grey.push_back(image.grey[static_cast<std::size_t>(y) * image.width_px + x]);
      sum += reference.grey.back();
    }
  reference.mean = static_cast<float>(sum / static_cast<double>(reference.grey.size()));
  for (float& grey : reference.grey) grey -= reference.mean;
  reference.no_row.assign(static_cast<std::size_t>(reference.columns), 0.0F);
}

void zncc_statistics(const TileReference& reference, const Tile& tile, const Options& options,
                     ZnccReference& statistics) {
  const int half = options.window_px / 2, columns = reference.columns;
  const double needed = min_window_weight(options.cost, options.window_px);
  const std::size_t pixels = static_cast<std::size_t>(tile.output_rows()) * tile.outputs();
  for (std::vector<float>* field : {&statistics.count, &statistics.inverse_count, &statistics.sum,
                                    &statistics.square_sum, &statistics.gain})
    field->resize(pixels);
  // Column sums over the window's rows, updated from row to row. Double precision: negligible drift.
  std::vector<double> sums(columns), squares(columns);
  const auto add_row = [&](int y, double sign) {
    const float* const row = reference.row(tile, y);
    for (int i = 0; i < columns; ++i) {
      const double r = row[i];
      sums[i] += sign * r;
      squares[i] += sign * r * r;
    }
  };
  for (int y = tile.input.y_begin; y < std::min(tile.output.y_begin + half, tile.input.y_end); ++y)
    add_row(y, 1);
  std::size_t pixel = 0;
  for (int y = tile.output.y_begin; y < tile.output.y_end; ++y) {
    if (y + half < tile.input.y_end) add_row(y + half, 1);
    if (y - half - 1 >= tile.input.y_begin) add_row(y - half - 1, -1);
    const int rows = std::min(tile.input.y_end, y + half + 1) - std::max(tile.input.y_begin, y - half);
    double sum = 0, square_sum = 0;
    for (int i = 0; i < std::min(tile.first_output() + half, columns); ++i) {
      sum += sums[i];
      square_sum += squares[i];
    }
    for (int output = 0; output < tile.outputs(); ++output, ++pixel) {
      const int centre = tile.first_output() + output;
      const int begin = std::max(0, centre - half), end = std::min(columns, centre + half + 1);
      if (centre + half < columns) {
        sum += sums[centre + half];
        square_sum += squares[centre + half];
      }
      if (centre - half - 1 >= 0) {
        sum -= sums[centre - half - 1];
        square_sum -= squares[centre - half - 1];
      }
      const double count = static_cast<double>(rows) * (end - begin), mean = sum / count;
      const double variance = std::max(0.0, square_sum / count - mean * mean) + options.noise_variance;
      statistics.count[pixel] = static_cast<float>(count);
      statistics.inverse_count[pixel] = static_cast<float>(1 / count);
      statistics.sum[pixel] = static_cast<float>(sum);
      statistics.square_sum[pixel] = static_cast<float>(square_sum);
      statistics.gain[pixel] = count >= needed ? static_cast<float>(1 / (count * std::sqrt(variance))) : 0.0F;
    }
  }
}

void centred_statistics(const TileReference& reference, const Tile& tile, const Options& options,
                        CentredReference& statistics) {
  const std::vector<double> weights = window_weights(options.cost, options.window_px);
  const double needed = min_window_weight(options.cost, options.window_px);
  const std::size_t pixels = reference.grey.size();
  const std::vector<double> weight = window_sums(std::vector<double>(pixels, 1.0), tile.columns(), weights);
  const std::vector<double> sum =
      window_sums({reference.grey.begin(), reference.grey.end()}, tile.columns(), weights);
  std::vector<double> squares(pixels);
  for (std::vector<float>* field : {&statistics.inverse_weight, &statistics.mean, &statistics.centred,
                                    &statistics.variance, &statistics.scoring_inverse_weight})
    field->resize(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const double mean = sum[i] / weight[i], centred = reference.grey[i] - mean;
    squares[i] = centred * centred;
    statistics.inverse_weight[i] = static_cast<float>(1 / weight[i]);
    statistics.scoring_inverse_weight[i] = weight[i] >= needed ? statistics.inverse_weight[i] : 0.0F;
    statistics.mean[i] = static_cast<float>(mean);
    statistics.centred[i] = static_cast<float>(centred);
  }
  const std::vector<double> square_sums = window_sums(squares, tile.columns(), weights);
  for (std::size_t i = 0; i < pixels; ++i)
    statistics.variance[i] = static_cast<float>(square_sums[i] / weight[i]);
}

float mean_code(const SampleBounds& bounds, const PackedSource& source) {
  if (!(bounds.u_min_px <= bounds.u_max_px) || !(bounds.v_min_px <= bounds.v_max_px)) return 32768.0F;
  const auto clip = [](double value, int size) {
    return std::clamp(value, 0.0, static_cast<double>(size - 1));
  };
  const double left = clip(bounds.u_min_px, source.width_px), right = clip(bounds.u_max_px, source.width_px);
  const double top = clip(bounds.v_min_px, source.height_px),
               bottom = clip(bounds.v_max_px, source.height_px);
  float sum = 0;
  for (int j = 0; j < 16; ++j)
    for (int i = 0; i < 16; ++i)
      sum += source.code(static_cast<int>(left + (right - left) * i / 15),
                         static_cast<int>(top + (bottom - top) * j / 15));
  return sum / 256;
}

void TileSampler::start_strip(const RefractiveCamera& reference, const PixelBox& box, Strip& strip) {
  strip.box = box;
  strip.rays = cast_box_rays(reference, box);
  strip.x.clear();
  for (int x = box.x_begin; x < box.x_end; ++x) strip.x.push_back(box_coordinate(x, box.x_begin, box.x_end));
}

void TileSampler::start_tile(const RefractiveCamera& reference, const Tile& tile) {
  reference_ = &reference;
  box_ = tile.input;
  whole_.resize(1);
  narrow_.clear();
  start_strip(reference, box_, whole_[0]);
}

void TileSampler::start_block(const RefractiveCamera& camera, const PackedSource& source,
                              const std::array<float, kLanes>& depths_m) {
  camera_ = &camera;
  source_ = &source;
  depths_m_ = depths_m;
  Strip& whole = whole_[0];
  fit_projection(whole.rays, depths_m_, camera, scratch_, whole.fit);
  coverage_ = classify(whole.fit, source);
  centre_code_ = mean_code(bounds_of(whole.fit), source);
  use_narrow_ = !whole.fit.exact_enough;
  if (!use_narrow_ || coverage_ == Coverage::outside) return;
  if (narrow_.empty())
    for (int x = box_.x_begin; x < box_.x_end; x += kNarrowStrip_px) {
      narrow_.emplace_back();
      start_strip(*reference_, {x, std::min(x + kNarrowStrip_px, box_.x_end), box_.y_begin, box_.y_end},
                  narrow_.back());
    }
  for (Strip& strip : narrow_) fit_projection(strip.rays, depths_m_, camera, scratch_, strip.fit);
}

void TileSampler::sample_row(int y, Lanes* samples, Presence* presence) {
  for (const Strip& strip : use_narrow_ ? narrow_ : whole_) {
    const int first = strip.box.x_begin - box_.x_begin;
    if (strip.fit.exact_enough)
      sample_strip(strip, y, samples + first, presence + first);
    else
      sample_exactly(strip, y, samples + first, presence + first);
  }
}

void TileSampler::sample_strip(const Strip& strip, int y, Lanes* samples, Presence* presence) const {
  const int columns = static_cast<int>(strip.x.size());
  WarpRow row{source_,        &strip.fit, box_coordinate(y, strip.box.y_begin, strip.box.y_end),
              strip.x.data(), columns,    centre_code_};
  if (coverage_ == Coverage::inside) {
    warp_row_inside(row, samples);
    return;
  }
  classify_row(row, presence);
  for (int begin = 0, end = 0; begin < columns; begin = end) {
    while (end < columns && presence[end] == presence[begin]) ++end;
    row.x = strip.x.data() + begin;
    row.count = end - begin;
    if (presence[begin] == Presence::all)
      warp_row_inside(row, samples + begin);
    else if (presence[begin] == Presence::some)
      warp_row_partly_inside(row, samples + begin);
    else
      std::fill_n(samples + begin, row.count, Lanes{} + std::numeric_limits<float>::quiet_NaN());
  }
}

void TileSampler::sample_exactly(const Strip& strip, int y, Lanes* samples, Presence* presence) {
  const std::size_t count = strip.x.size();
  PointBatch& points = scratch_.points;
  points.resize(count * kLanes);
  for (std::size_t i = 0; i < count; ++i) {
    WaterRay ray;
    const bool valid = cast_ray_fast(*reference_, strip.box.x_begin + static_cast<double>(i), y, ray);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      points.set(i * kLanes + lane, ray, valid ? depths_m_[lane] : std::numeric_limits<double>::quiet_NaN());
  }
  project_points(*camera_, points);
  std::fill_n(presence, count, Presence::some);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      samples[i][lane] =
          sample_code(*source_, points.u_px[i * kLanes + lane], points.v_px[i * kLanes + lane]) -
          centre_code_;
}

}  // namespace aqbench::plane_sweep
