#pragma once
// The options of a plane sweep.

#include <string>
#include <string_view>
#include <vector>

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

// When a depth is confirmed by other views (pipeline/depth_maps/consistency.h).
struct ConsistencyOptions {
  float min_confidence = 0.1F;
  double depth_tolerance_m = 0.005;
  int min_views = 3;            // other views that must agree
  double tolerance_per_m2 = 0;  // times the squared depth: the tolerance where that is more
  std::string device = "cpu";   // where confirm_depths() counts: or an OpenCL device
};

// Structural similarity (Wang et al. 2004) for grey values up to 1: the width of its Gaussian window.
inline constexpr double kSsimSigma_px = 1.5;
// Its two constants, which keep the quotient finite in windows without texture.
inline constexpr double kSsimC1 = 0.01 * 0.01;
inline constexpr double kSsimC2 = 0.03 * 0.03;

// The limits of Options::depths; the first and the last hypothesis cannot be refined, so they cannot win.
inline constexpr int kMinDepths = 3;
inline constexpr int kMaxDepths = 4096;
// The limits of Options::window_px.
inline constexpr int kMinWindow_px = 3;
inline constexpr int kMaxWindow_px = 31;

// Throws Error(usage) "field: problem".
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

}  // namespace aqbench::plane_sweep
