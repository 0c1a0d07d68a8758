#pragma once
// Plane-sweep stereo with straight or refracted rays: one interface, several kernels. For every pixel of the
// reference view and every depth along its ray, the sources are sampled where that point projects; the depth
// at which the windows around the samples agree best wins.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {

// How a window of the reference image is compared with the same window of a warped source.
enum class CostFunction {
  zncc,           // 1 - zero-mean normalised cross-correlation, in [0, 2]
  ncc_reference,  // the same with AquaMVS's statistics: each pixel centred by its own local mean, in [0, 2]
  ssim,           // 1 - structural similarity, Gaussian window of sigma 1.5 px, in [0, 1]
};

// The implementation; their results agree.
enum class Kernel {
  reference,  // plain loops in double precision, to check the others
  torch,      // LibTorch operators on `batch` depths a call, on the CPU or a CUDA device
  fused,      // our CPU kernel: tiles, no cost volume
};

// Options of a plane sweep.
struct Options {
  int depths = 128;
  int window_px = 11;  // side of the square window, odd
  CostFunction cost = CostFunction::zncc;
  Kernel kernel = Kernel::fused;
  int batch = 4;               // torch only: depth hypotheses a call
  std::string device = "cpu";  // torch only: "cpu", "cuda" or "cuda:N"
  bool keep_volume = false;    // return the cost volume as well
  // zncc only: variance added to both windows, grey units squared. The default is the variance of rounding to
  // 8 bits: windows without texture then cost 1 (uncorrelated) instead of 0 / 0. At least 1e-7, above the
  // rounding errors of single precision.
  double noise_variance = 1.0 / (255.0 * 255.0 * 12.0);
};

// When a depth is confirmed by other views (pipeline/depth_maps/depth_maps.h).
struct ConsistencyOptions {
  float min_confidence = 0.1F;
  double depth_tolerance_m = 0.005;
  int min_views = 3;            // other views that must agree
  double tolerance_per_m2 = 0;  // times the squared depth: the tolerance where that is more
  std::string device = "cpu";   // where confirm_depths() counts: or an OpenCL device
};

// The two constants of structural similarity (Wang et al. 2004), for grey values up to 1, which keep the
// quotient finite in windows without texture.
inline constexpr double kSsimC1 = 0.01 * 0.01;
inline constexpr double kSsimC2 = 0.03 * 0.03;

// The limits of Options::depths; the first and the last hypothesis cannot be refined, so they cannot win.
inline constexpr int kMinDepths = 3;
inline constexpr int kMaxDepths = 4096;
// The limits of Options::window_px.
inline constexpr int kMinWindow_px = 3;
inline constexpr int kMaxWindow_px = 31;

// Throws Error(usage) for a window that is even or outside its limits; parameters hold the other limits.
void check(const Options& options);

// Finds a cost function by name: "zncc", "ncc_reference", "ssim". Throws Error(usage) that lists the names.
CostFunction cost_function_from_name(std::string_view name);
// Finds a kernel by name: "reference", "torch", "fused". Throws Error(usage) that lists the names.
Kernel kernel_from_name(std::string_view name);
// Return the name of a cost function and of a kernel.
const char* to_string(CostFunction cost);
const char* to_string(Kernel kernel);
// Return the names of all cost functions and of all kernels.
std::vector<std::string> cost_function_names();
std::vector<std::string> kernel_names();

// A non-owning view of a grey image. Row-major height_px x width_px without padding; values go from 0 (black)
// to 1 (white): the constants of ssim and of the noise floor assume that scale.
struct GreyImage {
  int width_px = 0, height_px = 0;
  const float* grey = nullptr;

  std::size_t pixel_count() const {
    return static_cast<std::size_t>(width_px) * static_cast<std::size_t>(height_px);
  }
};

// Returns the mean of an image's values.
float mean_grey(const GreyImage& image);

// Returns the values of an image less `centre`: sums of squares then lose fewer digits.
std::vector<float> grey_minus(const GreyImage& image, float centre);

