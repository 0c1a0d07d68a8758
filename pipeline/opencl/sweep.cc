#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "pipeline/opencl/device.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::opencl {
namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr int kGuidedDepths = 16;  // around a guide
// Kernels count with 32 bits: 6 planes of row sums are the largest array.
constexpr std::size_t kMaxPlaneValues = (std::size_t{1} << 31) / 6;

// ---- Cameras as the kernels read them: single precision ----

// Returns the constant INTERFACE of a camera. Throws Error(usage) for an interface that the kernels do not
// have.
int interface_number(const RefractiveCamera& camera) {
  if (camera.optics == &kStraightRays) return 0;
  if (camera.optics != &kLevelWaterRays)
    throw usage_error("device: OpenCL knows cameras without an interface and above level water only");
  return camera.ratio.air_is_thinner ? 1 : 2;
}

// Returns the numbers that project() reads, lengths from the centre of the reference camera.
std::vector<float> camera_table(const RefractiveCamera& camera, const RefractiveCamera& reference) {
  std::vector<double> table;
  const double scale[3] = {camera.fx_px, camera.fy_px, 1};
  for (int i = 0; i < 9; ++i) table.push_back(scale[i / 3] * camera.rotation[i]);
  table.insert(table.end(), {camera.cx_px, camera.cy_px});
  for (int i = 0; i < 3; ++i) table.push_back(camera.centre_m[i] - reference.centre_m[i]);
  table.insert(table.end(), {camera.water_z_m - reference.centre_m[2], camera.water_z_m - camera.centre_m[2],
                             camera.ratio.m, camera.ratio.c, camera.ratio.saturation});
  return {table.begin(), table.end()};
}

// Returns the rays of all pixels, [origin x, y, z, direction x, y, z][y][x], rows of `pitch` pixels; NaN
// where there is none.
std::vector<float> ray_table(const RefractiveCamera& reference, std::size_t pitch) {
  const std::size_t plane = pitch * reference.height_px;
  std::vector<float> table(6 * plane, kNothing);
  parallel_for(reference.height_px, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (int x = 0; x < reference.width_px; ++x) {
        WaterRay ray;
        if (!cast_ray_fast(reference, x, static_cast<double>(y), ray)) continue;
        for (std::size_t k = 0; k < 3; ++k) {
          table[k * plane + y * pitch + x] = static_cast<float>(ray.origin_m[k] - reference.centre_m[k]);
          table[(3 + k) * plane + y * pitch + x] = static_cast<float>(ray.direction[k]);
        }
      }
  });
  return table;
}

// ---- The sweep ----

std::string cost_weights(const std::vector<double>& weights) {
  if (std::ranges::all_of(weights, [](double weight) { return weight == 1; })) return "1.0f";
  std::string text;  // a choice by the index, which is a constant in an unrolled loop
  for (std::size_t i = 0; i + 1 < weights.size(); ++i)
    text += "(k)==" + std::to_string(i) + "?" + constant_text(weights[i], true) + ":";
  return "(" + text + constant_text(weights.back(), true) + ")";
}

struct Source {
  Buffer camera, image;
  int width_px = 0, height_px = 0;
  int interface = 0;
};

// Depths to try: the same for all pixels, or `count` around the guide of each.
struct Hypotheses {
  Buffer depths;
  int count = 0;
  bool guided = false;
  float step_m = 0, at_m = 0;
};

class Sweep final : public DeviceSweep {
 public:
  Sweep(const plane_sweep::Input& input, const plane_sweep::Options& options)
      : options_(options),
        even_in_inverse_(input.even_in_inverse),
        depths_m_(plane_sweep::depth_hypotheses(input.depth_min_m, input.depth_max_m, options.depths,
                                                input.even_in_inverse)),
        device_(open_device(options.device)),
        image_width_(input.reference.image.width_px),
        width_(static_cast<int>(in_groups(input.reference.image.width_px)[0])),
        height_(input.reference.image.height_px),
        pitch_(width_ + options.window_px / 2 * 2),
        rows_(height_ + options.window_px / 2 * 2),
        centres_(options.cost != plane_sweep::CostFunction::zncc),
        pixels_(static_cast<std::size_t>(width_) * height_),
        centre_(mean_grey(input.reference.image)) {
    reference_ = upload_rows(grey_minus(input.reference.image, centre_), pitch_, options_.window_px / 2, 0);
    const RefractiveCamera& camera = input.reference.camera;
    rays_ = device_.upload<float>(ray_table(camera, width_));
    for (const plane_sweep::View& view : input.sources)
      sources_.push_back({device_.upload<float>(camera_table(view.camera, camera)),
                          device_.upload<float>(grey_minus(view.image, centre_)), view.image.width_px,
                          view.image.height_px, interface_number(view.camera)});
  }

