#pragma once
// The registration of Tanks and Temples: RANSAC over camera centres, then three alignments of the clouds,
// point to point and with a scale, as Open3D's registration_icp does it.

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "metrics/alignment/similarity_fit.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/transform.h"

namespace aqbench {

// Which points have partners, and when the alignment ends: after max_iterations, or when an iteration changes
// both the fitness and the inlier rmse by less than these.
struct PointIcpOptions {
  double within_m = 0.01;  // the partner of a point is its nearest if that is nearer than this
  int max_iterations = 30;
  double fitness_change = 1e-6;
  double rmse_change_m = 1e-6;
  double most_scaling = 2;  // a scale beyond this, or below its inverse, has run away
  FitScale scale = FitScale::estimated;
  bool fit_anyway =
      false;  // as Open3D: what pairs do not determine is fitted, and no pair ends the alignment
};

// How well points fit: Open3D's numbers.
struct PointFit {
  double fitness = 0;        // share of the points that have a partner
  double inlier_rmse_m = 0;  // root mean square distance to it
};

// What an alignment found.
struct PointIcp {
  Similarity to_from;
  int iterations = 0;
  std::size_t pairs = 0;  // at the end
  PointFit before, after;
};

// Returns Umeyama's similarity, for pairs that do not determine one some such as Eigen finds it.
Similarity fit_anyway(const std::vector<Vec3>& from_m, const std::vector<Vec3>& to_m, FitScale scale);

// Aligns by iterated closest points (Besl and McKay, TPAMI 1992): pairs each point of from_m with the nearest
// of to_m, of those equally near with the first, and moves by fit_similarity() of all pairs. All points must
// be measurable. The result depends on the order of the points, but not on the number of threads. Uses
// parallel_for. Throws Error(input) "WHAT: ..." where a cloud is empty, the scale runs away, and unless
// options.fit_anyway where no point has a partner or the pairs do not determine a similarity.
PointIcp align_points(std::vector<Vec3> from_m, std::span<const Vec3> to_m, const PointIcpOptions& options,
                      const std::string& what);

// What is registered: a cloud and its truth, and the cameras of both.
struct RegistrationInput {
  std::span<const Vec3> cloud_m;  // in the cloud's frame, as it is given
  std::span<const Vec3> truth_m;
  std::span<const Vec3> cameras_m, true_cameras_m;  // the same camera at the same place
  std::function<bool(const Vec3&)> crop = {};       // whether a point of the truth's frame counts; empty: all
};

// The settings of a registration; the defaults are those of Tanks and Temples.
struct RegistrationOptions {
  double tau_m = 0.005;               // the scene's threshold; 80, 20 and 2 times it bound the alignments
  std::size_t most_points = 4000000;  // of the last alignment: more are thinned to about so many
  RansacOptions cameras;
};

// One of the three alignments.
struct RegistrationStep {
  double voxel_m = 0;  // of both clouds; 0: none, but few enough points
  double within_m = 0;
  std::size_t points = 0, truth_points = 0;
  PointIcp icp;
};

// What was found, and how.
struct Registration {
  Similarity truth_from_cloud;
  RansacFit cameras;         // as drawn
  RansacFit cameras_at_end;  // the same cameras under truth_from_cloud
  std::array<RegistrationStep, 3> steps;
};

// Registers as isl-org/TanksAndTemples does (python_toolbox/evaluation/registration.py), in the order of its
// run.py and with the numbers that reach Open3D there: ICPConvergenceCriteria(1e-6, 20) means a change of the
// rmse of 20 m and 30 iterations, so the fitness alone ends an alignment. The result depends neither on the
// order of points or cameras nor on the number of threads. Uses parallel_for. Throws Error(usage) unless tau
// is positive, Error(input) "WHAT: ..." as fit_similarity_ransac() and align_points() do, and where less than
// half of as many cameras agree at the end.
Registration register_as_tanks_and_temples(const RegistrationInput& input, const RegistrationOptions& options,
                                           const std::string& what);

}  // namespace aqbench
