#pragma once
// Counts instructions of programs with the processor's own counter.

#include <cstdint>
#include <optional>
#include <string>

#include "core/descriptor.h"

namespace aqbench {

// Counts what this process and the processes that it starts execute in user space (perf_event_open(2)).
class InstructionCounter {
 public:
  // Opens the counter, stopped; another event of the kernel than instructions is for tests.
  InstructionCounter();
  InstructionCounter(std::uint32_t type, std::uint64_t event);

  // Returns why nothing is counted, "" where it is.
  const std::string& why_not() const { return why_not_; }

  // Starts the counter.
  void start();

  // Stops the counter and returns what was counted since start(), of children those that have ended. Returns
  // nullopt where nothing was counted, or not all of the time because others use the processor's counters.
  std::optional<double> stop();

 private:
  struct Reading {
    std::uint64_t count = 0, enabled_ns = 0, running_ns = 0;
  };
  Reading read() const;

  Descriptor counter_;
  Reading before_;
  std::string why_not_;
};

}  // namespace aqbench
