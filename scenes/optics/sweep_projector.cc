#include "scenes/optics/sweep_projector.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kMinDegree = 3;
constexpr int kMaxDegree = 8;
constexpr double kSmallestTolerance_px = 1e-3;

// Pixels fitted together. One loop per function below: GCC 12 vectorises no second one in a target_clones
// function reliably.
constexpr std::size_t kChunk = 64;
using Chunk = std::array<double, kChunk>;

struct RayChunk {
  Chunk origin_x, origin_y, direction_x, direction_y, direction_z;
};

// K^-1 and rotation folded into one matrix, and what Snell's law needs.
struct SweepCaster {
  double world_from_pixel[3][3];
  double centre_x, centre_y, h_air, eta;
};

struct SweepSource {
  double rows[3][3];  // [fx r0; fy r1; r2]
  double cx, cy, centre_x, centre_y, h_air;
  SnellRatio<double> ratio;
};

// Restricted pointers, or the compiler keeps the loops scalar for fear that the outputs overlap the camera.
AQBENCH_INLINE void sweep_ray_loop(const SweepCaster& c, std::size_t count, double row, double first_column,
                                   double* __restrict origin_x, double* __restrict origin_y,
                                   double* __restrict direction_x, double* __restrict direction_y,
                                   double* __restrict direction_z) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto& m = c.world_from_pixel;
  for (std::size_t i = 0; i < count; ++i) {
    const double column = first_column + static_cast<double>(static_cast<int>(i));
    const double x = m[0][0] * column + m[0][1] * row + m[0][2];
    const double y = m[1][0] * column + m[1][1] * row + m[1][2];
    const double z = m[2][0] * column + m[2][1] * row + m[2][2];
    const double scale = c.eta / std::sqrt(x * x + y * y + z * z);
    const double dx = x * scale, dy = y * scale;
    const double dz2 = 1 - dx * dx - dy * dy;
    const double dz = std::sqrt(dz2);
    const double reach = c.h_air / z;
    origin_x[i] = c.centre_x + x * reach;
    origin_y[i] = c.centre_y + y * reach;
    direction_x[i] = dx;
    direction_y[i] = dy;
    const bool valid = (z > 0) & (dz2 > 0);
    direction_z[i] = valid ? dz : nan;
  }
}

AQBENCH_MULTIVERSION
void sweep_rays(const SweepCaster& c, std::size_t count, double row, double first_column, RayChunk& rays) {
  sweep_ray_loop(c, count, row, first_column, rays.origin_x.data(), rays.origin_y.data(),
                 rays.direction_x.data(), rays.direction_y.data(), rays.direction_z.data());
}

template <bool air_is_thinner>
AQBENCH_INLINE double sweep_height(const SweepSource& s, double rho2, double h_water) {
  if constexpr (!air_is_thinner)
    return apparent_point<false>(s.ratio, std::sqrt(rho2), s.h_air, h_water).height;
  const double q = h_water * s.ratio.m;
  double h = s.h_air + q;
  // Three steps; the constructor's comparison with exact projections would notice if they were too few.
  for (int step = 0; step < 3; ++step) h = apparent_height_step(s.ratio, rho2, s.h_air, q, h);
  return h;
}

template <bool air_is_thinner>
AQBENCH_INLINE void sweep_node_loop(const SweepSource& s, std::size_t count, double depth,
                                    const double* __restrict origin_x, const double* __restrict origin_y,
                                    const double* __restrict direction_x,
                                    const double* __restrict direction_y,
                                    const double* __restrict direction_z, double* __restrict u,
                                    double* __restrict v) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < count; ++i) {
    const double dx = origin_x[i] + depth * direction_x[i] - s.centre_x;
    const double dy = origin_y[i] + depth * direction_y[i] - s.centre_y;
    const double h_water = depth * direction_z[i];
    const double h = sweep_height<air_is_thinner>(s, dx * dx + dy * dy, h_water);
    const double w = s.rows[2][0] * dx + s.rows[2][1] * dy + s.rows[2][2] * h;
    const double inverse = 1 / w;
    const double pixel_u = s.cx + (s.rows[0][0] * dx + s.rows[0][1] * dy + s.rows[0][2] * h) * inverse;
    const double pixel_v = s.cy + (s.rows[1][0] * dx + s.rows[1][1] * dy + s.rows[1][2] * h) * inverse;
    u[i] = w > 0 ? pixel_u : nan;
    v[i] = w > 0 ? pixel_v : nan;
  }
}

