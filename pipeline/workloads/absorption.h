#pragma once
// Absorption in a detector of several layers under a diffraction pattern (the kernel of nanoBragg). Lengths
// in metres. The detector is square, size_px x size_px pixels, slow axis first.

#include <vector>

namespace aqbench {

// The detector.
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

// Computes the absorbed intensities [slow][fast] in plain loops.
std::vector<double> absorption_loop(const AbsorptionProblem& problem);

// Computes the same in vectorised LibTorch.
std::vector<double> absorption_torch(const AbsorptionProblem& problem, const char* device);

// Computes the same in one pass over each row.
std::vector<double> absorption_fused(const AbsorptionProblem& problem);

// Computes one pixel in long double, with the closed form 1 - exp(-thickness mu / cosine) of the sum over
// layers. Checks the three variants.
double absorption_oracle(const AbsorptionProblem& problem, int slow, int fast);

}  // namespace aqbench
