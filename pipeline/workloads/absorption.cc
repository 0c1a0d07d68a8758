#include "pipeline/workloads/numeric.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

// ---- The fused kernel: one pass over a row, everything in registers. sin(5 a) / sin(a) is a polynomial of
// cos(2 a), and the layers' exponentials are powers of one. ----

constexpr double kRound = 6755399441055744.0;  // 1.5 x 2^52: adding it rounds to an integer

// cos(2 pi x) to 2e-15: the argument is folded to |r| <= 1/4 of a turn, where a Taylor series of degree 20
// is exact to rounding.
AQBENCH_INLINE double cos_turns(double x) {
  // Folding about half turns: cos(2 pi x) = -cos(2 pi (x - 1/2)), sign by parity of the number of halves.
  const double halves = (2 * x + kRound) - kRound;
  const double r = x - 0.5 * halves;                                   // |r| <= 1/4
  const double odd = halves - 2 * ((0.5 * halves + kRound) - kRound);  // -1, 0 or 1
  const double sign = 1 - 2 * odd * odd;
  constexpr double two_pi = 6.283185307179586;
  const double a = two_pi * r, s = a * a;                 // s <= (pi / 2)^2
  double p = 1.0 / 51090942171709440000.0 * -1.0 / 22.0;  // -1 / 22!
  p = p * s + 1.0 / 2432902008176640000.0;                // 1 / 20!
  p = p * s - 1.0 / 6402373705728000.0;                   // 1 / 18!
  p = p * s + 1.0 / 20922789888000.0;                     // 1 / 16!
  p = p * s - 1.0 / 87178291200.0;                        // 1 / 14!
  p = p * s + 1.0 / 479001600.0;                          // 1 / 12!
  p = p * s - 1.0 / 3628800.0;                            // 1 / 10!
  p = p * s + 1.0 / 40320.0;                              // 1 / 8!
  p = p * s - 1.0 / 720.0;
  p = p * s + 1.0 / 24.0;
  p = p * s - 0.5;
  p = p * s + 1.0;
  return sign * p;
}

// exp(x) for -700 <= x <= 0 to 1e-15 relative.
AQBENCH_INLINE double exp_of_negative(double x) {
  constexpr double log2e = 1.4426950408889634, ln2_high = 6.93147180369123816490e-01,
                   ln2_low = 1.90821492927058770002e-10;
  const double shifted = x * log2e + kRound;
  const double whole = shifted - kRound;
  const double r = (x - whole * ln2_high) - whole * ln2_low;  // |r| <= ln(2) / 2
  double p = 1.0 / 479001600.0;                               // 1 / 12!
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The integer stands in the low bits of `shifted`; as an exponent it is 2^whole.
  const std::int64_t power = (std::bit_cast<std::int64_t>(shifted) << 52) + (std::int64_t{1023} << 52);
  return p * std::bit_cast<double>(power);
}

AQBENCH_INLINE double squared_lattice_factor(double index) {
  const double c = cos_turns(index);
  const double factor = 4 * c * c + 2 * c - 1;
  return factor * factor;
}

// Of a pixel, without the factors that depend on its place.
constexpr double kIntensity = kStructureFactor * kStructureFactor * 0.5 * kPixel_m * kPixel_m * kDistance_m *
                              kElectronRadiusSquared_m2 * kFluence;

constexpr int kBlock = 64;  // pixels processed together, so that their values stay in L1 cache

// Layers are the outer loop; otherwise the loop over pixels is not vectorised.
AQBENCH_MULTIVERSION
void absorption_row(double y_m, double z_first_m, int size, int layers, double layer_depth, double* out) {
  constexpr double scale = kCell_A / kWavelength_A;
  for (int first = 0; first < size; first += kBlock) {
    const int count = std::min(kBlock, size - first);
    double intensity[kBlock], transmitted[kBlock], left[kBlock], absorbed[kBlock];
    for (int i = 0; i < count; ++i) {
      const double z_m = z_first_m + (first + i) * kPixel_m;
      const double inverse = 1 / std::sqrt(kDistance_m * kDistance_m + y_m * y_m + z_m * z_m);
      const double dx = kDistance_m * inverse;
      intensity[i] = kIntensity * (1 + dx * dx) * inverse * inverse * inverse *
                     squared_lattice_factor(scale * (dx - 1)) *
                     squared_lattice_factor(scale * y_m * inverse) *
                     squared_lattice_factor(scale * z_m * inverse);
      const double cosine = dx < kLeastCosine ? kLeastCosine : dx;
      const double exponent = -layer_depth / cosine;
      transmitted[i] = exp_of_negative(exponent < -700 ? -700 : exponent);
      left[i] = 1;
      absorbed[i] = 0;
    }
    for (int t = 0; t < layers; ++t)
      for (int i = 0; i < count; ++i) {
        const double after = left[i] * transmitted[i];
        absorbed[i] += left[i] - after;
        left[i] = after;
      }
    for (int i = 0; i < count; ++i) out[first + i] = intensity[i] * absorbed[i];
  }
}

