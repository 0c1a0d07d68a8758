#include "pipeline/plane_sweep/kernels/plane_sweep.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/error.h"

namespace aqbench::plane_sweep {
namespace {

// In the order of their values.
constexpr std::array kCostNames{"zncc", "ncc_reference", "ssim"};
constexpr std::array kKernelNames{"reference", "torch", "fused"};

template <class Value>
Value value_of(const std::array<const char*, 3>& names, const char* field, std::string_view name) {
  const auto found = std::ranges::find(names, name, [](const char* one) { return std::string_view(one); });
  if (found == names.end())
    throw usage_error("{}: unknown '{}'; choose from {}", field, name, fmt::join(names, ", "));
  return static_cast<Value>(found - names.begin());
}

}  // namespace

void check(const Options& options) {
  const int window_px = options.window_px;
  if (window_px < kMinWindow_px || window_px > kMaxWindow_px)
    throw usage_error("window: must be {} to {}, got {}", kMinWindow_px, kMaxWindow_px, window_px);
  if (window_px % 2 == 0) throw usage_error("window: must be odd, got {}", window_px);
}

CostFunction cost_function_from_name(std::string_view name) {
  return value_of<CostFunction>(kCostNames, "cost", name);
}
Kernel kernel_from_name(std::string_view name) { return value_of<Kernel>(kKernelNames, "kernel", name); }
const char* to_string(CostFunction cost) { return kCostNames[static_cast<std::size_t>(cost)]; }
const char* to_string(Kernel kernel) { return kKernelNames[static_cast<std::size_t>(kernel)]; }
std::vector<std::string> cost_function_names() { return {kCostNames.begin(), kCostNames.end()}; }
std::vector<std::string> kernel_names() { return {kKernelNames.begin(), kKernelNames.end()}; }

}  // namespace aqbench::plane_sweep
