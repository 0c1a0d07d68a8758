// The plane sweep's kernels alone, on synthetic views of a textured plane under water.
#include "pipeline/workloads/plane_sweep_workload.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/quantiles.h"
#include "pipeline/opencl/opencl.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"
#include "pipeline/workloads/workload.h"

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
      throw usage_error("plane_sweep.{}", error.what());
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
    std::vector<WorkloadFigure> figures = {kernel_calls_figure(result_.kernel_calls)};
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

// Pixels x depths x sources that the reference kernel sweeps in one or two seconds.
constexpr double kMaxWholeSamples = 5e6;
// Off by more a depth, as a share of the hypothesis spacing, or a confidence differs from the reference
// kernel's.
constexpr float kUnlikeDepth_steps = 0.02F, kUnlikeConfidence = 0.01F;
constexpr int kSquare_px = 12, kSquareDistance_px = 64;

// A part of the reference image, ends excluded.
struct PixelRange {
  int x0, y0, x1, y1;
};

// The part with a margin on all sides, as far as the image reaches.
PixelRange with_margin(const PixelRange& part, int margin_px, const plane_sweep::GreyImage& image) {
  return {std::max(part.x0 - margin_px, 0), std::max(part.y0 - margin_px, 0),
          std::min(part.x1 + margin_px, image.width_px), std::min(part.y1 + margin_px, image.height_px)};
}

std::vector<float> grey_of(const plane_sweep::GreyImage& image, const PixelRange& part) {
  std::vector<float> greys;
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x)
      greys.push_back(image.grey[static_cast<std::size_t>(y) * image.width_px + x]);
  return greys;
}

bool is_unlike(const plane_sweep::Result& result, std::size_t i, const plane_sweep::Result& truth,
               std::size_t j) {
  const float depth_m = result.depth_m[i], true_depth_m = truth.depth_m[j];
  if (std::isnan(true_depth_m)) return !std::isnan(depth_m);
  const float step_m = truth.depths_m[1] - truth.depths_m[0];
  return !(std::abs(depth_m - true_depth_m) <= kUnlikeDepth_steps * step_m) ||
         !(std::abs(result.confidence[i] - truth.confidence[j]) <= kUnlikeConfidence);
}

// Sweeps only the part and the window's margin, so that windows hold the same pixels as in the whole image.
void compare_part(const plane_sweep::Input& input, const plane_sweep::Options& options,
                  const plane_sweep::Result& result, const PixelRange& part, PixelProof& proof) {
  const PixelRange swept = with_margin(part, options.window_px / 2, input.reference.image);
  const std::vector<float> greys = grey_of(input.reference.image, swept);
  plane_sweep::Input alone = input;
  RefractiveCamera& camera = alone.reference.camera;
  camera.width_px = swept.x1 - swept.x0;
  camera.height_px = swept.y1 - swept.y0;
  camera.cx_px -= swept.x0;
  camera.cy_px -= swept.y0;
  alone.reference.image = {camera.width_px, camera.height_px, greys.data()};
  const plane_sweep::Result truth = plane_sweep::run(alone, options);
  for (int y = part.y0; y < part.y1; ++y)
    for (int x = part.x0; x < part.x1; ++x) {
      const auto i = static_cast<std::size_t>(y) * input.reference.image.width_px + x;
      const auto j = static_cast<std::size_t>(y - swept.y0) * camera.width_px + (x - swept.x0);
      ++proof.compared;
      if (is_unlike(result, i, truth, j)) ++proof.unlike;
    }
}

}  // namespace

std::unique_ptr<WorkloadRun> prepare_plane_sweep(const WorkloadInput& input) {
  return std::make_unique<PlaneSweepRun>(input);
}

double PixelProof::unlike_share() const {
  return compared == 0 ? std::nan("") : static_cast<double>(unlike) / static_cast<double>(compared);
}

PixelProof compare_with_reference(const plane_sweep::Input& input, const plane_sweep::Options& options,
                                  const plane_sweep::Result& result) {
  PixelProof proof;
  const plane_sweep::GreyImage& image = input.reference.image;
  if (result.depth_m.size() != image.pixel_count() || result.confidence.size() != image.pixel_count())
    return proof;
  plane_sweep::Options reference = options;
  reference.kernel = plane_sweep::Kernel::reference;
  reference.device = "cpu";
  reference.keep_volume = false;
  const double samples =
      static_cast<double>(image.pixel_count()) * options.depths * static_cast<double>(input.sources.size());
  if (samples <= kMaxWholeSamples) {
    compare_part(input, reference, result, {0, 0, image.width_px, image.height_px}, proof);
    return proof;
  }
  for (int y = 0; y < image.height_px; y += kSquareDistance_px)
    for (int x = 0; x < image.width_px; x += kSquareDistance_px)
      compare_part(
          input, reference, result,
          {x, y, std::min(x + kSquare_px, image.width_px), std::min(y + kSquare_px, image.height_px)}, proof);
  return proof;
}

}  // namespace aqbench
