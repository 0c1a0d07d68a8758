#include "pipeline/dense_flow/plane_search.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/dense_flow/local_normalisation.h"
#include "pipeline/dense_flow/pair_matching.h"

namespace aqbench::dense_flow {
namespace {

constexpr int kSearchWidth_px = 160, kSearchWindow_px = 9;
constexpr double kNearest_m = 0.01, kFurthest_m = 2.0;
constexpr double kParallaxStep_px = 0.75;  // of the reduced images, between planes
constexpr std::size_t kReferences = 4, kSources = 2;
// The best plane's correlation must exceed the median's by this much.
constexpr double kLeastRise = 0.1;

DatasetView reduce(const DatasetView& view) {
  DatasetView small;
  small.name = view.name;
  small.is_auxiliary = view.is_auxiliary;
  small.camera = view.camera;
  const int factor = std::max(1, view.camera.width_px / kSearchWidth_px);
  const int width = view.camera.width_px / factor, height = view.camera.height_px / factor;
  small.camera.width_px = width;
  small.camera.height_px = height;
  // A reduced pixel is the mean of factor x factor pixels: its centre is at factor * i + (factor - 1) / 2.
  small.camera.fx_px = view.camera.fx_px / factor;
  small.camera.fy_px = view.camera.fy_px / factor;
  small.camera.cx_px = (view.camera.cx_px - 0.5 * (factor - 1)) / factor;
  small.camera.cy_px = (view.camera.cy_px - 0.5 * (factor - 1)) / factor;
  small.grey.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  small.inside.assign(small.grey.size(), 1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      double sum = 0;
      for (int j = 0; j < factor; ++j)
        for (int i = 0; i < factor; ++i) {
          const std::size_t from =
              static_cast<std::size_t>(y * factor + j) * static_cast<std::size_t>(view.camera.width_px) +
              static_cast<std::size_t>(x * factor + i);
          sum += view.grey[from];
          if (view.inside[from] == 0) small.inside[at] = 0;
        }
      small.grey[at] = static_cast<float>(sum / (factor * factor));
    }
  return small;
}

// Mean over windows of the correlation of the reference with the source on the plane; weight: windows.
double plane_correlation(const DatasetView& reference, const DatasetView& source, double z_m,
                         double& windows) {
  const AlignedSource aligned = align_source(reference, source, plane_depths(reference.camera, z_m));
  const int width = reference.camera.width_px, height = reference.camera.height_px;
  const auto normal = [&](const std::vector<float>& grey) {
    return normalise_locally({width, height, grey.data(), nullptr}, kSearchWindow_px);
  };
  const std::vector<float> a = normal(reference.grey), b = normal(aligned.grey);
  double sum = 0;
  windows = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (aligned.seen[i] == 0) continue;
    sum += a[i] * b[i];
    ++windows;
  }
  return sum;
}

std::vector<double> search_planes(const DatasetView& reference, const DatasetView& source) {
  const double water_z_m = reference.camera.water_z_m;
  const double baseline_m = (to_vec3(reference.camera.centre_m) - to_vec3(source.camera.centre_m)).norm();
  std::vector<double> planes_m;
  double z_m = water_z_m + kNearest_m;
  while (z_m <= water_z_m + kFurthest_m) {
    planes_m.push_back(z_m);
    // Parallax of a pinhole: f b / distance; the step that changes it by kParallaxStep_px.
    const double distance_m = z_m - reference.camera.centre_m[2];
    const double step_m =
        kParallaxStep_px * distance_m * distance_m / (reference.camera.fx_px * std::max(baseline_m, 1e-3));
    z_m += std::clamp(step_m, 0.002, 0.2);
  }
  return planes_m;
}

struct SearchPair {
  std::size_t reference, source;
};

std::vector<SearchPair> search_pairs(std::span<const DatasetView> views) {
  std::vector<std::size_t> ring;
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) ring.push_back(i);
  std::vector<SearchPair> pairs;
  const std::size_t count = std::min(kReferences, ring.size());
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t reference = ring[r * ring.size() / count];
    const std::vector<std::size_t> sources = select_sources(views, reference, kSources);
    for (std::size_t s = 0; s < std::min(kSources, sources.size()); ++s)
      pairs.push_back({reference, sources[s]});
  }
  return pairs;
}

}  // namespace

PlaneSearch find_mean_plane(std::span<const DatasetView> views) {
  std::vector<DatasetView> small;
  for (const DatasetView& view : views) small.push_back(reduce(view));
  const std::vector<SearchPair> pairs = search_pairs(small);
  if (pairs.empty())
    throw Error(ErrorKind::method, "depth_range: needs two cameras, at least one of them not auxiliary");
  const std::vector<double> planes_m = search_planes(small[pairs[0].reference], small[pairs[0].source]);
  std::vector<double> scores(planes_m.size());
  parallel_for(planes_m.size(), 1, [&](std::size_t p, std::size_t) {
    double sum = 0, windows = 0, of_pair = 0;
    for (const SearchPair& pair : pairs) {
      sum += plane_correlation(small[pair.reference], small[pair.source], planes_m[p], of_pair);
      windows += of_pair;
    }
    scores[p] = windows > 0 ? sum / windows : 0;
  });
  const auto best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  PlaneSearch found{planes_m[best], scores[best], 0};
  std::vector<double> sorted = scores;
  std::ranges::sort(sorted);
  found.second = sorted[sorted.size() / 2];
  if (!(found.score - found.second >= kLeastRise))
    throw method_error(
        "depth_range: the images agree on no plane below the water "
        "(best correlation {:.3f} at z = {:.3f} m, {:.3f} by chance)",
        found.score, found.z_m, found.second);
  if (best > 0 && best + 1 < planes_m.size()) {
    const double a = scores[best - 1], b = scores[best], c = scores[best + 1];
    const double offset = std::clamp(0.5 * (a - c) / (a - 2 * b + c), -0.5, 0.5);
    const double step_m =
        offset > 0 ? planes_m[best + 1] - planes_m[best] : planes_m[best] - planes_m[best - 1];
    if (std::isfinite(offset)) found.z_m += offset * step_m;
  }
  return found;
}

}  // namespace aqbench::dense_flow