AQBENCH_MULTIVERSION
void sweep_node_air_thinner(const SweepSource& s, std::size_t count, double depth, const RayChunk& rays,
                            Chunk& u, Chunk& v) {
  sweep_node_loop<true>(s, count, depth, rays.origin_x.data(), rays.origin_y.data(), rays.direction_x.data(),
                        rays.direction_y.data(), rays.direction_z.data(), u.data(), v.data());
}

AQBENCH_MULTIVERSION
void sweep_node_water_thinner(const SweepSource& s, std::size_t count, double depth, const RayChunk& rays,
                              Chunk& u, Chunk& v) {
  sweep_node_loop<false>(s, count, depth, rays.origin_x.data(), rays.origin_y.data(), rays.direction_x.data(),
                         rays.direction_y.data(), rays.direction_z.data(), u.data(), v.data());
}

// out = sum of weights[j] * nodes[j], for one coefficient and coordinate.
AQBENCH_MULTIVERSION
void sweep_combine(const double* weights, std::size_t nodes, const Chunk* values, float* out) {
  Chunk sum{};
  for (std::size_t j = 0; j < nodes; ++j)
    for (std::size_t i = 0; i < kChunk; ++i) sum[i] += weights[j] * values[j][i];
  for (std::size_t i = 0; i < kChunk; ++i) out[i] = static_cast<float>(sum[i]);
}

// Sixteen floats that the compiler splits into what the machine has.
using Float16 = float __attribute__((vector_size(64), may_alias));
static_assert(sizeof(Float16) == sizeof(SweepBlock::Line));

AQBENCH_MULTIVERSION
void sweep_evaluate(const SweepBlock::Line* lines, std::size_t groups, std::size_t degree, float s, float* u,
                    float* v) {
  const auto* coefficients = reinterpret_cast<const Float16*>(lines);
  for (std::size_t group = 0; group < groups; ++group) {
    const Float16* c = coefficients + group * 2 * (degree + 1);
    Float16 sum_u = c[2 * degree], sum_v = c[2 * degree + 1];
    for (std::size_t k = degree; k-- > 0;) {
      sum_u = sum_u * s + c[2 * k];
      sum_v = sum_v * s + c[2 * k + 1];
    }
    std::memcpy(u + group * SweepBlock::kGroup, &sum_u, sizeof sum_u);
    std::memcpy(v + group * SweepBlock::kGroup, &sum_v, sizeof sum_v);
  }
}

SweepCaster sweep_caster(const RefractiveCamera& camera) {
  SweepCaster out{};
  for (int row = 0; row < 3; ++row) {
    const double rx = camera.camera_from_world_rotation(0, row) / camera.fx_px;
    const double ry = camera.camera_from_world_rotation(1, row) / camera.fy_px;
    out.world_from_pixel[row][0] = rx;
    out.world_from_pixel[row][1] = ry;
    out.world_from_pixel[row][2] =
        camera.camera_from_world_rotation(2, row) - rx * camera.cx_px - ry * camera.cy_px;
  }
  out.centre_x = camera.centre_m.x();
  out.centre_y = camera.centre_m.y();
  out.h_air = camera.water_z_m - camera.centre_m.z();
  out.eta = camera.n_air / camera.n_water;
  return out;
}

SweepSource sweep_source(const RefractiveCamera& camera) {
  SweepSource out{};
  const double scale[3] = {camera.fx_px, camera.fy_px, 1};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      out.rows[row][column] = scale[row] * camera.camera_from_world_rotation(row, column);
  out.cx = camera.cx_px;
  out.cy = camera.cy_px;
  out.centre_x = camera.centre_m.x();
  out.centre_y = camera.centre_m.y();
  out.h_air = camera.water_z_m - camera.centre_m.z();
  out.ratio = camera.ratio;
  return out;
}

