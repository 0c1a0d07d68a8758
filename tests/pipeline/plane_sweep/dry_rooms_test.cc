// A room seen from inside, and a pair of cameras: what the built-in methods make of images without water.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "metrics/numbers/order_statistics.h"
#include "pipeline/plane_sweep/plane_sweep_method.h"
#include "pipeline/sparse/sparse.h"
#include "scenes/dataset/dataset.h"
#include "scenes/rendering/visibility.h"
#include "tests/pipeline/orbit_scene.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// Distances of a cloud from the surface in pixels on it, and the share of what two cameras see within two.
struct Quality {
  double median_px = 0, rmse_px = 0, seen2_pct = 0;
  std::size_t points = 0;
};

class DryScene {
 public:
  DryScene(const std::string& scene, const std::string& rig, int width_px, double distance_m) {
    DatasetRequest request;
    request.scene = scene;
    request.rig = rig;
    request.width_px = width_px;
    plan_ = plan_dataset(request);
    write_dataset(plan_, dir());
    footprint_m_ = distance_m / plan_.rig.cameras[0].intrinsics.K(0, 0);
    const Surface& surface = *plan_.scene.truth.surface;
    const SurfaceSamples samples = surface.stratified_samples(2 * footprint_m_, 1);
    const std::vector<int> views = count_views(surface, plan_.rig, samples.positions_m);
    std::vector<Vec3> seen2_m;
    for (std::size_t i = 0; i < views.size(); ++i)
      if (views[i] >= 2) seen2_m.push_back(samples.positions_m[i]);
    seen2_.resize(seen2_m.size());
    surface.closest_points(seen2_m, seen2_);
  }
  std::filesystem::path dir() const { return directory_.path() / "data"; }

  Quality quality_of(const std::vector<Vec3>& points_m) const {
    const Surface& surface = *plan_.scene.truth.surface;
    std::vector<double> distances_m(points_m.size());
    surface.signed_distances(points_m, distances_m);
    Quality quality;
    quality.points = points_m.size();
    for (double& distance_m : distances_m) {
      distance_m = std::abs(distance_m);
      quality.rmse_px += distance_m * distance_m;
    }
    quality.rmse_px = std::sqrt(quality.rmse_px / static_cast<double>(points_m.size())) / footprint_m_;
    quality.median_px = median_in_place(distances_m) / footprint_m_;
    const std::vector<bool> covered = orbit_testing::covered(points_m, seen2_, 2 * footprint_m_);
    quality.seen2_pct =
        100 * static_cast<double>(std::ranges::count(covered, true)) / static_cast<double>(covered.size());
    return quality;
  }
  Quality of_sparse() const {
    MethodInput input;
    input.parameters = resolve_parameters("sparse", sparse::method_parameters(), {{"sparse", "keypoints", "1024"}});
    return quality_of(sparse::run({dir()}, input).cloud.points_m);
  }
  Quality of_plane_sweep() const {
    MethodInput input;
    input.parameters = resolve_parameters("plane_sweep", plane_sweep_parameters(),
                                          {{"plane_sweep", "surface", "none"},
                                           {"plane_sweep", "depths", "64"},
                                           {"plane_sweep", "voxel_m", "0.004"},  // about half a pixel on the walls
                                           {"plane_sweep", "refinements", "1"}});
    return quality_of(run_plane_sweep({dir()}, input).cloud.points_m);
  }

 private:
  TemporaryDirectory directory_;
  DatasetPlan plan_;
  double footprint_m_ = 0;
  std::vector<ClosestPoint> seen2_;  // samples of the surface that two cameras see
};

void record(const char* what, const Quality& quality) {
  testing::Test::RecordProperty(std::string(what) + "_points", std::to_string(quality.points));
  testing::Test::RecordProperty(std::string(what) + "_median_px", std::to_string(quality.median_px));
  testing::Test::RecordProperty(std::string(what) + "_rmse_px", std::to_string(quality.rmse_px));
  testing::Test::RecordProperty(std::string(what) + "_seen2_pct", std::to_string(quality.seen2_pct));
}

void expect_room(const DryScene& room, double sparse_median_px, double median_px,
                 double seen2_pct) {
  const Quality sparse = room.of_sparse(), dense = room.of_plane_sweep();
  record("sparse", sparse);
  record("plane_sweep", dense);
  EXPECT_GE(sparse.points, 300U);
  EXPECT_LE(sparse.median_px, sparse_median_px);
  EXPECT_LE(dense.median_px, median_px);
  EXPECT_GE(dense.seen2_pct, seen2_pct);
}

// A path forward through the room: what lies ahead has hardly any parallax.
TEST(DryRooms, AWalkForwardIsReconstructed) { expect_room({"room", "walk", 320, 2}, 1.5, 1.25, 60); }

// Cameras on a circle that look outwards, all around the room.
TEST(DryRooms, ARoomIsReconstructedAllAround) { expect_room({"room", "outwards", 200, 1.5}, 1, 1, 80); }

// Noise of the black background matches by chance, and each of the two maps confirms the other's chance.
TEST(DryRooms, APairOfCamerasGivesNoBackground) {
  const DryScene pair("object", "stereo", 480, 0.7);
  const Quality dense = pair.of_plane_sweep();
  record("plane_sweep", dense);
  EXPECT_LE(dense.median_px, 0.5);
  EXPECT_LE(dense.rmse_px, 1);
  EXPECT_GE(dense.seen2_pct, 70);
}

}  // namespace
}  // namespace aqbench
