#include "pipeline/dense_flow/dense_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/module.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/parallel.h"
#include "scenes/dataset/dataset.h"
#include "tests/core/error_matcher.h"
#include "tests/pipeline/synthetic_views.h"

namespace aqbench {
namespace {

// Lucas and Kanade's flow in TorchScript: steps of a least-squares fit over windows of 9 x 9 px.
constexpr const char* kLucasKanade = R"(
def forward(self, image_a: Tensor, image_b: Tensor) -> Tuple[Tensor, Tensor]:
    h = image_a.size(2)
    w = image_a.size(3)
    x = torch.arange(w).type_as(image_a).view([1, 1, 1, w]).expand([1, 1, h, w])
    y = torch.arange(h).type_as(image_a).view([1, 1, h, 1]).expand([1, 1, h, w])
    gx = (torch.roll(image_a, [-1], [3]) - torch.roll(image_a, [1], [3])) / 2
    gy = (torch.roll(image_a, [-1], [2]) - torch.roll(image_a, [1], [2])) / 2
    xx = torch.avg_pool2d(gx * gx, [9, 9], [1, 1], [4, 4]) + 1e-5
    xy = torch.avg_pool2d(gx * gy, [9, 9], [1, 1], [4, 4])
    yy = torch.avg_pool2d(gy * gy, [9, 9], [1, 1], [4, 4]) + 1e-5
    u = torch.zeros_like(image_a)
    v = torch.zeros_like(image_a)
    e = torch.zeros_like(image_a)
    for i in range(5):
        grid = torch.cat([2 * (x + u) / (w - 1) - 1, 2 * (y + v) / (h - 1) - 1], 1)
        warped = torch.grid_sampler(image_b, grid.permute([0, 2, 3, 1]), 2, 1, True)
        e = image_a - warped
        ex = torch.avg_pool2d(gx * e, [9, 9], [1, 1], [4, 4])
        ey = torch.avg_pool2d(gy * e, [9, 9], [1, 1], [4, 4])
        det = xx * yy - xy * xy
        u = u + (yy * ex - xy * ey) / det
        v = v + (xx * ey - xy * ex) / det
    confidence = torch.exp(-20 * torch.avg_pool2d(torch.abs(e), [9, 9], [1, 1], [4, 4]))
    return torch.stack([(x + u)[0, 0], (y + v)[0, 0]], 2), confidence[0, 0]
)";

class TorchScript : public testing::Test {
 protected:
  TorchScript() : dir_(std::filesystem::path(testing::TempDir()) / "aqbench_torchscript_test") {
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
    set_thread_count(
        1);  // LibTorch's threads wait for each other by spinning: slow where tests run side by side
  }
  ~TorchScript() override {
    set_thread_count(threads_);
    std::filesystem::remove_all(dir_);
  }

  std::filesystem::path save(const std::string& forward) {
    torch::jit::Module module("matcher");
    module.define(forward);
    const std::filesystem::path file = dir_ / "matcher.pt";
    module.save(file.string());
    return file;
  }

  // What matching two small images with that forward ends in.
  std::string failure(const std::string& body) {
    const auto file = save("def forward(self, a: Tensor, b: Tensor):\n    " + body + "\n");
    const std::vector<float> grey(6 * 4, 0.5F);
    const plane_sweep::GreyImage image{6, 4, grey.data()};
    const std::string message = error_of(
        ErrorKind::method, [&] { dense_flow::torchscript_matcher(file, "cpu", 0.1).match(image, image); });
    const std::string start = file.string() + ": ";
    return message.starts_with(start) ? message.substr(start.size()) : message;
  }

  std::filesystem::path dir_;

 private:
  int threads_ = thread_count();
};

TEST_F(TorchScript, AMatcherOfTheUsersReconstructsASurface) {
  const SyntheticPlane plane{1.178, Vec2(0.06, -0.04)};
  const auto views = synthetic_views(3, 96, 72, plane);
  dense_flow::DenseOptions options;
  options.refinement.iterations = 0;
  options.surface.method = SurfaceMethod::none;
  const Reconstruction found = dense_flow::reconstruct_densely(
      views, dense_flow::torchscript_matcher(save(kLucasKanade), "cpu", 0.1), options);
  ASSERT_GT(found.cloud.points_m.size(), 3000u);
  double squares = 0;
  for (const Vec3& point : found.cloud.points_m)
    squares += std::pow(point.z() - plane.z_m - plane.slope.dot(point.head<2>()), 2);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(found.cloud.points_m.size())), 0.001);
}

