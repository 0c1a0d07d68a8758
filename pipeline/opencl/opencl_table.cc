#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "core/module.h"
#include "pipeline/opencl/opencl.h"

AQBENCH_MODULE_TABLE aqbench::opencl::Table aqbench_opencl_table;

namespace aqbench::opencl {
namespace {

std::atomic<bool> is_open = false;

}  // namespace

bool is_opencl(std::string_view device) {
  constexpr std::string_view kName = "opencl", kNumbered = "opencl:";
  if (device == kName) return true;
  if (!device.starts_with(kNumbered)) return false;
  device.remove_prefix(kNumbered.size());
  return !device.empty() && device.size() <= 3 &&
         std::ranges::all_of(device, [](char digit) { return digit >= '0' && digit <= '9'; });
}

const Table& table() {
  return module_table<Table>(Module::opencl, "aqbench_opencl_table", &aqbench_opencl_table);
}

const Table* opened_table() { return is_open ? &table() : nullptr; }

std::string constant_text(double value, bool single) {
  return single ? fmt::format("({:a}f)", static_cast<float>(value)) : fmt::format("({:a})", value);
}

void open_if_installed() {
  const bool linked = &aqbench_opencl_table != nullptr;
  if (!linked && module_file(Module::opencl).empty()) return;
  table();
  is_open = true;
}

}  // namespace aqbench::opencl
