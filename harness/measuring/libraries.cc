#include "harness/measuring/libraries.h"

#include <dlfcn.h>
#include <tbb/global_control.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/error.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/processes/isolate.h"
#include "pipeline/opencl/opencl.h"

AQBENCH_MODULE_TABLE aqbench::TorchTable aqbench_torch_table;

namespace aqbench {
namespace {

// Returns the table if the module is loaded or linked, otherwise nullptr: then LibTorch has done nothing in
// this process.
const TorchTable* loaded_torch_table() {
  const bool linked = &aqbench_torch_table != nullptr;
  return linked || is_loaded(Module::torch) ? &torch_table() : nullptr;
}

// The listener, and the sizes of blocks reported to it. LibTorch's own table exists only while there is a
// listener, so a block may reappear there with an old size.
struct MemoryReports {
  std::mutex mutex;
  std::atomic<TensorMemoryListener*> listener{nullptr};
  std::unordered_map<const void*, std::int64_t> sizes;

  void report(const void* block, std::int64_t bytes) {
    if (block == nullptr || bytes == 0) return;
    const std::lock_guard lock(mutex);
    TensorMemoryListener* const to = listener.load(std::memory_order_relaxed);
    if (to == nullptr) return;
    if (bytes > 0) {
      sizes[block] = bytes;
      to->on_tensor_memory(bytes);
    } else if (const auto known = sizes.find(block); known != sizes.end()) {
      const std::int64_t taken = known->second;
      sizes.erase(known);
      to->on_tensor_memory(-taken);
    }
  }
};

MemoryReports& memory_reports() {
  static auto* const reports = new MemoryReports;  // never destroyed: pool threads outlive main()
  return *reports;
}

void set_listener(TensorMemoryListener* listener) {
  MemoryReports& reports = memory_reports();
  const std::lock_guard lock(reports.mutex);
  reports.listener.store(listener, std::memory_order_release);
  reports.sizes.clear();
}

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
  return compact_json(list);
}

}  // namespace

const TorchTable& torch_table() {
  return module_table<TorchTable>(Module::torch, "aqbench_torch_table", &aqbench_torch_table);
}

UserScopeBridge::UserScopeBridge() {
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr)
    handle_ = torch->add_user_scopes();
}

UserScopeBridge::~UserScopeBridge() {
  if (handle_) torch_table().remove_user_scopes(*handle_);
}

void set_library_threads(int count) {
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr) torch->set_threads(count);
  // Looked up by name: the system chooses the BLAS (update-alternatives).
  using SetThreads = void (*)(int);
  for (const char* const name : {"openblas_set_num_threads", "omp_set_num_threads"})
    if (void* const symbol = ::dlsym(RTLD_DEFAULT, name); symbol != nullptr)
      reinterpret_cast<SetThreads>(symbol)(count);
  static std::unique_ptr<tbb::global_control> tbb_limit;  // in effect during its lifetime
  tbb_limit.reset();
  tbb_limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                    static_cast<std::size_t>(count));
}

std::vector<std::pair<std::string, std::int64_t>> library_threads() {
  std::vector<std::pair<std::string, std::int64_t>> threads = {
      {"own", thread_count()},
      {"tbb", static_cast<std::int64_t>(
                  tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))}};
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr)
    threads.emplace_back("torch", torch->threads());
  using GetThreads = int (*)();
  for (const auto& [library, name] :
       {std::pair{"openblas", "openblas_get_num_threads"}, {"openmp", "omp_get_max_threads"}})
    if (void* const symbol = ::dlsym(RTLD_DEFAULT, name); symbol != nullptr)
      threads.emplace_back(library, reinterpret_cast<GetThreads>(symbol)());
  return threads;
}

bool cuda_device_available() { return torch_table().has_cuda_device(); }

TensorMemoryWatch::TensorMemoryWatch(TensorMemoryListener& listener)
    : previous_(memory_reports().listener.load()) {
  set_listener(&listener);
  set_worker_start_hook(&watch_tensor_memory_here);
  watch_tensor_memory_here();
}

TensorMemoryWatch::~TensorMemoryWatch() {
  set_listener(previous_);
  if (previous_ == nullptr) set_worker_start_hook(nullptr);
}

void watch_tensor_memory_here() {
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr) torch->report_memory_here();
}

bool watch_tensor_memory_of_pool() {
  const TorchTable* const torch = loaded_torch_table();
  return torch != nullptr && torch->report_memory_of_pool();
}

void report_tensor_memory(const void* block, std::int64_t bytes) { memory_reports().report(block, bytes); }

bool is_tensor_memory_watched() {
  return memory_reports().listener.load(std::memory_order_acquire) != nullptr;
}

Json list_opencl_devices() {
  const IsolateOptions limits{.timeout_s = kAnswerTimeoutS};
  const IsolateOutcome outcome = run_isolated(&device_list_text, limits);
  if (outcome.end == IsolateOutcome::End::threw) throw Error(ErrorKind::input, outcome.message);
  if (outcome.end != IsolateOutcome::End::ok)
    throw Error(ErrorKind::input, "the OpenCL drivers gave no answer: " + describe(outcome, limits));
  Json devices = parse_strict_json(outcome.result, "the devices of OpenCL", kMessageJson);
  if (devices.empty()) throw input_error("no OpenCL device is available: no driver has one");
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
