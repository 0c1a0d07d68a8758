#pragma once
// The similarity with which most pairs of points agree, as of camera centres: found as Open3D's RANSAC over
// given correspondences finds it, but from a seed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/transform.h"

namespace aqbench {

// What is drawn, and when a pair agrees. The defaults are those of Tanks and Temples' registration.
struct RansacOptions {
  double within_m = 0.2;          // a pair agrees whose point is moved nearer than this to the other
  std::size_t pairs_in_draw = 6;  // with repetition
  std::size_t draws = 100000;
  std::uint64_t seed = 1;
};

// A fit, and the pairs that agree with it.
struct RansacFit {
  Similarity to_from;
  std::vector<bool> agrees;  // of each pair
  std::size_t agreeing = 0;
  double rms_m = 0;  // distances that are left, of the pairs that agree
};

// Returns which pairs a similarity moves nearer than within_m to each other, and how near.
RansacFit agreement_of(const Similarity& to_from, std::span<const Vec3> from, std::span<const Vec3> to,
                       double within_m);

// Returns of the least-squares similarities (fit_similarity) through drawn pairs that with which most pairs
// agree, of several the one that leaves the least rms; it is not fitted again to all that agree. The result
// depends neither on the order of the pairs nor on the number of threads. Uses parallel_for. Throws as
// fit_similarity() does, and Error(input) "WHAT: ..." where not more than half of the pairs agree, and where
// those that agree lie on one line within three times the rms that is left.
RansacFit fit_similarity_ransac(std::span<const Vec3> from, std::span<const Vec3> to, const std::string& what,
                                const RansacOptions& options = {});

}  // namespace aqbench
