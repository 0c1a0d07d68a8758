// The plane sweep's kernels alone, on synthetic views of a textured plane under water.
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/quantiles.h"
#include "pipeline/opencl/opencl.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"
#include "pipeline/workloads/output_bytes.h"
#include "pipeline/workloads/plane_sweep_proof.h"
#include "pipeline/workloads/workloads_table.h"

namespace aqbench {
namespace {

constexpr double kNearest_m = 0.17, kFarthest_m = 0.27;  // of the hypotheses, around the plane
// Fused multiply-adds count two, of one pixel, depth and source in the fused kernel: sampling 28 (two quartic
// polynomials, fractions, bilinear), window 36 (column sums, moving window, correlation), winner 2.5.
constexpr double kFlopsPerSample = 66.5;
// The plane's depth must be found to a share of what one pixel of disparity between neighbours of the ring
// means, and of the distance between hypotheses.
constexpr double kMedianErrorShare = 0.15;
constexpr double kPlaneDistance_m = 1.3, kBaseline_m = 0.33, kFocalPerWidth = 1504.6 / 1600;
constexpr double kLeastFoundShare = 0.7;
// Pixels whose depth differs from the reference kernel's: two hypotheses of nearly equal cost may swap.
constexpr double kMaxUnlikeShare = 0.005;

class PlaneSweepRun final : public WorkloadRun {
 public:
  explicit PlaneSweepRun(const WorkloadInput& input) {
    const Parameters& given = input.parameters;
    plane_sweep::SyntheticScene scene;
    scene.width_px = static_cast<int>(given.integer("width"));
    scene.height_px = static_cast<int>(given.integer("height"));
    scene.sources = static_cast<int>(given.integer("sources"));
    scene.noise = 0.005;
    views_ = plane_sweep::render_synthetic(scene, kNearest_m, kFarthest_m);
    options_.depths = static_cast<int>(given.integer("depths"));
    options_.window_px = static_cast<int>(given.integer("window"));
    options_.kernel = plane_sweep::kernel_from_name(given.text("kernel"));
    options_.cost = plane_sweep::cost_function_from_name(given.text("cost"));
    options_.batch = static_cast<int>(given.integer("batch"));
    options_.device = input.device;
    try {
      check(options_);
    } catch (const Error& error) {
      throw Error(ErrorKind::usage, std::string("plane_sweep.") + error.what());
    }
    samples_ = static_cast<double>(scene.width_px) * scene.height_px * options_.depths * scene.sources;
  }

  void run_once() override {
    if (!opencl::is_opencl(options_.device)) {
      result_ = plane_sweep::run(views_.input, options_);
      return;
    }
    const double before_ms = opencl::table().busy_ms();
    result_ = opencl::table().make_sweep(views_.input, options_)->sweep();
    device_ms_ = opencl::table().busy_ms() - before_ms;
  }

  std::vector<Identity> identities() override {
    std::vector<double> errors_m;
    for (std::size_t i = 0; i < result_.depth_m.size() && i < views_.true_depth_m.size(); ++i)
      if (std::isfinite(result_.depth_m[i]))
        errors_m.push_back(std::abs(static_cast<double>(result_.depth_m[i]) - views_.true_depth_m[i]));
    const auto pixels = static_cast<double>(views_.true_depth_m.size());
    double median_m = std::numeric_limits<double>::quiet_NaN();
    if (!errors_m.empty()) median_m = upper_median_in_place<double>(errors_m);
    const double pixel_m = kPlaneDistance_m * kPlaneDistance_m /
                           (kFocalPerWidth * views_.input.reference.camera.width_px * kBaseline_m);
    const double step_m = (kFarthest_m - kNearest_m) / (options_.depths - 1);
    const double found = static_cast<double>(errors_m.size()) / pixels;
    const PixelProof proof = compare_with_reference(views_.input, options_, result_);
    return {{"pixels", static_cast<double>(result_.depth_m.size()), pixels, 0},
            {"depth_median_error_m", median_m, 0, kMedianErrorShare * (step_m + pixel_m)},
            {"found_share", found, 1, 1 - kLeastFoundShare},
            {"unlike_reference_share", proof.unlike_share(), 0, kMaxUnlikeShare}};
  }

  std::string output_sha256() override {
    return sha256_hex(sha256_of_values(result_.depth_m) + sha256_of_values(result_.confidence));
  }
  // Moves the depths of one pixel in a hundred by half the distance between hypotheses.
  void corrupt_output() override {
    const float half_step_m = 0.5F * (result_.depths_m.at(1) - result_.depths_m.at(0));
    for (std::size_t i = 0; i < result_.depth_m.size(); i += 97) result_.depth_m[i] += half_step_m;
  }

  std::vector<WorkloadFigure> figures() const override {
    std::vector<WorkloadFigure> figures = {
        {std::string(kKernelCalls), static_cast<double>(result_.kernel_calls)}};
    if (device_ms_ > 0) figures.push_back({"device_ms", device_ms_});
    return figures;
  }

  WorkloadCost cost() const override {
    const bool counted = options_.device == "cpu" && options_.kernel == plane_sweep::Kernel::fused &&
                         options_.cost == plane_sweep::CostFunction::zncc;
    const double images = static_cast<double>(views_.input.sources.size() + 1 + 2) *
                          static_cast<double>(views_.true_depth_m.size());
    return {samples_ * 1e-6, counted ? samples_ * kFlopsPerSample : 0, images * sizeof(float), true};
  }

 private:
  plane_sweep::SyntheticViews views_;
  plane_sweep::Options options_;
  plane_sweep::Result result_;
  double samples_ = 0;
  double device_ms_ = 0;  // of an OpenCL device's kernels and copies, by its events
};

}  // namespace

std::unique_ptr<WorkloadRun> prepare_plane_sweep(const WorkloadInput& input) {
  return std::make_unique<PlaneSweepRun>(input);
}

}  // namespace aqbench