  plane_sweep::Result sweep() override {
    plane_sweep::Result result{image_width_, height_, depths_m_, {}, {}, {}, 0};
    const Hypotheses hypotheses{device_.upload<float>(depths_m_), options_.depths};
    {
      const StageScope scope("build_cost_volume");
      search(hypotheses, result);
      device_.finish();
    }
    const StageScope scope("extract_depth");
    plane_sweep::RefinedDepth found = winners(hypotheses);
    result.depth_m = std::move(found.depth_m);
    result.confidence = std::move(found.similarity);
    return result;
  }

  plane_sweep::RefinedDepth refine(std::span<const float> guide_m, double step_m, double step_at_m) override {
    const StageScope scope("depth_refinement");
    const Hypotheses hypotheses{upload_rows(guide_m, width_, 0, kNothing), kGuidedDepths, true,
                                static_cast<float>(step_m), static_cast<float>(step_at_m)};
    plane_sweep::Result unused;
    search(hypotheses, unused);
    return winners(hypotheses);
  }

 private:
  // Copies an image to rows of `pitch` values, of which `before` are left of it; all others are the filler.
  Buffer upload_rows(std::span<const float> values, int pitch, int before, float filler) {
    std::vector<float> rows(static_cast<std::size_t>(pitch) * height_, filler);
    for (std::size_t i = 0; i < values.size(); ++i)
      rows[i / image_width_ * pitch + before + i % image_width_] = values[i];
    return device_.upload<float>(rows);
  }

  const cl::Program& program(const Source& source, bool guided) {
    return device_.program(
        "plane_sweep.cl",
        {{"INTERFACE", std::to_string(source.interface)},
         {"WINDOW", std::to_string(options_.window_px)},
         {"COST", std::to_string(static_cast<int>(options_.cost))},
         {"WEIGHT(k)", cost_weights(plane_sweep::window_weights(options_.cost, options_.window_px))},
         {"LEAST_WEIGHT",
          constant_text(plane_sweep::min_window_weight(options_.cost, options_.window_px), true)},
         {"NOISE", constant_text(options_.noise_variance, true)},
         {"SSIM_C1", constant_text(plane_sweep::kSsimC1, true)},
         {"SSIM_C2", constant_text(plane_sweep::kSsimC2, true)},
         {"GUIDED", guided ? "1" : "0"},
         {"INVERSE", even_in_inverse_ ? "1" : "0"}});
  }

  // Makes the buffers of a batch; missing samples and zeros around them stay.
  void allocate(int batch) {
    if (batch <= allocated_) return;
    allocated_ = batch;
    const std::size_t exact = pixels_ * batch * sizeof(float);
    const std::size_t plane = static_cast<std::size_t>(pitch_) * height_ * batch * sizeof(float);
    samples_ = Buffer(device_, plane);
    sums_ = Buffer(device_, 6 * rows_ * width_ * batch * sizeof(float));
    cost_ = Buffer(device_, exact);
    winners_ = Buffer(device_, 6 * pixels_ * sizeof(float));
    device_.fill(samples_, kNothing);
    device_.fill(sums_, 0);
    means_ = Buffer(device_, centres_ ? 2 * exact : 1);
    if (!centres_) return;
    centred_reference_ = Buffer(device_, plane);
    centred_samples_ = Buffer(device_, plane);
    device_.fill(centred_reference_, 0);
    device_.fill(centred_samples_, kNothing);
  }

  // The costs of depths [first, first + batch), all sources.
  void add_costs(int first, int batch, const Hypotheses& hypotheses) {
    const Extent extent = in_groups(width_, height_, batch);
    const float share = 1.0F / static_cast<float>(sources_.size());
    for (const Source& source : sources_) {
      const cl::Program& kernels = program(source, hypotheses.guided);
      const auto sum_rows = [&](const Buffer& reference, int stride, const Buffer& samples) {
        device_.run(kernel_of(kernels, "sum_rows", reference, stride, samples, width_, height_, batch, sums_),
                    extent);
      };
      device_.run(kernel_of(kernels, "warp", rays_, hypotheses.depths, first, hypotheses.step_m,
                            hypotheses.at_m, source.camera, source.image, source.width_px, source.height_px,
                            width_, height_, samples_),
                  extent);
      sum_rows(reference_, 0, samples_);
      if (centres_) {
        device_.run(kernel_of(kernels, "centre", reference_, samples_, sums_, width_, height_, batch, means_,
                              centred_reference_, centred_samples_),
                    extent);
        sum_rows(centred_reference_, pitch_ * height_, centred_samples_);
      }
      const int is_first = &source == &sources_.front() ? 1 : 0;
      device_.run(kernel_of(kernels, "add_cost", sums_, means_, centre_, width_, height_, batch, share,
                            is_first, cost_),
                  extent);
    }
  }

