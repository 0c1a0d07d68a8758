#include "scenes/surfaces/height_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"

namespace aqbench {
namespace {

constexpr std::size_t kBatch = 128;

std::size_t panel_count(double extent_m, double feature_m) {
  return static_cast<std::size_t>(std::clamp(std::ceil(extent_m / feature_m), 1.0, 4096.0));
}

// Cuts [low, high] into `cells` parts of equal integral of a density given at the midpoints of equal bins.
std::vector<double> equal_parts(double low, double high, const std::vector<double>& density,
                                std::size_t cells) {
  const double total = std::accumulate(density.begin(), density.end(), 0.0);
  const double bin_width = (high - low) / static_cast<double>(density.size());
  std::vector<double> edges(cells + 1);
  double before = 0;
  std::size_t bin = 0;
  for (std::size_t i = 1; i < cells; ++i) {
    const double wanted = total * static_cast<double>(i) / static_cast<double>(cells);
    while (bin + 1 < density.size() && before + density[bin] < wanted) before += density[bin++];
    const double within = std::clamp((wanted - before) / density[bin], 0.0, 1.0);
    edges[i] = low + bin_width * (static_cast<double>(bin) + within);
  }
  edges[0] = low;
  edges[cells] = high;
  return edges;
}

std::vector<double> midpoints(double low, double high, std::size_t count) {
  std::vector<double> at(count);
  for (std::size_t i = 0; i < count; ++i)
    at[i] = low + (high - low) * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  return at;
}

std::size_t at_least_one(double count) { return static_cast<std::size_t>(std::max(1.0, std::round(count))); }

}  // namespace

ClosestPoint closest_point_at(const Vec3& point_m, double x_m, double y_m, const HeightJet& jet) {
  const double gap = jet.z - point_m.z();
  const double dx = point_m.x() - x_m, dy = point_m.y() - y_m;
  const double inverse = 1.0 / std::sqrt(1.0 + jet.fx * jet.fx + jet.fy * jet.fy);
  return {{x_m, y_m, jet.z},
          {jet.fx * inverse, jet.fy * inverse, -inverse},
          std::copysign(std::sqrt(dx * dx + dy * dy + gap * gap), gap)};
}

PatchHeightField::PatchHeightField(const Patch& patch) : patch_(patch) { check(patch); }

void PatchHeightField::slopes(const double* x, const double* y, std::size_t count, double* z, double* fx,
                              double* fy) const {
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isnan(x[i])) continue;
    const HeightJet j = jet(x[i], y[i]);
    z[i] = j.z, fx[i] = j.fx, fy[i] = j.fy;
  }
}

void PatchHeightField::heights(const double* x, const double* y, std::size_t count, double* z,
                               double* area_factor) const {
  for (std::size_t i = 0; i < count; ++i) {
    const HeightJet j = jet(x[i], y[i]);
    z[i] = j.z;
    area_factor[i] = std::sqrt(1 + j.fx * j.fx + j.fy * j.fy);
  }
}

double PatchHeightField::max_area_factor() const { return std::sqrt(1 + bounds_.slope * bounds_.slope); }

double PatchHeightField::area_m2() const {
  std::call_once(area_once_, [this] { area_m2_ = compute_area_m2(); });
  return area_m2_;
}

double PatchHeightField::compute_area_m2() const {
  const double width = patch_.x_max_m - patch_.x_min_m, depth = patch_.y_max_m - patch_.y_min_m;
  const Vec2 feature = feature_size_m();
  std::size_t panels_x = panel_count(width, feature.x()), panels_y = panel_count(depth, feature.y());
  double previous = std::numeric_limits<double>::infinity();
  for (int doubling = 0;; ++doubling) {
    const QuadratureLine along_x = gauss_legendre(patch_.x_min_m, patch_.x_max_m, panels_x);
    const QuadratureLine along_y = gauss_legendre(patch_.y_min_m, patch_.y_max_m, panels_y);
    const std::size_t count = along_x.at.size();
    std::vector<double> y(count), z(count), factor(count);
    double area = 0;
    for (std::size_t row = 0; row < along_y.at.size(); ++row) {
      std::ranges::fill(y, along_y.at[row]);
      heights(along_x.at.data(), y.data(), count, z.data(), factor.data());
      area +=
          along_y.weight[row] * std::inner_product(factor.begin(), factor.end(), along_x.weight.begin(), 0.0);
    }
    if (std::abs(area - previous) <= 2e-14 * area || doubling == 4) return area;
    previous = area;
    panels_x *= 2;
    panels_y *= 2;
  }
}

