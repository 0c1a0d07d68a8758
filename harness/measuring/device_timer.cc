#include "harness/measuring/device_timer.h"

#include <ATen/detail/CUDAHooksInterface.h>

#if __has_include(<cuda_runtime_api.h>) && __has_include(<ATen/cuda/CUDAEvent.h>)
#define AQBENCH_HAS_CUDA_EVENTS 1
#include <ATen/cuda/CUDAEvent.h>
#else
#define AQBENCH_HAS_CUDA_EVENTS 0
#endif

#include <utility>
#include <vector>

namespace aqbench {

#if AQBENCH_HAS_CUDA_EVENTS

namespace {
constexpr std::size_t kWaitingSpans = 1024;  // then the device is waited for, so that memory stays bounded
}

struct DeviceTimer::State {
  struct Span {
    at::cuda::CUDAEvent begin{cudaEventDefault}, end{cudaEventDefault};
    std::size_t stage = 0;
    bool open = false, ended = false;
  };
  std::function<void(std::size_t, double)> add;
  std::vector<Span> spans;  // used again once collected
  std::size_t ended = 0;
};

std::string device_time_problem() {
  const at::CUDAHooksInterface& hooks = at::detail::getCUDAHooks();
  return hooks.hasCUDA() && hooks.getNumGPUs() > 0 ? "" : "there is no CUDA device here";
}

DeviceTimer::DeviceTimer(std::function<void(std::size_t, double)> add) : state_(std::make_unique<State>()) {
  state_->add = std::move(add);
}
DeviceTimer::~DeviceTimer() = default;

std::size_t DeviceTimer::start() {
  std::size_t span = 0;
  while (span < state_->spans.size() && (state_->spans[span].open || state_->spans[span].ended)) ++span;
  if (span == state_->spans.size()) state_->spans.emplace_back();
  state_->spans[span].open = true;
  state_->spans[span].begin.record();
  return span;
}

void DeviceTimer::stop(std::size_t span, std::size_t stage) {
  State::Span& stopped = state_->spans.at(span);
  stopped.end.record();
  stopped.stage = stage;
  stopped.open = false;
  stopped.ended = true;
  if (++state_->ended >= kWaitingSpans) collect();
}

void DeviceTimer::collect() {
  for (State::Span& span : state_->spans) {
    if (!span.ended) continue;
    span.end.synchronize();
    state_->add(span.stage, span.begin.elapsed_time(span.end));
    span.ended = false;
  }
  state_->ended = 0;
}

#else

struct DeviceTimer::State {};

std::string device_time_problem() {
  return at::detail::getCUDAHooks().hasCUDA() ? "built without CUDA's headers" : "this LibTorch has no CUDA";
}

DeviceTimer::DeviceTimer(std::function<void(std::size_t, double)>) {}
DeviceTimer::~DeviceTimer() = default;
std::size_t DeviceTimer::start() { return 0; }
void DeviceTimer::stop(std::size_t, std::size_t) {}
void DeviceTimer::collect() {}

#endif

}  // namespace aqbench
