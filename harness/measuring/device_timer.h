#pragma once
// Time of stages on a CUDA device, by events on the current stream. Built where LibTorch's and CUDA's headers
// are there; elsewhere device_time_problem() says so and nothing else does anything.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace aqbench {

// "" if device time can be measured here and now, otherwise why not.
std::string device_time_problem();

class DeviceTimer {
 public:
  // `add(stage, ms)` is called for each span once the device has got there: in collect(), and in stop() when
  // many spans wait.
  explicit DeviceTimer(std::function<void(std::size_t stage, double ms)> add);
  ~DeviceTimer();
  DeviceTimer(const DeviceTimer&) = delete;
  DeviceTimer& operator=(const DeviceTimer&) = delete;

  // Marks the start of a span on the device; the number goes to stop().
  std::size_t start();
  void stop(std::size_t span, std::size_t stage);

  // Waits for the device and adds up what has ended.
  void collect();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace aqbench
