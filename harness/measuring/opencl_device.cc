#include "harness/measuring/opencl_device.h"

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/processes/isolate.h"
#include "harness/measuring/tensor_memory.h"
#include "pipeline/opencl/opencl.h"

namespace aqbench {
namespace {

constexpr double kAnswerTimeoutS = 60;

std::string device_list_text() {
  Json list = Json::array();
  for (const opencl::DeviceInfo& info : opencl::table().devices())
    list.push_back({{"name", info.name},
                    {"model", info.model},
                    {"kind", info.kind},
                    {"driver", info.driver},
                    {"compiler", info.compiler},
                    {"memory_bytes", info.memory_bytes},
                    {"double_precision", info.doubles},
                    {"command_buffers", info.command_buffers}});
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json list_opencl_devices() {
  const IsolateOptions limits{.timeout_s = kAnswerTimeoutS};
  const IsolateOutcome outcome = run_isolated(&device_list_text, limits);
  if (outcome.end == IsolateOutcome::End::threw) throw Error(ErrorKind::input, outcome.message);
  if (outcome.end != IsolateOutcome::End::ok)
    throw Error(ErrorKind::input, "the OpenCL drivers gave no answer: " + describe(outcome, limits));
  Json devices = parse_strict_json(outcome.result, "the devices of OpenCL", kMessageJson);
  if (devices.empty()) throw Error(ErrorKind::input, "no OpenCL device is available: no driver has one");
  return devices;
}

Json describe_opencl_device(const std::string& device) {
  try {
    Json devices = list_opencl_devices();
    for (Json& one : devices) {
      if (device != "opencl" && one.at("name") != device) continue;
      one.erase("memory_bytes");  // a processor's is what is free at the time
      return one;
    }
    return {{"reason", "no OpenCL device '" + device + "' is available; the last one is " +
                           devices.back().at("name").get<std::string>()}};
  } catch (const Error& error) {
    return {{"reason", error.what()}};
  }
}

std::optional<std::string> opencl_device_problem(const std::string& device) {
  const Json found = describe_opencl_device(device);
  return found.contains("reason") ? std::optional(found.at("reason").get<std::string>()) : std::nullopt;
}

std::optional<double> opencl_busy_ms() {
  const opencl::Table* const table = opencl::opened_table();
  return table != nullptr ? std::optional(table->busy_ms()) : std::nullopt;
}

void report_opencl_memory() {
  if (const opencl::Table* const table = opencl::opened_table(); table != nullptr)
    table->report_memory_to(&report_tensor_memory);
}

}  // namespace aqbench
