// Absorption in vectorised LibTorch, line for line as one would write it in PyTorch.
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>

#include <numbers>
#include <string>

#include "pipeline/workloads/absorption.h"

namespace aqbench {
namespace {

at::Tensor torch_lattice_factor(const at::Tensor& index) {
  constexpr double pi = std::numbers::pi;
  const at::Tensor sine = at::sin(pi * index);
  const at::Tensor quotient = at::sin(5 * pi * index) / sine;
  return at::where(at::abs(sine) < 1e-12, at::full_like(sine, 5.0), quotient);
}

}  // namespace

std::vector<double> absorption_torch(const AbsorptionProblem& problem, const char* device) {
  const c10::InferenceMode no_gradients;
  const at::TensorOptions options = at::TensorOptions(at::kDouble).device(c10::Device(std::string(device)));
  const double centre_m = beam_centre_m(problem), scale = kCell_A / kWavelength_A;
  const at::Tensor pixel = (at::arange(problem.size_px, options) + 0.5) * kPixel_m;
  const at::Tensor y = (centre_m - pixel).unsqueeze(1), z = (pixel - centre_m).unsqueeze(0);
  const at::Tensor distance = at::sqrt(kDistance_m * kDistance_m + y * y + z * z);
  const at::Tensor dx = kDistance_m / distance, dy = y / distance, dz = z / distance;
  const at::Tensor amplitude = kStructureFactor * torch_lattice_factor(scale * (dx - 1)) *
                               torch_lattice_factor(scale * dy) * torch_lattice_factor(scale * dz);
  const at::Tensor solid_angle = kPixel_m * kPixel_m / (distance * distance) * kDistance_m / distance;
  const at::Tensor intensity =
      amplitude * amplitude * (0.5 * (1 + dx * dx)) * solid_angle * (kElectronRadiusSquared_m2 * kFluence);
  const at::Tensor cosine = at::where(at::abs(dx) < kLeastCosine, at::full_like(dx, kLeastCosine), dx);
  // Layers are the first dimension: [layers, slow, fast].
  const double layer = problem.thickness_m / problem.layers / problem.attenuation_depth_m;
  const at::Tensor t = at::arange(problem.layers, options).view({-1, 1, 1});
  const at::Tensor share = at::exp(-t * layer / cosine) - at::exp(-(t + 1) * layer / cosine);
  const at::Tensor sum = (intensity * share).sum(0).cpu().contiguous();
  const double* const data = sum.data_ptr<double>();
  return {data, data + sum.numel()};
}

}  // namespace aqbench
