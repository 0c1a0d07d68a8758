#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "core/error.h"
#include "core/stage_scope.h"
#include "pipeline/opencl/camera_tables.h"
#include "pipeline/opencl/device.h"
#include "pipeline/plane_sweep/kernels/cost_map.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"

namespace aqbench::opencl {
namespace {

std::string float_text(double value) { return constant_text(value, true); }

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr int kGuidedDepths = 16;  // around a guide
// Kernels count with 32 bits: 6 planes of row sums are the largest array.
constexpr std::size_t kMaxPlaneValues = (std::size_t{1} << 31) / 6;

std::string cost_weights(const std::vector<double>& weights) {
  if (std::ranges::all_of(weights, [](double weight) { return weight == 1; })) return "1.0f";
  std::string text;  // a choice by the index, which is a constant in an unrolled loop
  for (std::size_t i = 0; i + 1 < weights.size(); ++i)
    text += "(k)==" + std::to_string(i) + "?" + float_text(weights[i]) + ":";
  return "(" + text + float_text(weights.back()) + ")";
}

struct Source {
  Buffer camera, image;
  int width_px = 0, height_px = 0;
  int interface = 0;
};

class Sweep final : public DeviceSweep {
 public:
  Sweep(const plane_sweep::Input& input, const plane_sweep::Options& options);

  plane_sweep::Result sweep() override;
  ScoredDepths refine(std::span<const float> guide_m, double step_m, double step_at_m) override;

 private:
  struct Steps {
    float step_m = 0, at_m = 0;
  };
  void add_source(const plane_sweep::View& view);
  cl_program program(const Source& source, bool guided) const;
  int depths_at_once(int count) const;
  void allocate(int batch);
  void add_costs(int first, int batch, const Buffer& depths, bool guided, const Steps& steps);
  void feed(int first, int batch);
  std::vector<float> image_of(const Buffer& plane);
  void keep_volume(int first, int batch, plane_sweep::Result& result);
  ScoredDepths finish(const Buffer& depths, int count, bool guided, const Steps& steps);

