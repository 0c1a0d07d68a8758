#include "pipeline/plane_sweep/kernels/options.h"

#include <array>
#include <utility>

#include "core/error.h"

namespace aqbench::plane_sweep {
namespace {

constexpr std::array<std::pair<CostFunction, const char*>, 3> kCostNames{
    {{CostFunction::zncc, "zncc"},
     {CostFunction::ncc_reference, "ncc_reference"},
     {CostFunction::ssim, "ssim"}}};

constexpr std::array<std::pair<Kernel, const char*>, 3> kKernelNames{
    {{Kernel::reference, "reference"}, {Kernel::torch, "torch"}, {Kernel::fused, "fused"}}};

template <typename Table>
std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  names.reserve(table.size());
  for (const auto& row : table) names.emplace_back(row.second);
  return names;
}

template <typename Table>
auto value_of(const Table& table, const char* field, std::string_view name) {
  std::string known;
  for (const auto& [value, text] : table) {
    if (name == text) return value;
    known += known.empty() ? text : std::string(", ") + text;
  }
  throw Error(ErrorKind::usage,
              std::string(field) + ": unknown '" + std::string(name) + "'; choose from " + known);
}

template <typename Table, typename Value>
const char* name_of(const Table& table, Value value) {
  for (const auto& [known, text] : table)
    if (known == value) return text;
  return "unknown";
}

void require_range(const char* field, int value, int low, int high) {
  if (value < low || value > high)
    throw Error(ErrorKind::usage, std::string(field) + ": must be " + std::to_string(low) + " to " +
                                      std::to_string(high) + ", got " + std::to_string(value));
}

}  // namespace

void check(const Options& options) {
  require_range("depths", options.depths, kMinDepths, kMaxDepths);
  require_range("window", options.window_px, kMinWindow_px, kMaxWindow_px);
  if (options.window_px % 2 == 0)
    throw Error(ErrorKind::usage, "window: must be odd, got " + std::to_string(options.window_px));
  require_range("batch", options.batch, 1, kMaxDepths);
  if (!(options.noise_variance >= 1e-7 && options.noise_variance <= 1))
    throw Error(ErrorKind::usage,
                "noise_variance: must be from 1e-7 to 1, got " + std::to_string(options.noise_variance));
}

CostFunction cost_function_from_name(std::string_view name) { return value_of(kCostNames, "cost", name); }
Kernel kernel_from_name(std::string_view name) { return value_of(kKernelNames, "kernel", name); }
const char* to_string(CostFunction cost) { return name_of(kCostNames, cost); }
const char* to_string(Kernel kernel) { return name_of(kKernelNames, kernel); }
std::vector<std::string> cost_function_names() { return names_of(kCostNames); }
std::vector<std::string> kernel_names() { return names_of(kKernelNames); }

}  // namespace aqbench::plane_sweep