// Rejection: a position of the patch's rectangle is kept with probability area factor / its bound. Attempt t
// of an index draws from slots 2t and 2t + 1, so that a position depends on (seed, index) alone.
void PatchHeightField::sample_positions(std::uint64_t seed, std::uint64_t first_index,
                                        std::span<Vec3> out_m) const {
  // (1 - 1 / 10)^4096 is practically 0: the limit only ends the loop if an area factor is wrong.
  constexpr std::uint32_t kMaxAttempts = 4096;
  const RandomKey key{seed, RandomStream::surface_position};
  const double width = patch_.x_max_m - patch_.x_min_m, depth = patch_.y_max_m - patch_.y_min_m;
  const double bound = max_area_factor();
  std::array<double, kBatch> x, y, z, factor;
  std::array<std::size_t, kBatch> pending;
  for (std::size_t begin = 0; begin < out_m.size(); begin += kBatch) {
    std::size_t count = std::min(kBatch, out_m.size() - begin);
    std::iota(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(count), begin);
    for (std::uint32_t attempt = 0; count > 0; ++attempt) {
      for (std::size_t i = 0; i < count; ++i) {
        const auto [u, v] = uniform01_pair(key, first_index + pending[i], 2 * attempt);
        x[i] = patch_.x_min_m + u * width;
        y[i] = patch_.y_min_m + v * depth;
      }
      heights(x.data(), y.data(), count, z.data(), factor.data());
      std::size_t left = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double kept = uniform01(key, first_index + pending[i], 2 * attempt + 1) * bound;
        if (kept <= factor[i] || attempt + 1 == kMaxAttempts)
          out_m[pending[i]] = {x[i], y[i], z[i]};
        else
          pending[left++] = pending[i];
      }
      count = left;
    }
  }
}

TriangleMesh PatchHeightField::mesh(double pitch_m) const {
  if (!(pitch_m > 0)) throw usage_error("pitch_m: must be positive, got {}", pitch_m);
  const double width = patch_.x_max_m - patch_.x_min_m, depth = patch_.y_max_m - patch_.y_min_m;
  // A pitch that divides the extent up to rounding gives exactly that many cells.
  const double cells_x = std::ceil(width / pitch_m - 1e-9), cells_y = std::ceil(depth / pitch_m - 1e-9);
  if ((cells_x + 1) * (cells_y + 1) > 2e9)
    throw usage_error("pitch_m: {} gives more than 2e9 vertices", pitch_m);
  const auto nx = static_cast<std::uint32_t>(std::max(cells_x, 1.0));
  const auto ny = static_cast<std::uint32_t>(std::max(cells_y, 1.0));
  TriangleMesh mesh;
  mesh.vertices_m.reserve(std::size_t{nx + 1} * (ny + 1));
  mesh.triangles.reserve(std::size_t{2} * nx * ny);
  std::vector<double> x(nx + 1), y(nx + 1), z(nx + 1), factor(nx + 1);
  for (std::uint32_t i = 0; i <= nx; ++i) x[i] = i == nx ? patch_.x_max_m : patch_.x_min_m + i * (width / nx);
  for (std::uint32_t j = 0; j <= ny; ++j) {
    std::ranges::fill(y, j == ny ? patch_.y_max_m : patch_.y_min_m + j * (depth / ny));
    heights(x.data(), y.data(), x.size(), z.data(), factor.data());
    for (std::uint32_t i = 0; i <= nx; ++i) mesh.vertices_m.emplace_back(x[i], y[i], z[i]);
  }
  for (std::uint32_t j = 0; j < ny; ++j) {
    for (std::uint32_t i = 0; i < nx; ++i) {
      // Wound so that (b - a) x (c - a) has a negative z: towards the cameras.
      const std::uint32_t a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
  }
  return mesh;
}

// The edges of columns and cells come from tables and so have nearly, not exactly, equal areas. That costs no
// exactness: a sample is uniform on its cell's rectangle and weighs rectangle x area factor, which is
// unbiased for any cut.
SurfaceSamples PatchHeightField::stratified_samples(double spacing_m, std::uint64_t seed) const {
  const double width = patch_.x_max_m - patch_.x_min_m, depth = patch_.y_max_m - patch_.y_min_m;
  if (!(spacing_m > 0) || area_m2() / (spacing_m * spacing_m) > 2e9)
    throw usage_error("spacing_m: must be positive and give at most 2e9 samples, got {}", spacing_m);
  const double stretch = std::sqrt(area_m2() / (width * depth));  // surface length per length in x or y
  const std::size_t columns = at_least_one(width * stretch / spacing_m);
  const std::size_t bins_y = at_least_one(0.5 * depth * stretch / spacing_m);
  const std::vector<double> bin_y = midpoints(patch_.y_min_m, patch_.y_max_m, bins_y);

  // Area factors along y at one x.
  const auto factors_at = [&](double x_m) {
    std::vector<double> x(bins_y, x_m), z(bins_y), factor(bins_y);
    heights(x.data(), bin_y.data(), bins_y, z.data(), factor.data());
    return factor;
  };
  std::vector<double> density_x(columns);
  const std::vector<double> bin_x = midpoints(patch_.x_min_m, patch_.x_max_m, columns);
  parallel_for(columns, 32, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::vector<double> factor = factors_at(bin_x[i]);
      density_x[i] = std::accumulate(factor.begin(), factor.end(), 0.0);
    }
  });
  const std::vector<double> edge_x = equal_parts(patch_.x_min_m, patch_.x_max_m, density_x, columns);

  // Every column has (nearly) the same area, hence the same number of cells.
  const std::size_t rows = at_least_one(area_m2() / (static_cast<double>(columns) * spacing_m * spacing_m));
  SurfaceSamples samples;
  samples.spacing_m = spacing_m;
  samples.positions_m.resize(columns * rows);
  samples.weights.resize(columns * rows);
  std::vector<double> column_sum(columns);
  const RandomKey key{seed, RandomStream::completeness_samples};
  parallel_for(columns, 16, [&](std::size_t begin, std::size_t end) {
    std::vector<double> x(rows), y(rows), z(rows), factor(rows);
    for (std::size_t i = begin; i < end; ++i) {
      const double x_low = edge_x[i], x_step = edge_x[i + 1] - edge_x[i];
      const std::vector<double> edge_y =
          equal_parts(patch_.y_min_m, patch_.y_max_m, factors_at(x_low + 0.5 * x_step), rows);
      for (std::size_t j = 0; j < rows; ++j) {
        const auto [u, v] = uniform01_pair(key, i * rows + j);
        x[j] = x_low + u * x_step;
        y[j] = edge_y[j] + v * (edge_y[j + 1] - edge_y[j]);
      }
      heights(x.data(), y.data(), rows, z.data(), factor.data());
      for (std::size_t j = 0; j < rows; ++j) {
        // Every second column runs backwards, so that neighbours in the array are neighbours in space.
        const std::size_t at = i * rows + (i % 2 == 0 ? j : rows - 1 - j);
        samples.positions_m[at] = {x[j], y[j], z[j]};
        samples.weights[at] = factor[j] * x_step * (edge_y[j + 1] - edge_y[j]);
        column_sum[i] += samples.weights[at];
      }
    }
  });
  // The sum differs from the area by about 1e-6 of it; scaled, completeness of a full cover is exactly 1.
  const double scale = area_m2() / std::accumulate(column_sum.begin(), column_sum.end(), 0.0);
  for (double& weight : samples.weights) weight *= scale;
  return samples;
}

