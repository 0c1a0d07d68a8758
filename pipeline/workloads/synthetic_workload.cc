#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/quantiles.h"
#include "core/random.h"
#include "core/sha256.h"
#include "pipeline/workloads/synthetic_profile.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

constexpr std::uint64_t kChecks = 2000;  // pixels checked by identities that sample

std::string tensor_text(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), tensor.nbytes()};
}

// Whether every source saw the reference's point at every depth index.
bool seen_by_all(const SyntheticFrames& frames, double x, double y) {
  if (x < frames.depths || x > frames.width_px - 1 - 2.0 * frames.depths) return false;
  const double reach = frames.depths - 1;
  return synthetic_visible(frames, x - reach, y) && synthetic_visible(frames, x + 2 * reach, y);
}

bool near_band_border(const SyntheticFrames& frames, int y) {
  return synthetic_depth(frames, std::max(0, y - 2)) != synthetic_depth(frames, y + 2);
}

class SyntheticRun final : public WorkloadRun {
 public:
  explicit SyntheticRun(const WorkloadInput& input)
      : frames_(make_synthetic_frames(static_cast<int>(input.parameters.integer("width")),
                                      static_cast<int>(input.parameters.integer("height")),
                                      static_cast<int>(input.parameters.integer("depths")))),
        seed_(input.seed) {}

  void run_once() override {
    out_ = {};  // frees the last outputs before the new ones are made
    out_ = run_synthetic_profile(frames_, seed_);
  }

  std::vector<Identity> identities() override {
    const auto [matches, on_diagonal] = count_matches();
    return {{"undistorted_grey_worst_error", undistorted_error(), 0, 0.03},
            {"matches", matches, static_cast<double>(kSyntheticKeypoints), 0},
            {"matches_with_itself", on_diagonal, static_cast<double>(kSyntheticKeypoints), 0},
            {"right_depth_share", right_depth_share(), 1, 0.05},
            {"fused_pixels_unlike_the_median", fused_differences(), 0, 0},
            {"normal_median_error_deg", normal_error_deg(), 0, 0.5}};
  }

  std::string output_sha256() override {
    return sha256_hex(tensor_text(out_.depth) + tensor_text(out_.fused) + tensor_text(out_.matches));
  }

  void corrupt_output() override { out_.depth.add_(1); }

  WorkloadCost cost() const override {
    // Samples of the sources, which take nearly all of the time.
    const double samples = 3.0 * frames_.width_px * frames_.height_px * frames_.depths;
    return {samples * 1e-6, 0, 0};
  }

 private:
  std::array<double, 2> pixel(std::uint64_t check) const {
    const auto [u, v] = uniform01_pair({seed_, RandomStream::synthetic_profile}, check, 3);
    return {std::floor(u * frames_.width_px), std::floor(v * frames_.height_px)};
  }

  double undistorted_error() const {
    double worst = 0;
    for (int view = 0; view < kSyntheticViews; ++view) {
      const auto image = out_.undistorted[view].accessor<float, 4>();
      for (std::uint64_t check = 0; check < kChecks; ++check) {
        const auto [x, y] = pixel(check);
        if (!synthetic_visible(frames_, x, y) || near_band_border(frames_, static_cast<int>(y))) continue;
        const auto at = [&](int channel) {
          return image[0][channel][static_cast<std::int64_t>(y)][static_cast<std::int64_t>(x)];
        };
        const double grey = 0.114 * at(0) + 0.587 * at(1) + 0.299 * at(2);
        const double error = std::abs(grey - synthetic_grey(frames_, view, x, y));
        worst = error <= worst ? worst : error;  // NaN is kept
      }
    }
    return worst;
  }

  std::array<double, 2> count_matches() const {
    const auto pairs = out_.matches.accessor<std::int64_t, 2>();
    double on_diagonal = 0;
    for (std::int64_t i = 0; i < pairs.size(0); ++i) on_diagonal += pairs[i][0] == pairs[i][1] ? 1 : 0;
    return {static_cast<double>(pairs.size(0)), on_diagonal};
  }

  double right_depth_share() const {
    const auto depth = out_.depth.accessor<float, 2>();
    double right = 0, looked_at = 0;
    for (int y = 0; y < frames_.height_px; ++y) {
      if (near_band_border(frames_, y)) continue;
      for (int x = 0; x < frames_.width_px; ++x) {
        if (!seen_by_all(frames_, x, y)) continue;
        ++looked_at;
        right += depth[y][x] == static_cast<float>(synthetic_depth(frames_, y)) ? 1 : 0;
      }
    }
    return right / looked_at;
  }

  double fused_differences() const {
    const auto fused = out_.fused.accessor<float, 2>();
    double differences = 0;
    for (std::uint64_t check = 0; check < kChecks; ++check) {
      const auto [x, y] = pixel(check);
      const float expected = median_of_window(static_cast<int>(x), static_cast<int>(y));
      differences += fused[static_cast<std::int64_t>(y)][static_cast<std::int64_t>(x)] == expected ? 0 : 1;
    }
    return differences;
  }

  float median_of_window(int x, int y) const {
    std::array<float, 9> window{};
    std::size_t filled = 0;
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        const std::int64_t row = std::clamp(y + dy, 0, frames_.height_px - 1);
        const std::int64_t column = std::clamp(x + dx, 0, frames_.width_px - 1);
        std::array<float, 3> maps{};
        for (std::size_t map = 0; map < 3; ++map)
          maps[map] = out_.depth_maps[map].accessor<float, 2>()[row][column];
        std::ranges::sort(maps);
        window[filled++] = maps[1];
      }
    std::ranges::sort(window);
    return window[4];
  }

  double normal_error_deg() const {
    // Of the plane z = 0.3 x + 0.2 y + constant.
    const double length = std::sqrt(0.3 * 0.3 + 0.2 * 0.2 + 1);
    const auto normals = out_.normals.accessor<float, 2>();
    std::vector<double> errors;
    for (std::int64_t i = 0; i < normals.size(0); ++i) {
      const double cosine = (-0.3 * normals[i][0] - 0.2 * normals[i][1] + normals[i][2]) / length;
      errors.push_back(
          std::isfinite(cosine) ? std::acos(std::min(1.0, std::abs(cosine))) * 180 / std::numbers::pi : 90);
    }
    return upper_median_in_place<double>(errors);
  }

  SyntheticFrames frames_;
  std::uint64_t seed_;
  SyntheticOutputs out_;
};

}  // namespace

std::unique_ptr<WorkloadRun> prepare_synthetic(const WorkloadInput& input) {
  return std::make_unique<SyntheticRun>(input);
}

}  // namespace aqbench