  // Finds the cheapest hypothesis of each pixel, batch by batch.
  void search(const Hypotheses& hypotheses, plane_sweep::Result& result) {
    const int fits = static_cast<int>(kMaxPlaneValues / (rows_ * width_));
    const int at_once = std::max(1, std::min({options_.batch, hypotheses.count, fits}));
    allocate(at_once);
    for (int first = 0; first < hypotheses.count; first += at_once, ++result.kernel_calls) {
      const int batch = std::min(at_once, hypotheses.count - first);
      add_costs(first, batch, hypotheses);
      device_.run(kernel_of(program(sources_.front(), hypotheses.guided), "feed_winner", cost_,
                            static_cast<int>(pixels_), first, batch, winners_),
                  in_groups(pixels_));
      if (options_.keep_volume && !hypotheses.guided) keep_volume(first, batch, result);
    }
  }

  plane_sweep::RefinedDepth winners(const Hypotheses& hypotheses) {
    const Buffer depth(device_, pixels_ * sizeof(float)), score(device_, pixels_ * sizeof(float));
    device_.run(
        kernel_of(program(sources_.front(), hypotheses.guided), "finish_winner", winners_, hypotheses.count,
                  hypotheses.depths, hypotheses.step_m, hypotheses.at_m, depth, score),
        in_groups(pixels_));
    return {image_of(depth), image_of(score)};
  }

  std::vector<float> image_of(const Buffer& plane) {
    std::vector<float> values(pixels_), image;
    device_.read(values.data(), plane, pixels_ * sizeof(float));
    device_.finish();
    for (auto row = values.begin(); row != values.end(); row += width_)
      image.insert(image.end(), row, row + image_width_);
    return image;
  }

  // Copies the costs of a batch into the result's volume, [y][x][depth].
  void keep_volume(int first, int batch, plane_sweep::Result& result) {
    std::vector<float> planes(pixels_ * batch);
    device_.read(planes.data(), cost_, planes.size() * sizeof(float));
    device_.finish();
    const std::size_t pixels = static_cast<std::size_t>(image_width_) * height_, depths = depths_m_.size();
    result.volume.resize(pixels * depths);
    for (std::size_t k = 0; k < static_cast<std::size_t>(batch); ++k)
      for (std::size_t i = 0; i < pixels; ++i)
        result.volume[i * depths + first + k] =
            planes[k * pixels_ + i / image_width_ * width_ + i % image_width_];
  }

  plane_sweep::Options options_;
  bool even_in_inverse_;
  std::vector<float> depths_m_;
  Device& device_;
  int image_width_, width_, height_;  // width_: of a plane, whole groups
  int pitch_;                         // of samples with columns for half a window on either side
  std::size_t rows_;                  // of sums with half a window above and below
  bool centres_;                      // the cost needs each pixel's local mean
  std::size_t pixels_;                // of a plane
  float centre_;  // the reference's mean grey value, subtracted everywhere: sums lose fewer digits
  Buffer rays_, reference_;
  std::vector<Source> sources_;
  int allocated_ = 0;
  Buffer samples_, sums_, means_, centred_reference_, centred_samples_, cost_, winners_;
};

}  // namespace

std::unique_ptr<DeviceSweep> make_sweep(const plane_sweep::Input& input,
                                        const plane_sweep::Options& options) {
  check(options);
  check(input);
  return std::make_unique<Sweep>(input, options);
}

std::vector<std::vector<int>> agreeing_views(std::span<const plane_sweep::DepthView> views,
                                             const plane_sweep::ConsistencyOptions& options) {
  Device& device = open_device(options.device);
  std::vector<std::pair<Buffer, Buffer>> maps;  // depth and confidence
  for (const plane_sweep::DepthView& view : views)
    maps.emplace_back(device.upload(view.depth_m), device.upload(view.confidence));
  std::vector<std::vector<int>> agreeing;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const RefractiveCamera& camera = views[i].camera;
    const Buffer rays = device.upload<float>(ray_table(camera, camera.width_px));
    std::vector<int>& counts = agreeing.emplace_back(views[i].depth_m.size());
    const Buffer counted(device, counts.size() * sizeof(int));
    device.fill(counted, 0);  // the bits of 0.0F are those of 0
    for (std::size_t k = 0; k < views.size(); ++k) {
      if (k == i) continue;
      const RefractiveCamera& other = views[k].camera;
      const cl::Program& program =
          device.program("plane_sweep.cl", {{"INTERFACE", std::to_string(interface_number(other))}});
      device.run(kernel_of(program, "count_agreeing", rays, maps[i].first, maps[i].second,
                           static_cast<int>(counts.size()), options.min_confidence,
                           device.upload<float>(camera_table(other, camera)), maps[k].first, other.width_px,
                           other.height_px, static_cast<float>(options.depth_tolerance_m),
                           static_cast<float>(options.tolerance_per_m2), counted),
                 in_groups(counts.size()));
    }
    device.read(counts.data(), counted, counts.size() * sizeof(int));
    device.finish();
  }
  return agreeing;
}

}  // namespace aqbench::opencl