// ---- On an OpenCL device: a call does some rows (pipeline/opencl/workloads.cl) ----

opencl::KernelJob device_job(const AbsorptionProblem& problem, const WorkloadInput& input) {
  const auto size = static_cast<std::size_t>(problem.size_px);
  const auto text = [](double value) { return opencl::constant_text(value); };
  return {
      .kernel = "absorption",
      .defines = {{"SIZE", std::to_string(problem.size_px)},
                  {"LAYERS", std::to_string(problem.layers)},
                  {"CENTRE", text(beam_centre_m(problem))},
                  {"PIXEL", text(kPixel_m)},
                  {"DISTANCE", text(kDistance_m)},
                  {"SCALE", text(kCell_A / kWavelength_A)},
                  {"INTENSITY", text(kIntensity)},
                  {"LAYER_DEPTH", text(problem.thickness_m / problem.layers / problem.attenuation_depth_m)},
                  {"LEAST_COSINE", text(kLeastCosine)}},
      .items = size,
      .batch = static_cast<std::size_t>(input.parameters.integer("rows")),
      .work_per_item = size,
      .output_bytes = size * sizeof(double),
      .options = job_options(input)};
}

// ---- The workload ----

class AbsorptionRun final : public WorkloadRun {
 public:
  explicit AbsorptionRun(const WorkloadInput& input)
      : input_(input),
        problem_{static_cast<int>(input.parameters.integer("size")),
                 static_cast<int>(input.parameters.integer("layers")), input.parameters.number("thickness_m"),
                 input.parameters.number("attenuation_depth_m")},
        variant_(input.parameters.text("variant")) {}

  void run_once() override {
    const StageScope stage("absorption");
    image_.clear();
    if (opencl::is_opencl(input_.device)) return run_on_device();
    if (variant_ == "torch")
      image_ = workloads_table().absorption_torch(problem_, input_.device.c_str());
    else
      image_ = absorption_fused(problem_);
  }

  std::vector<Identity> identities() override {
    const auto size = static_cast<std::size_t>(problem_.size_px);
    double mean = 0, oracle_mean = 0, largest = 0, oracle_largest = 0, worst = 0;
    for (std::size_t i = 0; i < image_.size(); ++i) {
      const double truth =
          absorption_oracle(problem_, static_cast<int>(i / size), static_cast<int>(i % size));
      mean += image_[i];
      oracle_mean += truth;
      largest = std::max(largest, image_[i]);
      oracle_largest = std::max(oracle_largest, truth);
      // Near the zeros of the lattice factors rounding is relative to the largest values; keeps NaN.
      const double error = std::abs(image_[i] - truth) / (truth + 1e-6);
      worst = error <= worst ? worst : error;
    }
    const auto count = static_cast<double>(size * size);
    std::vector<Identity> identities = {
        {"pixels", static_cast<double>(image_.size()), count, 0},
        {"layers_sum_worst_relative_error", worst, 0, 1e-9},
        {"mean_intensity", mean / count, oracle_mean / count, 1e-12 * oracle_mean},
        {"largest_intensity", largest, oracle_largest, 1e-9 * oracle_largest}};
    append_reference(identities, mean / count, largest);
    return identities;
  }

  std::string output_sha256() override { return sha256_of_values(image_); }
  void corrupt_output() override { image_.at(image_.size() / 2) += 1; }

  WorkloadCost cost() const override {
    const double pixels = static_cast<double>(problem_.size_px) * problem_.size_px;
    // Of the fused kernel: geometry 20, three lattice factors of 26, intensity 12, one exponential 30, two
    // for a layer; a division or square root counts one.
    return {pixels * 1e-6, pixels * (20 + 3 * 26 + 12 + 30 + 2.0 * problem_.layers), pixels * sizeof(double)};
  }

  std::vector<WorkloadFigure> figures() const override {
    return job_ != nullptr ? figures_of(*job_) : std::vector<WorkloadFigure>();
  }

 private:
  void run_on_device() {
    if (job_ == nullptr) job_ = opencl::table().make_job(device_job(problem_, input_));
    image_.resize(static_cast<std::size_t>(problem_.size_px) * static_cast<std::size_t>(problem_.size_px));
    job_->run({}, std::as_writable_bytes(std::span(image_)));
  }

