#include "harness/scoring/scorable.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <array>
#include <mutex>
#include <span>

#include "core/error.h"
#include "core/parallel.h"
#include "scenes/surfaces/bordered_surface.h"

namespace aqbench {
namespace {

using Box = Eigen::AlignedBox3d;

// With a smaller share of points near the scene, a wrong unit or frame is the likely cause.
constexpr double kAlmostNone = 0.01;

// Returns the box of the scored part of the surface.
Box truth_box(const Surface& truth) {
  if (const auto* const bordered = dynamic_cast<const BorderedSurface*>(&truth)) return bordered->bounds_m();
  Box box;
  const Patch* const patch = truth.patch();
  const double coarse_pitch_m = patch != nullptr ? (patch->x_max_m - patch->x_min_m) / 20 : 1.0;
  for (const Vec3& vertex : truth.mesh(coarse_pitch_m).vertices_m) box.extend(vertex);
  return box;
}

// Returns the box of the scored region, with room around it for a poor reconstruction.
Box truth_region(const Surface& truth) {
  const Box box = truth_box(truth);
  const double margin_m = 0.5 * box.diagonal().norm();
  return {box.min() - Vec3::Constant(margin_m), box.max() + Vec3::Constant(margin_m)};
}

// Units that coordinates are taken to be in by mistake.
struct OtherUnit {
  const char* name;
  const char* flag;
  double metres;
};
constexpr std::array kOtherUnits = {OtherUnit{"millimetres", "mm", 1e-3},
                                    OtherUnit{"centimetres", "cm", 1e-2}};

// How many finite points lie where.
struct PlaceCounts {
  std::size_t finite = 0;
  std::size_t near = 0;  // in the region of the truth
  std::array<std::size_t, kOtherUnits.size()> near_in_other_unit{};
  std::size_t scored = 0;
  Box box;

  void add(const PlaceCounts& other) {
    finite += other.finite;
    near += other.near;
    for (std::size_t u = 0; u < kOtherUnits.size(); ++u) near_in_other_unit[u] += other.near_in_other_unit[u];
    scored += other.scored;
    box.extend(other.box);
  }
  double share(std::size_t count) const { return static_cast<double>(count) / static_cast<double>(finite); }
};

PlaceCounts count_places(std::span<const Vec3> points_m, const Box& region, const Patch* patch) {
  PlaceCounts counts;
  for (const Vec3& point : points_m) {
    if (!point.allFinite()) continue;
    ++counts.finite;
    counts.box.extend(point);
    const bool near = region.contains(point);
    counts.near += near ? 1 : 0;
    for (std::size_t u = 0; u < kOtherUnits.size(); ++u)
      counts.near_in_other_unit[u] += region.contains(point * kOtherUnits[u].metres) ? 1 : 0;
    counts.scored += (patch == nullptr ? near : patch->contains(point.x(), point.y())) ? 1 : 0;
  }
  return counts;
}

PlaceCounts count_places(const CloudBlocks& cloud, const Box& region, const Patch* patch) {
  constexpr std::size_t kBlock = std::size_t{1} << 22U, kGrain = std::size_t{1} << 15U;
  PlaceCounts total;
  std::mutex mutex;
  cloud.read(kBlock, [&](const CloudBlock& block) {
    parallel_for(block.points_m.size(), kGrain, [&](std::size_t begin, std::size_t end) {
      const PlaceCounts counts = count_places(block.points_m.subspan(begin, end - begin), region, patch);
      const std::lock_guard lock(mutex);
      total.add(counts);
    });
  });
  return total;
}

// A cloud that another unit would shrink to less than this share of the truth is elsewhere, not in that unit.
constexpr double kLeastExtent = 0.01;

void refuse_other_units(const PlaceCounts& counts, const Box& region, const ScorableHints& hints) {
  const double extent_m = counts.box.diagonal().norm();  // 0 tells nothing
  for (std::size_t u = 0; u < kOtherUnits.size(); ++u) {
    const double share = counts.share(counts.near_in_other_unit[u]);
    const bool would_fit =
        extent_m == 0 || extent_m * kOtherUnits[u].metres >= kLeastExtent * region.diagonal().norm();
    if (share > 0.5 && would_fit)
      throw Error(
          ErrorKind::input,
          fmt::format("{}: coordinates look like {}, not metres ({:.0f} % of the points would then lie in "
                      "the scene, now none does); {}",
                      hints.name, kOtherUnits[u].name, 100 * share,
                      fmt::format(fmt::runtime(hints.unit), kOtherUnits[u].flag)));
  }
}

// Returns why the truth of a file, not the cloud, is likely in another unit than metres; "" where it is not.
std::string unit_of_truth(const PlaceCounts& counts, const Surface& truth, const ScorableHints& hints) {
  const auto* const bordered = dynamic_cast<const BorderedSurface*>(&truth);
  const double extent_m = counts.box.diagonal().norm();
  if (bordered == nullptr || !(extent_m > 0)) return {};
  const double truth_m = bordered->bounds_m().diagonal().norm(), factor = truth_m / extent_m;
  if (factor < 200 || factor > 5000) return {};
  return fmt::format("{}: spans {:.3g} m and the truth {:.3g} m: is the truth in millimetres? {}", hints.name,
                     extent_m, truth_m, hints.truth_unit);
}

std::string span_text(const Box& box) {
  return fmt::format("x {:.4g} to {:.4g}, y {:.4g} to {:.4g}, z {:.4g} to {:.4g} m", box.min().x(),
                     box.max().x(), box.min().y(), box.max().y(), box.min().z(), box.max().z());
}

}  // namespace

std::string check_scorable(const PointCloud& cloud, const Surface& truth, const ScorableHints& hints) {
  return check_scorable(SpanBlocks(cloud.points_m), truth, hints);
}

std::string check_scorable(const CloudBlocks& cloud, const Surface& truth, const ScorableHints& hints) {
  if (cloud.points() == 0) throw Error(ErrorKind::input, hints.name + ": no points");
  const Box region = truth_region(truth);
  const PlaceCounts counts = count_places(cloud, region, truth.patch());
  if (counts.finite == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: none of its {} points is finite", hints.name, cloud.points()));
  const bool almost_none = counts.share(counts.near) < kAlmostNone;
  if (almost_none) refuse_other_units(counts, region, hints);
  const std::string truth_unit = unit_of_truth(counts, truth, hints);
  if (counts.scored == 0 && !truth_unit.empty()) throw Error(ErrorKind::input, truth_unit);
  const std::string frame_hint =
      "is it in the scene's frame (metres, +Z down into the water)? " + hints.frame;
  if (counts.scored == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: no point lies where the scene is scored; the cloud spans {}; {}", hints.name,
                            span_text(counts.box), frame_hint));
  if (almost_none)
    return fmt::format("{}: only {:.2g} % of the points lie near the scene; {}", hints.name,
                       100 * counts.share(counts.near), frame_hint);
  return truth_unit;
}

}  // namespace aqbench
