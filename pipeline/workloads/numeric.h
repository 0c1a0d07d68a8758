#pragma once
// The kernels of nanoBragg: absorption in a detector of several layers under a diffraction pattern, and
// tricubic interpolation of structure factors.

#include <cstdint>
#include <vector>

namespace aqbench {

// The detector: square, size_px x size_px pixels, slow axis first; lengths in metres.
struct AbsorptionProblem {
  int size_px = 256;
  int layers = 5;               // thickness steps
  double thickness_m = 100e-6;  // of the whole detector
  double attenuation_depth_m = 500e-6;
};

// Constants of the diffraction pattern; _A: in Angstrom.
inline constexpr double kPixel_m = 1e-4;
inline constexpr double kDistance_m = 0.1;
inline constexpr double kWavelength_A = 6.2;
inline constexpr double kCell_A = 100;
inline constexpr double kStructureFactor = 100;
inline constexpr double kElectronRadiusSquared_m2 = 7.94079248018965e-30;
inline constexpr double kFluence = 1.25932015286227e29;  // photons / m2
inline constexpr double kLeastCosine = 1e-10;            // of the angle of incidence

// Returns the distance of the beam centre from the sides of the detector that meet at its corner.
double beam_centre_m(const AbsorptionProblem& problem);

// Computes the absorbed intensities [slow][fast] in vectorised LibTorch.
std::vector<double> absorption_torch(const AbsorptionProblem& problem, const char* device);

// Computes the same in one pass over each row.
std::vector<double> absorption_fused(const AbsorptionProblem& problem);

// Computes one pixel in long double, with the closed form 1 - exp(-thickness mu / cosine) of the sum over
// layers. Checks all variants.
double absorption_oracle(const AbsorptionProblem& problem, int slow, int fast);

// ---- Tricubic interpolation: the Lagrange polynomial through 4 x 4 x 4 grid points around each query ----

// The grid has the indices -4 to 4 on each axis.
inline constexpr int kGridReach = 4;

// The number of grid points along each axis.
inline constexpr int kGridSide = 2 * kGridReach + 1;

// The factor far from all grid points.
inline constexpr double kFactorOutside = 100;

// Query positions, as three arrays [query].
struct TricubicQueries {
  std::vector<double> h, k, l;
};

// Returns F = 100 + 10 h + 5 k + 2 l + 0.5 h k + 0.3 k l + 0.2 h l, which interpolation reproduces exactly.
double structure_factor(double h, double k, double l);

// Returns F at the grid points, [h][k][l].
std::vector<double> structure_factor_grid();

// Makes `count` seeded queries; a share of them has no neighbours.
TricubicQueries make_queries(std::uint64_t seed, std::int64_t count, double outside_share);

// Factors, and the number of kernel calls that computed them.
struct BatchedFactors {
  std::vector<double> values;
  std::int64_t kernel_calls = 0;
};

// Interpolates in vectorised LibTorch, `batch` queries a call.
BatchedFactors tricubic_torch(const std::vector<double>& grid, const TricubicQueries& queries,
                              std::int64_t batch, const char* device);

// Interpolates in one pass, `batch` queries a call.
BatchedFactors tricubic_fused(const std::vector<double>& grid, const TricubicQueries& queries,
                              std::int64_t batch);

}  // namespace aqbench