// One camera and its image.
struct View {
  RefractiveCamera camera;  // its size is the image's
  GreyImage image;          // undistorted
};

// The input of a plane sweep: a reference view, whose depths are found, and the views to compare with.
struct Input {
  View reference;
  std::vector<View> sources;  // sizes may differ from the reference's
  // Range of the hypotheses: metres along the ray from its origin, both ends included.
  double depth_min_m = 0, depth_max_m = 0;
  // Hypotheses are evenly spaced in depth, or in inverse depth, where a step is an even step of parallax for
  // rays from the camera's centre; depth_min_m is then positive.
  bool even_in_inverse = false;
};

// The depths of the reference view.
struct Result {
  int width_px = 0, height_px = 0;
  std::vector<float> depths_m;    // the hypotheses, ascending
  std::vector<float> depth_m;     // [y][x], metres along the refracted ray; NaN = none
  std::vector<float> confidence;  // [y][x], 0 to 1; 0 where there is no depth
  std::vector<float> volume;      // [y][x][depth] if Options::keep_volume, else empty; lower = better match
  int kernel_calls = 1;           // kernel torch, and OpenCL: one per batch of depths
};

// A refined depth map (pipeline/depth_maps/depth_maps.h).
struct RefinedDepth {
  std::vector<float> depth_m;     // [y][x], metres along the ray; NaN = none
  std::vector<float> similarity;  // [y][x], 1 - the winner's cost, at least 0; 0 where there is no depth
};

// A view's depth map: [y][x], metres along the refracted ray, NaN = none.
struct DepthView {
  RefractiveCamera camera;
  std::span<const float> depth_m, confidence;
};

// Returns `count` values from min to max, both included, evenly spaced or evenly in 1 / depth (then min > 0).
std::vector<float> depth_hypotheses(double depth_min_m, double depth_max_m, int count,
                                    bool even_in_inverse = false);

// Throws Error(input) naming the view and field: mismatched sizes, no source, an empty or non-finite depth
// range, non-finite grey values.
void check(const Input& input);

// Finds the depths of the reference view. Samples outside a source image are missing: a window needs half its
// samples or costs 1 in that source; the cost of a depth is the mean over the sources. Throws like both
// check() functions; Error(method) for an unavailable device. Uses parallel_for (torch: at::set_num_threads
// to the same count); the result does not depend on the thread count. Opens the stages build_cost_volume,
// grid_sample_warp and extract_depth if the kernel separates them.
Result run(const Input& input, const Options& options);

// ---- The kernels behind run(), which has checked input and options and allocated all but the volume ----

// Fills the result on the CPU tile by tile with vector instructions, without a cost volume.
void run_fused_kernel(const Input& input, const Options& options, Result& result);

// Fills the result with LibTorch operators on options.batch depths a call, on the CPU or a CUDA device.
// Throws Error(method) if LibTorch fails: out of memory, or a device that it does not have.
void run_torch_kernel(const Input& input, const Options& options, Result& result);

// What run() asks of LibTorch, in the module `torch` (core/module.h): run_torch_kernel().
struct TorchKernelTable {
  void (*run)(const Input& input, const Options& options, Result& result);
};

// ---- The cost functions on whole images in plain double precision, the reference of the fast kernels ----

// Returns the one-dimensional weights of the window, separable and summing to 1 for ssim, all 1 for the
// others.
std::vector<double> window_weights(CostFunction cost, int window_px);

// Returns the weighted sums over the windows around the pixels of an image of `columns` columns; zero
// outside.
std::vector<double> window_sums(const std::vector<double>& in, int columns,
                                const std::vector<double>& weights);

// Returns the least total weight of valid samples in a window; with less it costs 1.
double min_window_weight(CostFunction cost, int window_px);

// Computes the cost of the window around each pixel, clipped at the image border. All spans: [y][x], width_px
// * height_px; NaN in `warped` = missing sample. Single-threaded.
void cost_map(const Options& options, int width_px, std::span<const float> reference,
              std::span<const float> warped, std::span<float> cost);

}  // namespace aqbench::plane_sweep