bool inside_image(const RefractiveCamera& camera, const Vec2& pixel) {
  return pixel.x() >= -0.5 && pixel.x() <= camera.width_px - 0.5 && pixel.y() >= -0.5 &&
         pixel.y() <= camera.height_px - 0.5;
}

// An exact projection to compare with.
struct SweepSample {
  int column, row;
  double depth_m;
  Vec2 pixel;
};

// Pixels on a 13 x 11 grid up to the corners, at the given depths; those that the source sees.
std::vector<SweepSample> sweep_samples(const RefractiveCamera& reference, const RefractiveCamera& source,
                                       const std::vector<double>& depths_m) {
  std::vector<SweepSample> samples;
  for (int j = 0; j < 11; ++j) {
    for (int i = 0; i < 13; ++i) {
      const int column = i * (reference.width_px - 1) / 12, row = j * (reference.height_px - 1) / 10;
      const auto ray = cast_ray(reference, Vec2(column, row));
      if (!ray) continue;
      for (const double depth_m : depths_m) {
        const auto projection = project(source, point_on_ray(*ray, std::max(depth_m, 1e-9)));
        if (projection && inside_image(source, projection->pixel))
          samples.push_back({column, row, depth_m, projection->pixel});
      }
    }
  }
  return samples;
}

}  // namespace

SweepProjector::SweepProjector(const RefractiveCamera& reference, const RefractiveCamera& source,
                               const SweepRange& range, double tolerance_px)
    : reference_(reference), source_(source), range_(range) {
  if (!(range.min_depth_m >= 0 && range.max_depth_m > range.min_depth_m && std::isfinite(range.max_depth_m)))
    throw Error(ErrorKind::usage, fmt::format("sweep range: {} to {} m is not a range of depths",
                                              range.min_depth_m, range.max_depth_m));
  if (!(tolerance_px >= kSmallestTolerance_px))
    throw Error(ErrorKind::usage,
                fmt::format("sweep tolerance: {} px is below {} px", tolerance_px, kSmallestTolerance_px));
  if (reference.water_z_m != source.water_z_m || reference.n_air != source.n_air ||
      reference.n_water != source.n_water)
    throw Error(ErrorKind::usage, "sweep: reference and source look through different water");
  // The pole of a vertical view is at depth -h_air n_water / n_air; oblique views have theirs farther away.
  // 1.4 times that needs the lowest degrees for the rigs of rig.h.
  offset_m_ = 1.4 * (source.water_z_m - source.centre_m.z()) * source.n_water / source.n_air;
  const double first = 1 / (range.min_depth_m + offset_m_), last = 1 / (range.max_depth_m + offset_m_);
  scale_ = 2 / (last - first);
  shift_ = -(first + last) / (last - first);
  choose_degree(tolerance_px);
}

void SweepProjector::set_degree(int degree) {
  degree_ = degree;
  const int nodes = degree + 1;
  Eigen::MatrixXd powers(nodes, nodes);
  node_depths_m_.resize(static_cast<std::size_t>(nodes));
  for (int j = 0; j < nodes; ++j) {
    const double s = std::cos(std::numbers::pi * (j + 0.5) / nodes);
    node_depths_m_[static_cast<std::size_t>(j)] = depth_m(s);
    for (int k = 0; k < nodes; ++k) powers(j, k) = std::pow(s, k);
  }
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> inverse = powers.inverse();
  transform_.assign(inverse.data(), inverse.data() + inverse.size());
}

