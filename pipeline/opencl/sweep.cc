#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/stage_scope.h"
#include "pipeline/opencl/device.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::opencl {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
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

// Returns the numbers that project() and cast_rays() read, lengths from the centre of the reference camera.
std::vector<float> camera_table(const RefractiveCamera& camera, const RefractiveCamera& reference) {
  std::vector<double> table;
  const double scale[3] = {camera.fx_px, camera.fy_px, 1};
  for (int i = 0; i < 9; ++i) table.push_back(scale[i / 3] * camera.rotation[i]);
  table.insert(table.end(), {camera.cx_px, camera.cy_px, 1 / (camera.fx_px * camera.fx_px),
                             1 / (camera.fy_px * camera.fy_px)});
  for (int i = 0; i < 3; ++i) table.push_back(camera.centre_m[i] - reference.centre_m[i]);
  table.insert(table.end(), {camera.water_z_m - reference.centre_m[2], camera.water_z_m - camera.centre_m[2],
                             camera.ratio.m, camera.ratio.c, camera.ratio.saturation});
  return {table.begin(), table.end()};
}

// Casts the rays of all pixels into rows of `pitch` pixels. The program must have the camera's interface.
Buffer cast_rays(Device& device, const cl::Program& program, const RefractiveCamera& camera, int pitch) {
  Buffer rays(device, std::size_t{6} * pitch * camera.height_px * sizeof(float));
  device.run(kernel_of(program, "cast_rays", device.upload<float>(camera_table(camera, camera)),
                       camera.width_px, pitch, rays),
             in_groups(pitch, camera.height_px));
  return rays;
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
  cl::Event copied;  // the image; null once kernels wait for it
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
        centre_(mean_grey(input.reference.image)),
        interface_(interface_number(input.reference.camera)) {
    for (const plane_sweep::View& view : input.sources)
      sources_.push_back({device_.upload<float>(camera_table(view.camera, input.reference.camera)),
                          Buffer(),
                          view.image.width_px,
                          view.image.height_px,
                          interface_number(view.camera),
                          {}});
  }
  ~Sweep() override { device_.drain(); }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  // Starts to copy the images; those of sources are copied beside the first kernels. Not in the
  // constructor: where this fails, the destructor waits for the copies that are under way.
  void load(const plane_sweep::Input& input) {
    const Buffer image = device_.send(greys_of(input.reference));
    for (std::size_t i = 0; i < sources_.size(); ++i)
      sources_[i].image = device_.send(greys_of(input.sources[i]), 1, &sources_[i].copied);
    reference_ = Buffer(device_, static_cast<std::size_t>(pitch_) * height_ * sizeof(float));
    device_.fill(reference_, 0);
    const cl::Program& kernels = program(interface_, false);
    device_.run(kernel_of(kernels, "pad_reference", image, image_width_, width_, centre_, reference_),
                in_groups(image_width_, height_));
    rays_ = cast_rays(device_, kernels, input.reference.camera, width_);
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
    const Hypotheses hypotheses{device_.send(guide_m), kGuidedDepths, true, static_cast<float>(step_m),
                                static_cast<float>(step_at_m)};
    plane_sweep::Result unused;
    search(hypotheses, unused);
    return winners(hypotheses);
  }

 private:
  static std::span<const float> greys_of(const plane_sweep::View& view) {
    return {view.image.grey, view.image.pixel_count()};
  }

  const cl::Program& program(int interface, bool guided) {
    return device_.program(
        "plane_sweep.cl",
        {{"INTERFACE", std::to_string(interface)},
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
    device_.fill(samples_, kMissing);
    device_.fill(sums_, 0);
    means_ = Buffer(device_, centres_ ? 2 * exact : 1);
    if (!centres_) return;
    centred_reference_ = Buffer(device_, plane);
    centred_samples_ = Buffer(device_, plane);
    device_.fill(centred_reference_, 0);
    device_.fill(centred_samples_, kMissing);
  }

  // The costs of depths [first, first + batch), all sources.
  void add_costs(int first, int batch, const Hypotheses& hypotheses) {
    const Extent extent = in_groups(width_, height_, batch);
    const float share = 1.0F / static_cast<float>(sources_.size());
    for (Source& source : sources_) {
      if (source.copied() != nullptr) device_.wait_for(std::exchange(source.copied, {}));
      const cl::Program& kernels = program(source.interface, hypotheses.guided);
      const auto sum_rows = [&](const Buffer& reference, int stride, const Buffer& samples) {
        device_.run(kernel_of(kernels, "sum_rows", reference, stride, samples, width_, height_, batch, sums_),
                    extent);
      };
      device_.run(kernel_of(kernels, "warp", rays_, hypotheses.depths, image_width_, first, hypotheses.step_m,
                            hypotheses.at_m, source.camera, source.image, source.width_px, source.height_px,
                            centre_, width_, height_, samples_),
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
      device_.run(kernel_of(program(interface_, hypotheses.guided), "feed_winner", cost_,
                            static_cast<int>(pixels_), first, batch, winners_),
                  in_groups(pixels_));
      if (options_.keep_volume && !hypotheses.guided) keep_volume(first, batch, result);
    }
  }

  plane_sweep::RefinedDepth winners(const Hypotheses& hypotheses) {
    const std::size_t pixels = static_cast<std::size_t>(image_width_) * height_,
                      bytes = pixels * sizeof(float);
    const Buffer depth(device_, bytes), score(device_, bytes);
    device_.run(
        kernel_of(program(interface_, hypotheses.guided), "finish_winner", winners_, width_, image_width_,
                  hypotheses.count, hypotheses.depths, hypotheses.step_m, hypotheses.at_m, depth, score),
        in_groups(image_width_, height_));
    plane_sweep::RefinedDepth found{std::vector<float>(pixels), std::vector<float>(pixels)};
    device_.read(found.depth_m.data(), depth, bytes);
    device_.read(found.similarity.data(), score, bytes);
    device_.finish();
    return found;
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
  float centre_;   // the reference's mean grey value, subtracted everywhere: sums lose fewer digits
  int interface_;  // the reference's
  Buffer rays_, reference_;
  std::vector<Source> sources_;
  int allocated_ = 0;
  Buffer samples_, sums_, means_, centred_reference_, centred_samples_, cost_, winners_;
};

// Returns the kernels outside of the sweep for a camera's interface.
const cl::Program& program_for(Device& device, const RefractiveCamera& camera) {
  return device.program("plane_sweep.cl", {{"INTERFACE", std::to_string(interface_number(camera))}});
}

}  // namespace

std::unique_ptr<DeviceSweep> make_sweep(const plane_sweep::Input& input,
                                        const plane_sweep::Options& options) {
  check(options);
  check(input);
  auto sweep = std::make_unique<Sweep>(input, options);
  sweep->load(input);
  return sweep;
}

std::vector<std::vector<int>> agreeing_views(std::span<const plane_sweep::DepthView> views,
                                             const plane_sweep::ConsistencyOptions& options) {
  Device& device = open_device(options.device);
  std::vector<std::pair<Buffer, Buffer>> maps;  // depth and confidence
  for (const plane_sweep::DepthView& view : views)
    maps.emplace_back(device.send(view.depth_m), device.send(view.confidence));
  std::vector<std::vector<int>> agreeing;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const RefractiveCamera& camera = views[i].camera;
    const Buffer rays = cast_rays(device, program_for(device, camera), camera, camera.width_px);
    std::vector<int>& counts = agreeing.emplace_back(views[i].depth_m.size());
    const Buffer counted(device, counts.size() * sizeof(int));
    device.fill(counted, 0);  // the bits of 0.0F are those of 0
    for (std::size_t k = 0; k < views.size(); ++k) {
      if (k == i) continue;
      const RefractiveCamera& other = views[k].camera;
      device.run(kernel_of(program_for(device, other), "count_agreeing", rays, maps[i].first, maps[i].second,
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
