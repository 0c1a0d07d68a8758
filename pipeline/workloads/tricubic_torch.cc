// Tricubic interpolation in vectorised LibTorch: the 4 x 4 x 4 neighbours of a whole batch are gathered, then
// reduced one axis after the other.
#include <ATen/TensorIndexing.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/floor.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/round.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "pipeline/workloads/tricubic.h"

namespace aqbench {
namespace {

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