void PatchHeightField::signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const {
  std::array<ClosestPoint, kBatch> closest;
  for (std::size_t begin = 0; begin < points_m.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, points_m.size() - begin);
    closest_points(points_m.subspan(begin, count), std::span(closest).first(count));
    for (std::size_t i = 0; i < count; ++i) out_m[begin + i] = closest[i].signed_distance_m;
  }
}

void require_shape(bool holds, std::string_view field, std::string_view must, double value) {
  if (!holds) throw usage_error("{}: must be {}, got {}", field, must, value);
}

void require_finite(std::string_view field, double value) {
  require_shape(std::isfinite(value), field, "finite", value);
}

void require_positive(std::string_view field, double value) {
  require_shape(std::isfinite(value) && value > 0, field, "positive", value);
}

void require_not_negative(std::string_view field, double value) {
  require_shape(std::isfinite(value) && value >= 0, field, "at least 0", value);
}

void require_slope(std::string_view field, double slope) {
  if (slope > kMaxSlope)
    throw usage_error("{}: the steepest slope would be {:.3g}, more than {}", field, slope, kMaxSlope);
}

void check(const Patch& patch) {
  constexpr double kMaxArea_m2 = 4.0;  // 9 million completeness samples; the rig sees less than half of it
  for (const auto& [name, low, high] :
       {std::tuple{"x", patch.x_min_m, patch.x_max_m}, std::tuple{"y", patch.y_min_m, patch.y_max_m}}) {
    require_finite(fmt::format("{}_min_m", name), low);
    require_finite(fmt::format("{}_max_m", name), high);
    if (!(high - low >= 1e-3))
      throw usage_error("{0}_max_m: must exceed {0}_min_m by at least 0.001 m, got {1} to {2}", name, low,
                        high);
  }
  const double area = (patch.x_max_m - patch.x_min_m) * (patch.y_max_m - patch.y_min_m);
  if (area > kMaxArea_m2)
    throw usage_error("x_min_m to y_max_m: the patch has {:.4g} m2, more than {} m2", area, kMaxArea_m2);
}

QuadratureLine gauss_legendre(double low, double high, std::size_t panels) {
  // Positive abscissae and their weights on [-1, 1] (Abramowitz and Stegun, table 25.4).
  constexpr std::array<double, 6> kNode = {0.125233408511468915, 0.367831498998180194, 0.587317954286617447,
                                           0.769902674194304687, 0.904117256370474857, 0.981560634246719251};
  constexpr std::array<double, 6> kWeight = {0.249147045813402785, 0.233492536538354809,
                                             0.203167426723065922, 0.160078328543346226,
                                             0.106939325995318431, 0.047175336386511827};
  QuadratureLine line;
  const double half = 0.5 * (high - low) / static_cast<double>(panels);
  for (std::size_t p = 0; p < panels; ++p) {
    const double middle = low + half * static_cast<double>(2 * p + 1);
    for (std::size_t i = 0; i < kNode.size(); ++i) {
      for (const double sign : {-1.0, 1.0}) {
        line.at.push_back(middle + sign * half * kNode[i]);
        line.weight.push_back(half * kWeight[i]);
      }
    }
  }
  return line;
}

}  // namespace aqbench