TEST_F(TorchScript, PlacesAndConfidencesAreTakenAsTheyAre) {
  const auto file = save(R"(
def forward(self, a: Tensor, b: Tensor):
    warp = torch.zeros([4, 6, 2]).double()
    warp[2, 3, 0] = 4.25
    warp[2, 3, 1] = 1.5
    warp[0, 0, 0] = float('nan')
    confidence = torch.full([4, 6], 0.75)
    confidence[3, 5] = 0.05
    return warp, confidence
)");
  const std::vector<float> grey(24, 0.5F);
  const plane_sweep::GreyImage image{6, 4, grey.data()};
  const dense_flow::PairWarp warp = dense_flow::torchscript_matcher(file, "cpu", 0.1).match(image, image);
  EXPECT_EQ(warp.x_px[2 * 6 + 3], 4.25F);
  EXPECT_EQ(warp.y_px[2 * 6 + 3], 1.5F);
  EXPECT_EQ(warp.confidence[2 * 6 + 3], 0.75F);
  EXPECT_TRUE(std::isnan(warp.x_px[0]));
  EXPECT_TRUE(std::isnan(warp.x_px[23])) << "below the least confidence";
  EXPECT_EQ(std::ranges::count_if(warp.x_px, [](float x) { return std::isnan(x); }), 2);
}

TEST_F(TorchScript, AFileThatIsNotAModuleIsRefused) {
  const auto missing = dir_ / "missing.pt";
  EXPECT_EQ(error_of(ErrorKind::input, [&] { dense_flow::torchscript_matcher(missing, "cpu", 0.1); }),
            missing.string() + ": no such file; set torchscript.model");
  const auto text = dir_ / "text.pt";
  std::ofstream(text) << "not a module";
  EXPECT_THAT(error_of(ErrorKind::input, [&] { dense_flow::torchscript_matcher(text, "cpu", 0.1); }),
              testing::StartsWith(text.string() + ": not a TorchScript module: "));
  const auto file = save("def forward(self, a: Tensor):\n    return a\n");
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { dense_flow::torchscript_matcher(file, "gpu", 0.1); }),
              testing::StartsWith("device 'gpu' is unusable: "));
}

TEST_F(TorchScript, WrongResultsSayWhatIsWrong) {
  const std::string signature = "forward must return (warp [H, W, 2], confidence [H, W])";
  EXPECT_EQ(failure("return a"), signature + "; got Tensor");
  EXPECT_EQ(failure("return torch.zeros([4, 6, 2]), 1"), signature + "; confidence is Int");
  EXPECT_EQ(failure("return torch.zeros([6, 4, 2]), torch.zeros([4, 6])"),
            "warp has shape [6, 4, 2], expected [4, 6, 2]");
  EXPECT_EQ(failure("return torch.zeros([4, 6, 2]), torch.zeros([4, 6]).long()"),
            "confidence has type Long, expected a floating-point type");
  EXPECT_EQ(failure("return torch.zeros([4, 6, 2]), torch.full([4, 6], 3.5)"),
            "confidence must be from 0 to 1, got 3.5");
  EXPECT_THAT(
      failure("assert a.size(0) == 2, 'too dark'\n    return a"),
      testing::AllOf(testing::StartsWith("forward failed: "), testing::EndsWith("AssertionError: too dark")));
}

TEST_F(TorchScript, RunsOnADatasetAndNeedsAModel) {
  DatasetRequest request;
  request.scene = "flat_plane";
  request.rig = "sparse4";
  request.width_px = 96;
  request.height_px = 72;
  request.mesh_pitch_m = 0.05;
  request.overrides = {{"sparse4", "focal_px", "600"}, {"sparse4", "radius_m", "0.25"}};
  write_dataset(plan_dataset(request), dir_ / "data");
  const auto run_with = [&](const std::string& model) {
    const std::vector<Override> overrides = {{"torchscript", "model", model},
                                             {"torchscript", "surface", "none"}};
    return dense_flow::run_torchscript(
        {dir_ / "data"},
        {resolve_parameters("torchscript", dense_flow::torchscript_parameters(), overrides), 1, "cpu"});
  };
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { run_with(""); }),
            "torchscript.model: missing; add --set torchscript.model=FILE");
  const Reconstruction found = run_with(save(kLucasKanade).string());
  EXPECT_EQ(found.depth_maps.size(), 4u);
  std::vector<double> errors_m;
  for (const Vec3& point : found.cloud.points_m) errors_m.push_back(std::abs(point.z() - 1.178));
  ASSERT_GT(errors_m.size(), 1000u);
  std::ranges::nth_element(errors_m, errors_m.begin() + static_cast<std::ptrdiff_t>(errors_m.size() / 2));
  EXPECT_LT(errors_m[errors_m.size() / 2], 0.001);
}

}  // namespace
}  // namespace aqbench
