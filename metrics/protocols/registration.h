#pragma once
// The registration of Tanks and Temples: RANSAC over camera centres, then three alignments of the clouds.

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "metrics/alignment/point_icp.h"
#include "metrics/alignment/similarity_ransac.h"

namespace aqbench {

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
