#pragma once
// The similarity between pairs of points, as of camera centres: in closed form, in the presence of pairs that
// are wrong, and that with which most pairs agree.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/transform.h"

namespace aqbench {

// Whether the scale is estimated, or stays 1.
enum class FitScale { estimated, one };

// Returns the similarity that brings the points of `from` closest to those of `to` in least squares (Umeyama,
// "Least-squares estimation of transformation parameters between two point patterns", TPAMI 1991). Throws
// Error(usage) for spans of unequal size, Error(input) "WHAT: ..." where the pairs do not determine it: fewer
// than 3, or all on one line (within a millionth of their extent), or not finite.
Similarity fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to, FitScale scale,
                          const std::string& what);

// Returns the same for spans of equal size with finite points; nullopt where they do not determine a
// similarity.
std::optional<Similarity> try_fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to,
                                             FitScale scale);

// A fit of positions, which points on one line determine, too.
struct PositionFit {
  Similarity to_from;
  std::string chance;  // why its rotation is not determined; empty: it is
};

// Returns the same fit for spans of equal size with finite points, also of points on one line, or nearly: as
// far as what is left of their distances tells, which is measured with a scale. nullopt for fewer than 3, and
// where those of one span are all at one place.
std::optional<PositionFit> fit_positions(std::span<const Vec3> from, std::span<const Vec3> to,
                                         FitScale scale);

// A fit to the pairs that agree.
struct RobustFit {
  Similarity to_from;
  std::vector<bool> inlier;  // of each pair
  std::size_t inliers = 0;
  double rms_m = 0, max_m = 0;  // distances that are left, of the pairs that agree
  double median_before_m = 0;   // of all pairs, before
};

// Fits to pairs of which less than half are wrong: of 500 similarities through three pairs each (all triples,
// where those are fewer), drawn from `seed`, the one with the least median distance decides which pairs
// agree, those within 2.5 robust standard deviations of it (Rousseeuw, "Least median of squares regression",
// JASA 1984); the fit is that of all of them. Throws as fit_similarity() does, also where those that agree
// are no farther from one line than five times what is left of their distances: they lie on it as far as that
// tells, or agree with no similarity.
RobustFit fit_similarity_robust(std::span<const Vec3> from, std::span<const Vec3> to, FitScale scale,
                                const std::string& what, std::uint64_t seed = 1);

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
// agree, of several the one that leaves the least rms, as Open3D's RANSAC over given correspondences finds
// it, but from a seed; it is not fitted again to all that agree. The result depends neither on the order of
// the pairs nor on the number of threads. Uses parallel_for. Throws as fit_similarity() does, and
// Error(input) "WHAT: ..." where not more than half of the pairs agree, and where those that agree lie on one
// line within three times the rms that is left.
RansacFit fit_similarity_ransac(std::span<const Vec3> from, std::span<const Vec3> to, const std::string& what,
                                const RansacOptions& options = {});

}  // namespace aqbench