  plane_sweep::Options options_;
  bool even_in_inverse_;
  std::vector<float> depths_m_;
  Device& device_;
  int image_width_, width_, height_;  // width_: of a plane, whole groups
  std::size_t pixels_;                // of a plane
  RefractiveCamera reference_camera_;
  float centre_ = 0;  // the reference's mean grey value, subtracted everywhere: sums lose fewer digits
  Buffer rays_, reference_;
  std::vector<Source> sources_;
  int allocated_ = 0;
  Buffer samples_, sums_, means_, centred_reference_, centred_samples_, cost_, state_;
};

int padded(int width, const plane_sweep::Options& options) { return width + options.window_px / 2 * 2; }

Sweep::Sweep(const plane_sweep::Input& input, const plane_sweep::Options& options)
    : options_(options),
      even_in_inverse_(input.even_in_inverse),
      depths_m_(plane_sweep::depth_hypotheses(input.depth_min_m, input.depth_max_m, options.depths,
                                              input.even_in_inverse)),
      device_(open_device(options.device)),
      image_width_(input.reference.image.width_px),
      width_(static_cast<int>(in_groups(input.reference.image.width_px)[0])),
      height_(input.reference.image.height_px),
      pixels_(static_cast<std::size_t>(width_) * height_),
      reference_camera_(input.reference.camera) {
  const plane_sweep::GreyImage& image = input.reference.image;
  double sum = 0;
  for (std::size_t i = 0; i < image.pixel_count(); ++i) sum += image.grey(i);
  centre_ = static_cast<float>(sum / static_cast<double>(image.pixel_count()));
  const int pitch = padded(width_, options_), half = options_.window_px / 2;
  std::vector<float> greys(static_cast<std::size_t>(pitch) * height_, 0.0F);
  for (std::size_t i = 0; i < image.pixel_count(); ++i)
    greys[i / image_width_ * pitch + half + i % image_width_] = image.grey(i) - centre_;
  reference_ = device_.upload<float>(greys);
  rays_ = device_.upload<float>(ray_table(reference_camera_, width_));
  for (const plane_sweep::View& view : input.sources) add_source(view);
}

void Sweep::add_source(const plane_sweep::View& view) {
  Source source;
  source.width_px = view.image.width_px;
  source.height_px = view.image.height_px;
  std::vector<float> greys(view.image.pixel_count());
  for (std::size_t i = 0; i < greys.size(); ++i) greys[i] = view.image.grey(i) - centre_;
  source.image = device_.upload<float>(greys);
  source.camera = device_.upload<float>(camera_table(view.camera, reference_camera_));
  source.interface = interface_number(view.camera);
  sources_.push_back(std::move(source));
}

cl_program Sweep::program(const Source& source, bool guided) const {
  using plane_sweep::CostFunction;
  const int cost = options_.cost == CostFunction::zncc            ? 0
                   : options_.cost == CostFunction::ncc_reference ? 1
                                                                  : 2;
  const auto weights = plane_sweep::window_weights(options_.cost, options_.window_px);
  return device_.program(
      "plane_sweep.cl",
      {{"INTERFACE", std::to_string(source.interface)},
       {"WINDOW", std::to_string(options_.window_px)},
       {"COST", std::to_string(cost)},
       {"WEIGHT(k)", cost_weights(weights)},
       {"LEAST_WEIGHT", float_text(plane_sweep::min_window_weight(options_.cost, options_.window_px))},
       {"NOISE", float_text(options_.noise_variance)},
       {"SSIM_C1", float_text(plane_sweep::kSsimC1)},
       {"SSIM_C2", float_text(plane_sweep::kSsimC2)},
       {"GUIDED", guided ? "1" : "0"},
       {"INVERSE", even_in_inverse_ ? "1" : "0"}});
}

int Sweep::depths_at_once(int count) const {
  const std::size_t rows = height_ + options_.window_px / 2 * 2;
  const int fits = static_cast<int>(kMaxPlaneValues / (rows * width_));
  return std::max(1, std::min({options_.batch, count, fits}));
}

// Makes the buffers of a batch; missing samples and zeros around them stay.
void Sweep::allocate(int batch) {
  if (batch <= allocated_) return;
  allocated_ = batch;
  const std::size_t half = options_.window_px / 2, count = batch;
  const std::size_t plane =
      static_cast<std::size_t>(padded(width_, options_)) * height_ * count * sizeof(float);
  const std::size_t exact = pixels_ * count * sizeof(float);
  samples_ = Buffer(device_, plane);
  sums_ = Buffer(device_, 6 * count * (height_ + 2 * half) * width_ * sizeof(float));
  cost_ = Buffer(device_, exact);
  state_ = Buffer(device_, 6 * pixels_ * sizeof(float));
  device_.fill(samples_, kNothing);
  device_.fill(sums_, 0);
  if (options_.cost == plane_sweep::CostFunction::zncc) {
    means_ = Buffer(device_, 1);
    return;
  }
  means_ = Buffer(device_, 2 * exact);
  centred_reference_ = Buffer(device_, plane);
  centred_samples_ = Buffer(device_, plane);
  device_.fill(centred_reference_, 0);
  device_.fill(centred_samples_, kNothing);
}

// The costs of depths [first, first + batch), all sources.
void Sweep::add_costs(int first, int batch, const Buffer& depths, bool guided, const Steps& steps) {
  const Extent extent = in_groups(width_, height_, batch);
  const bool centres = options_.cost != plane_sweep::CostFunction::zncc;
  const int plane = padded(width_, options_) * height_;
  const float share = 1.0F / static_cast<float>(sources_.size());
  for (const Source& source : sources_) {
    cl_program const kernels = program(source, guided);
    device_.run(Kernel(kernels, "warp")
                    .with(rays_, depths, first, steps.step_m, steps.at_m, source.camera, source.image,
                          source.width_px, source.height_px, width_, height_, samples_),
                extent);
    Kernel rows(kernels, "sum_rows");
    device_.run(rows.with(reference_, 0, samples_, width_, height_, batch, sums_), extent);
    if (centres) {
      device_.run(Kernel(kernels, "centre")
                      .with(reference_, samples_, sums_, width_, height_, batch, means_, centred_reference_,
                            centred_samples_),
                  extent);
      device_.run(rows.with(centred_reference_, plane, centred_samples_, width_, height_, batch, sums_),
                  extent);
    }
    const int is_first = &source == &sources_.front() ? 1 : 0;
    device_.run(Kernel(kernels, "add_cost")
                    .with(sums_, means_, centre_, width_, height_, batch, share, is_first, cost_),
                extent);
  }
}

void Sweep::feed(int first, int batch) {
  device_.run(Kernel(program(sources_.front(), false), "feed_winner")
                  .with(cost_, static_cast<int>(pixels_), first, batch, state_),
              in_groups(pixels_));
}

// A plane's image.
std::vector<float> Sweep::image_of(const Buffer& plane) {
  std::vector<float> values(pixels_);
  device_.read(values.data(), plane, pixels_ * sizeof(float));
  device_.finish();
  for (int y = 0; y < height_; ++y)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(y) * width_, image_width_,
                values.begin() + static_cast<std::ptrdiff_t>(y) * image_width_);
  values.resize(static_cast<std::size_t>(image_width_) * height_);
  return values;
}

ScoredDepths Sweep::finish(const Buffer& depths, int count, bool guided, const Steps& steps) {
  const Buffer depth(device_, pixels_ * sizeof(float)), score(device_, pixels_ * sizeof(float));
  device_.run(
      Kernel(program(sources_.front(), guided), "finish_winner")
          .with(state_, static_cast<int>(pixels_), count, depths, steps.step_m, steps.at_m, depth, score),
      in_groups(pixels_));
  return {image_of(depth), image_of(score)};
}

// Copies the costs of a batch into the result's volume, [y][x][depth].
void Sweep::keep_volume(int first, int batch, plane_sweep::Result& result) {
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

plane_sweep::Result Sweep::sweep() {
  const int count = options_.depths;
  const int at_once = depths_at_once(count);
  plane_sweep::Result result{image_width_, height_, depths_m_, {}, {}, {}, 0};
  const Buffer depths = device_.upload<float>(depths_m_);
  {
    const StageScope scope("build_cost_volume");
    allocate(at_once);
    for (int first = 0; first < count; first += at_once, ++result.kernel_calls) {
      const int batch = std::min(at_once, count - first);
      add_costs(first, batch, depths, false, {});
      feed(first, batch);
      if (options_.keep_volume) keep_volume(first, batch, result);
    }
    device_.finish();
  }
  const StageScope scope("extract_depth");
  std::tie(result.depth_m, result.confidence) = finish(depths, count, false, {});
  return result;
}

ScoredDepths Sweep::refine(std::span<const float> guide_m, double step_m, double step_at_m) {
  if (guide_m.size() != static_cast<std::size_t>(image_width_) * height_)
    throw Error(ErrorKind::input, "guide_m: its size differs from the reference image's");
  if (!(step_m > 0) || !std::isfinite(step_m)) throw Error(ErrorKind::usage, "step_m: must be positive");
  const StageScope scope("depth_refinement");
  const Steps steps{static_cast<float>(step_m), static_cast<float>(step_at_m)};
  const Buffer guide = device_.upload<float>(with_pitch(guide_m, image_width_, width_));
  const int at_once = depths_at_once(kGuidedDepths);
  allocate(at_once);
  for (int first = 0; first < kGuidedDepths; first += at_once) {
    const int batch = std::min(at_once, kGuidedDepths - first);
    add_costs(first, batch, guide, true, steps);
    feed(first, batch);
  }
  return finish(guide, kGuidedDepths, true, steps);
}

}  // namespace

std::unique_ptr<DeviceSweep> make_sweep(const plane_sweep::Input& input,
                                        const plane_sweep::Options& options) {
  plane_sweep::Options checked = options;
  checked.device = "cpu";  // of the kernels that check() knows
  check(checked);
  check(input);
  return std::make_unique<Sweep>(input, options);
}

}  // namespace aqbench::opencl
