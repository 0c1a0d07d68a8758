#include "harness/scoring/scorable.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <vector>

#include "core/error.h"
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

double share_inside(const std::vector<Vec3>& points, const Box& box, double scale) {
  const auto inside = std::ranges::count_if(points, [&](const Vec3& p) { return box.contains(p * scale); });
  return static_cast<double>(inside) / static_cast<double>(points.size());
}

void refuse_other_units(const std::vector<Vec3>& points, const Box& region, const ScorableHints& hints) {
  struct Unit {
    const char* name;
    const char* flag;
    double metres;
  };
  for (const Unit unit : {Unit{"millimetres", "mm", 1e-3}, Unit{"centimetres", "cm", 1e-2}}) {
    const double share = share_inside(points, region, unit.metres);
    if (share > 0.5)
      throw Error(
          ErrorKind::input,
          fmt::format("{}: coordinates look like {}, not metres ({:.0f} % of the points would then lie in "
                      "the scene, now none does); {}",
                      hints.name, unit.name, 100 * share, fmt::format(fmt::runtime(hints.unit), unit.flag)));
  }
}

std::string span_text(const std::vector<Vec3>& points) {
  Box box;
  for (const Vec3& point : points) box.extend(point);
  return fmt::format("x {:.4g} to {:.4g}, y {:.4g} to {:.4g}, z {:.4g} to {:.4g} m", box.min().x(),
                     box.max().x(), box.min().y(), box.max().y(), box.min().z(), box.max().z());
}

}  // namespace

std::string check_scorable(const PointCloud& cloud, const Surface& truth, const ScorableHints& hints) {
  const std::vector<Vec3>& all = cloud.points_m;
  if (all.empty()) throw Error(ErrorKind::input, hints.name + ": no points");
  std::vector<Vec3> points;
  std::ranges::copy_if(all, std::back_inserter(points), [](const Vec3& point) { return point.allFinite(); });
  if (points.empty())
    throw Error(ErrorKind::input, fmt::format("{}: none of its {} points is finite", hints.name, all.size()));

  const Box region = truth_region(truth);
  const double inside = share_inside(points, region, 1.0);
  if (inside < kAlmostNone) refuse_other_units(points, region, hints);

  const Patch* const patch = truth.patch();
  const auto scored =
      patch == nullptr
          ? std::ranges::count_if(points, [&](const Vec3& p) { return region.contains(p); })
          : std::ranges::count_if(points, [&](const Vec3& p) { return patch->contains(p.x(), p.y()); });
  const std::string frame_hint =
      "is it in the scene's frame (metres, +Z down into the water)? " + hints.frame;
  if (scored == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: no point lies where the scene is scored; the cloud spans {}; {}", hints.name,
                            span_text(points), frame_hint));
  if (inside < kAlmostNone)
    return fmt::format("{}: only {:.2g} % of the points lie near the scene; {}", hints.name, 100 * inside,
                       frame_hint);
  return {};
}

}  // namespace aqbench
