#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "metrics/change/sides.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "scenes/cloud/cloud_blocks.h"

namespace aqbench {
namespace {

constexpr std::size_t kMinLevels = 3;

// Returns the distance of levels of which all values are multiples from the first; 0 without any.
double step_of(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() < kMinLevels) return 0;
  const double rounding = 8 * std::numeric_limits<double>::epsilon() *
                          std::max(std::abs(values.front()), std::abs(values.back()));
  double step = HUGE_VAL;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] - values[i - 1] > 2 * rounding) step = std::min(step, values[i] - values[i - 1]);
  if (!(step < HUGE_VAL && step > 1e3 * rounding)) return 0;
  // The whole range has a whole number of steps, which says them better than one of them does.
  const double range = values.back() - values.front();
  step = range / std::round(range / step);
  std::size_t levels = 1;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double steps = (values[i] - values.front()) / step;
    if (std::abs(steps - std::round(steps)) * step > 1e-6 * step + rounding) return 0;
    levels += values[i] - values[i - 1] > 2 * rounding ? 1 : 0;
  }
  return levels < kMinLevels ? 0 : step;
}

// Returns whether neighbours stand on the levels as rounding puts them: all on one, or beside the plane
// through them. Levels of a slope on a regular grid are its true heights.
bool are_rounded(const PointCloud& cloud, int axis, double step_m) {
  constexpr std::size_t kNeighbours = 9, kSteps = 1000;
  const NearestNeighbourIndex index(cloud.points_m, true);
  const std::size_t stride = 1 + cloud.points_m.size() / kSteps;
  std::size_t looks = 0, rounded = 0;
  std::vector<NearestNeighbourIndex::Neighbour> nearest;
  for (std::size_t i = 0; i < cloud.points_m.size(); i += stride, ++looks) {
    index.k_nearest(cloud.points_m[i], kNeighbours, nearest);
    Eigen::MatrixX3d from(static_cast<Eigen::Index>(nearest.size()), 3);
    for (std::size_t k = 0; k < nearest.size(); ++k)
      from.row(static_cast<Eigen::Index>(k)) = cloud.points_m[nearest[k].index] - cloud.points_m[i];
    const bool level = from.col(axis).cwiseAbs().maxCoeff() < step_m / 2;
    const Eigen::MatrixX3d centred = from.rowwise() - from.colwise().mean();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(centred.transpose() * centred);
    const double beside_m =
        std::sqrt(std::max(0.0, axes.eigenvalues()[0]) / static_cast<double>(nearest.size()));
    rounded += level || beside_m > 0.05 * step_m ? 1 : 0;
  }
  return 2 * rounded > looks;
}

}  // namespace

StepsOfCloud float_steps_of(const PointCloud& cloud, double metres_per_unit) {
  StepsOfCloud steps;
  steps.is_float = coordinate_steps(SpanBlocks(cloud.points_m), metres_per_unit).float_step_m > 0;
  if (steps.is_float)
    for (int axis = 0; axis < 3; ++axis) {
      double largest = 0;
      for (const Vec3& point : cloud.points_m) largest = std::max(largest, std::abs(point[axis]));
      const auto at = static_cast<float>(largest / metres_per_unit);
      steps.step_m[axis] =
          (static_cast<double>(std::nextafter(at, std::numeric_limits<float>::infinity())) - at) *
          metres_per_unit;
    }
  return steps;
}

void add_steps_of_heights(const PointCloud& cloud, int up_axis, StepsOfCloud& steps) {
  std::vector<double> heights;
  for (std::size_t i = 0; i < cloud.points_m.size(); ++i)
    if (std::abs(cloud.normals[i][up_axis]) > 0.5) heights.push_back(cloud.points_m[i][up_axis]);
  const double step_m = step_of(std::move(heights));
  if (!(step_m > steps.step_m[up_axis]) || !are_rounded(cloud, up_axis, step_m)) return;
  steps.step_m[up_axis] = step_m;
  if (step_m >= steps.step_m.maxCoeff()) steps.is_float = false;
}

}  // namespace aqbench
