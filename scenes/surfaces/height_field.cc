#include "scenes/surfaces/height_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/random.h"
#include "scenes/surfaces/quadrature.h"

namespace aqbench {
namespace {

constexpr std::size_t kBatch = 128;

std::size_t panel_count(double extent_m, double feature_m) {
  return static_cast<std::size_t>(std::clamp(std::ceil(extent_m / feature_m), 1.0, 4096.0));
}

}  // namespace

ClosestPoint closest_point_at(const Vec3& point_m, double x_m, double y_m, const HeightJet& jet) {
  const double gap = jet.z - point_m.z();
  const double dx = point_m.x() - x_m, dy = point_m.y() - y_m;
  const double inverse = 1.0 / std::sqrt(1.0 + jet.fx * jet.fx + jet.fy * jet.fy);
  return {{x_m, y_m, jet.z},
          {jet.fx * inverse, jet.fy * inverse, -inverse},
          std::copysign(std::sqrt(dx * dx + dy * dy + gap * gap), gap)};
}

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
  // (1 - 1 / 10)^4096 is 0 for all purposes: the bound only keeps a wrong area factor from looping for ever.
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
  if (!(pitch_m > 0))
    throw Error(ErrorKind::usage, fmt::format("pitch_m: must be positive, got {}", pitch_m));
  const double width = patch_.x_max_m - patch_.x_min_m, depth = patch_.y_max_m - patch_.y_min_m;
  // A pitch that divides the extent up to rounding gives exactly that many cells.
  const double cells_x = std::ceil(width / pitch_m - 1e-9), cells_y = std::ceil(depth / pitch_m - 1e-9);
  if ((cells_x + 1) * (cells_y + 1) > 2e9)
    throw Error(ErrorKind::usage, fmt::format("pitch_m: {} gives more than 2e9 vertices", pitch_m));
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

void PatchHeightField::signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const {
  std::array<ClosestPoint, kBatch> closest;
  for (std::size_t begin = 0; begin < points_m.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, points_m.size() - begin);
    closest_points(points_m.subspan(begin, count), std::span(closest).first(count));
    for (std::size_t i = 0; i < count; ++i) out_m[begin + i] = closest[i].signed_distance_m;
  }
}

}  // namespace aqbench
