// Stratified samples of a height field: columns of equal area across x, cells of equal area along each.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scenes/surfaces/height_field.h"

namespace aqbench {
namespace {

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

// The edges of columns and cells come from tables and so have nearly, not exactly, equal areas. That costs no
// exactness: a sample is uniform on its cell's rectangle and weighs rectangle x area factor, which is
// unbiased for any cut.
SurfaceSamples PatchHeightField::stratified_samples(double spacing_m, std::uint64_t seed) const {
  const double width = patch_.x_max_m - patch_.x_min_m, depth = patch_.y_max_m - patch_.y_min_m;
  if (!(spacing_m > 0) || area_m2() / (spacing_m * spacing_m) > 2e9)
    throw Error(ErrorKind::usage,
                fmt::format("spacing_m: must be positive and give at most 2e9 samples, got {}", spacing_m));
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

}  // namespace aqbench
