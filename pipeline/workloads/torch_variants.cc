// The variants `torch` of absorption and tricubic in vectorised LibTorch, as one would write them in PyTorch,
// and the table of the workloads in the module `pipeline`.
#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/round.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>
#include <numbers>
#include <string>

#include "pipeline/workloads/numeric.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {
namespace {

at::Tensor torch_lattice_factor(const at::Tensor& index) {
  constexpr double pi = std::numbers::pi;
  const at::Tensor sine = at::sin(pi * index);
  const at::Tensor quotient = at::sin(5 * pi * index) / sine;
  return at::where(at::abs(sine) < 1e-12, at::full_like(sine, 5.0), quotient);
}

at::Tensor torch_weights(const at::Tensor& x) {  // [batch] -> [batch, 4]
  return at::stack({x * (x - 1) * (x - 2) / -6, (x + 1) * (x - 1) * (x - 2) / 2, (x + 1) * x * (x - 2) / -2,
                    (x + 1) * x * (x - 1) / 6},
                   1);
}

at::Tensor torch_batch(const at::Tensor& grid, const at::Tensor& h, const at::Tensor& k,
                       const at::Tensor& l) {
  const auto fits = [](const at::Tensor& index) {
    return (index >= 1 - kGridReach).logical_and(index < kGridReach - 1);
  };
  const at::Tensor inside = fits(h).logical_and(fits(k)).logical_and(fits(l));
  const at::Tensor offsets = at::arange(-1, 3, grid.options().dtype(at::kLong));
  const auto neighbours = [&](const at::Tensor& floor) {  // clamped where they are not used
    const at::Tensor first = at::clamp(floor.to(at::kLong), 1 - kGridReach, kGridReach - 2);
    return first.unsqueeze(1) + offsets + kGridReach;  // [batch, 4]
  };
  const at::Tensor h0 = at::floor(h), k0 = at::floor(k), l0 = at::floor(l);
  const at::Tensor place =
      (neighbours(h0).view({-1, 4, 1, 1}) * kGridSide + neighbours(k0).view({-1, 1, 4, 1})) * kGridSide +
      neighbours(l0).view({-1, 1, 1, 4});
  const at::Tensor values = grid.index({place});  // [batch, 4, 4, 4]
  const at::Tensor along_l = (values * torch_weights(l - l0).view({-1, 1, 1, 4})).sum(3);
  const at::Tensor along_k = (along_l * torch_weights(k - k0).view({-1, 1, 4})).sum(2);
  const at::Tensor interpolated = (along_k * torch_weights(h - h0)).sum(1);
  // Only those without neighbours use the fallback.
  const at::Tensor rh = at::round(h), rk = at::round(k), rl = at::round(l);
  const at::Tensor on_grid = (at::abs(rh) <= kGridReach)
                                 .logical_and(at::abs(rk) <= kGridReach)
                                 .logical_and(at::abs(rl) <= kGridReach);
  const auto on_axis = [](const at::Tensor& rounded) {
    return at::clamp(rounded, -kGridReach, kGridReach).to(at::kLong) + kGridReach;
  };
  const at::Tensor nearest = grid.index({(on_axis(rh) * kGridSide + on_axis(rk)) * kGridSide + on_axis(rl)});
  const at::Tensor fallback = at::where(on_grid, nearest, at::full_like(nearest, kFactorOutside));
  return at::where(inside, interpolated, fallback);
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

BatchedFactors tricubic_torch(const std::vector<double>& grid, const TricubicQueries& queries,
                              std::int64_t batch, const char* device) {
  const c10::InferenceMode no_gradients;
  const c10::Device place{std::string(device)};
  const auto tensor_of = [&](const std::vector<double>& values) {
    return at::from_blob(const_cast<double*>(values.data()), {static_cast<std::int64_t>(values.size())},
                         at::kDouble)
        .to(place);
  };
  const at::Tensor grid_tensor = tensor_of(grid), h = tensor_of(queries.h), k = tensor_of(queries.k),
                   l = tensor_of(queries.l);
  BatchedFactors factors{std::vector<double>(queries.h.size()), 0};
  const auto count = static_cast<std::int64_t>(queries.h.size());
  for (std::int64_t begin = 0; begin < count; begin += batch, ++factors.kernel_calls) {
    const std::int64_t end = std::min(begin + batch, count);
    const at::Tensor part =
        torch_batch(grid_tensor, h.slice(0, begin, end), k.slice(0, begin, end), l.slice(0, begin, end))
            .cpu()
            .contiguous();
    std::memcpy(factors.values.data() + begin, part.data_ptr<double>(),
                static_cast<std::size_t>(end - begin) * sizeof(double));
  }
  return factors;
}

}  // namespace aqbench

extern "C" const aqbench::WorkloadsTable aqbench_workloads_table;
const aqbench::WorkloadsTable aqbench_workloads_table = {
    .absorption_torch = &aqbench::absorption_torch,
    .tricubic_torch = &aqbench::tricubic_torch,
    .prepare_plane_sweep = &aqbench::prepare_plane_sweep,
    .prepare_synthetic = &aqbench::prepare_synthetic,
    .prepare_equirect_views = &aqbench::prepare_equirect_views,
    .prepare_equirect_pipeline = &aqbench::prepare_equirect_pipeline};