  // Figures of an independent program, to its printed digits; valid only for its settings.
  void append_reference(std::vector<Identity>& identities, double mean, double largest) const {
    const AbsorptionProblem usual;
    if (problem_.layers != usual.layers || problem_.thickness_m != usual.thickness_m ||
        problem_.attenuation_depth_m != usual.attenuation_depth_m)
      return;
    if (problem_.size_px == 256) identities.push_back({"published_mean_256", mean, 0.598200, 5e-7});
    if (problem_.size_px == 512) identities.push_back({"published_mean_512", mean, 0.172833, 5e-7});
    if (problem_.size_px == 256 || problem_.size_px == 512)
      identities.push_back({"published_largest", largest, 28.03374, 5e-6});
  }

  WorkloadInput input_;
  AbsorptionProblem problem_;
  std::string variant_;
  std::vector<double> image_;
  std::unique_ptr<opencl::DeviceJob> job_;
};

}  // namespace

double beam_centre_m(const AbsorptionProblem& problem) {
  return ((0.1 * problem.size_px + 0.1) / 0.2 + 0.5) * kPixel_m;
}

std::vector<double> absorption_fused(const AbsorptionProblem& problem) {
  const auto size = static_cast<std::size_t>(problem.size_px);
  const double centre_m = beam_centre_m(problem);
  const double layer_depth = problem.thickness_m / problem.layers / problem.attenuation_depth_m;
  std::vector<double> image(size * size);
  const std::size_t rows = std::max<std::size_t>(8, 65536 / size);  // a thread must be worth its start
  parallel_for(size, rows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slow = begin; slow < end; ++slow)
      absorption_row(centre_m - (static_cast<double>(slow) + 0.5) * kPixel_m, -centre_m + 0.5 * kPixel_m,
                     problem.size_px, problem.layers, layer_depth, image.data() + slow * size);
  });
  return image;
}

double absorption_oracle(const AbsorptionProblem& problem, int slow, int fast) {
  using Real = long double;
  const Real pi = std::numbers::pi_v<Real>;
  const Real x = kDistance_m, y = beam_centre_m(problem) - (slow + 0.5L) * Real(kPixel_m),
             z = -Real(beam_centre_m(problem)) + (fast + 0.5L) * Real(kPixel_m);
  const Real distance = std::sqrt(x * x + y * y + z * z);
  const Real scale = Real(kCell_A) / Real(kWavelength_A);
  Real intensity = Real(kStructureFactor) * kStructureFactor;
  for (const Real index : {scale * (x / distance - 1), scale * y / distance, scale * z / distance}) {
    // sin(5 a) / sin(a) = 1 + 2 cos(2 a) + 2 cos(4 a), without a division by zero.
    const Real factor = 1 + 2 * std::cos(2 * pi * index) + 2 * std::cos(4 * pi * index);
    intensity *= factor * factor;
  }
  const Real cosine = x / distance;
  intensity *= 0.5L * (1 + cosine * cosine) * Real(kPixel_m) * kPixel_m / (distance * distance) *
               Real(kDistance_m) / distance * kElectronRadiusSquared_m2 * kFluence;
  const Real depth =
      Real(problem.thickness_m) / problem.attenuation_depth_m / std::max<Real>(cosine, kLeastCosine);
  return static_cast<double>(intensity * -std::expm1(-depth));
}

WorkloadSpec absorption_workload() {
  const AbsorptionProblem usual;
  std::vector<ParameterSpec> parameters = device_parameters();
  parameters.push_back(count_parameter("rows", "1", 64, 1, 8192, "OpenCL: rows of the detector a call"));
  parameters.insert(
      parameters.begin(),
      {variant_parameter(), count_parameter("size", "px", usual.size_px, 1, 8192, "side of the detector"),
       count_parameter("layers", "1", usual.layers, 1, 1000, "thickness steps"),
       number_parameter("thickness_m", "m", usual.thickness_m, 1e-7, 1, "of all layers together"),
       number_parameter("attenuation_depth_m", "m", usual.attenuation_depth_m, 1e-7, 1,
                        "where 1/e of the intensity remains")});
  return {.name = "absorption",
          .summary = "absorption by the layers of a detector under a diffraction pattern",
          .parameters = std::move(parameters),
          .throughput_unit = "Mpx/s",
          .stages = {"absorption", "device_build", "device_record"},
          .batches = false,
          .pixel_identity = "layers_sum_worst_relative_error",
          .prepare = make_run<AbsorptionRun>,
          .skip_reason = [](const WorkloadInput& input) { return device_skip_reason(input, true); }};
}

}  // namespace aqbench
