#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "core/error.h"
#include "core/module.h"
#include "pipeline/opencl/opencl.h"

AQBENCH_MODULE_TABLE aqbench::opencl::Table aqbench_opencl_table;

namespace aqbench::opencl {
namespace {

std::atomic<bool> is_open = false;

}  // namespace

bool is_opencl(std::string_view device) {
  if (device == "opencl") return true;
  const bool numbered = device.starts_with("opencl:") && device.size() >= 8 && device.size() <= 10;
  return numbered &&
         std::ranges::all_of(device.substr(7), [](char digit) { return digit >= '0' && digit <= '9'; });
}

const Table& table() {
  return module_table<Table>(Module::opencl, "aqbench_opencl_table", &aqbench_opencl_table);
}

const Table* opened_table() { return is_open ? &table() : nullptr; }

std::string constant_text(double value, bool single) {
  return single ? fmt::format("({:a}f)", static_cast<float>(value)) : fmt::format("({:a})", value);
}

void open_if_possible() {
  try {
    table();
    is_open = true;
  } catch (const Error&) {  // each case is skipped with this reason
  }
}

}  // namespace aqbench::opencl