void SweepProjector::choose_degree(double tolerance_px) {
  // Even steps of s, both ends included: between nodes the error has its maxima, at the ends the largest.
  std::vector<double> depths_m;
  for (int k = 0; k <= 24; ++k) depths_m.push_back(depth_m(k / 12.0 - 1));
  const std::vector<SweepSample> samples = sweep_samples(reference_, source_, depths_m);
  measured_samples_ = samples.size();
  SweepBlock block;
  std::array<float, 1> u{}, v{};
  for (int degree = kMinDegree; degree <= kMaxDegree; ++degree) {
    set_degree(degree);
    measured_error_px_ = 0;
    int column = -1, row = -1;
    for (const SweepSample& sample : samples) {
      if (sample.column != column || sample.row != row) fit(sample.row, sample.column, 1, block);
      column = sample.column, row = sample.row;
      project_row(block, parameter(sample.depth_m), u, v);
      const double error_px = std::hypot(u[0] - sample.pixel.x(), v[0] - sample.pixel.y());
      // A NaN is a curve that passes behind the source although this point of it is seen.
      if (error_px > measured_error_px_) measured_error_px_ = error_px;
    }
    if (measured_error_px_ <= tolerance_px / 2) return;
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("sweep range {} to {} m: the error is {:.2g} px, above half the tolerance of {} px; "
                  "narrow the range",
                  range_.min_depth_m, range_.max_depth_m, measured_error_px_, tolerance_px));
}

float SweepProjector::parameter(double depth_m) const {
  const double s = scale_ / (depth_m + offset_m_) + shift_;
  if (!(std::abs(s) <= 1 + 1e-5)) return std::numeric_limits<float>::quiet_NaN();
  return static_cast<float>(s);
}

void SweepProjector::fit(int row, int first_column, std::size_t count, SweepBlock& block) const {
  constexpr std::size_t kGroupsPerChunk = kChunk / SweepBlock::kGroup;
  const std::size_t nodes = node_depths_m_.size();
  const std::size_t groups = (count + SweepBlock::kGroup - 1) / SweepBlock::kGroup;
  block.degree = degree_;
  block.count = count;
  block.lines.resize(groups * nodes * 2);
  const SweepCaster caster = sweep_caster(reference_);
  const SweepSource source = sweep_source(source_);
  const auto node = source.ratio.air_is_thinner ? sweep_node_air_thinner : sweep_node_water_thinner;
  RayChunk rays;
  std::array<Chunk, kMaxDegree + 1> u, v;
  std::array<float, kChunk> coefficients;
  for (std::size_t chunk = 0; chunk * kGroupsPerChunk < groups; ++chunk) {
    sweep_rays(caster, kChunk, row, first_column + static_cast<double>(chunk * kChunk), rays);
    for (std::size_t j = 0; j < nodes; ++j) node(source, kChunk, node_depths_m_[j], rays, u[j], v[j]);
    const std::size_t first_group = chunk * kGroupsPerChunk;
    const std::size_t last_group = std::min(groups, first_group + kGroupsPerChunk);
    for (std::size_t k = 0; k < nodes; ++k) {
      for (std::size_t axis = 0; axis < 2; ++axis) {
        sweep_combine(&transform_[k * nodes], nodes, axis == 0 ? u.data() : v.data(), coefficients.data());
        for (std::size_t group = first_group; group < last_group; ++group)
          std::memcpy(block.lines[(group * nodes + k) * 2 + axis].value,
                      &coefficients[(group - first_group) * SweepBlock::kGroup], sizeof(SweepBlock::Line));
      }
    }
  }
}

void project_row(const SweepBlock& block, float s, std::span<float> u_px, std::span<float> v_px) {
  if (u_px.size() != block.count || v_px.size() != block.count)
    throw Error(ErrorKind::usage, fmt::format("project_row: {} pixels but room for {} and {}", block.count,
                                              u_px.size(), v_px.size()));
  const std::size_t whole = block.count / SweepBlock::kGroup;
  const auto degree = static_cast<std::size_t>(block.degree);
  sweep_evaluate(block.lines.data(), whole, degree, s, u_px.data(), v_px.data());
  const std::size_t done = whole * SweepBlock::kGroup;
  if (done == block.count) return;
  SweepBlock::Line u, v;
  sweep_evaluate(&block.lines[whole * 2 * (degree + 1)], 1, degree, s, u.value, v.value);
  std::copy_n(u.value, block.count - done, &u_px[done]);
  std::copy_n(v.value, block.count - done, &v_px[done]);
}

}  // namespace aqbench
