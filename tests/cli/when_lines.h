#pragma once
// Something that happens while the program runs.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <thread>

#include "tests/cli/program.h"

namespace aqbench::testing {

// Calls `act` on another thread, once the journal of the first bundle below `out` has so many lines; not after a
// minute. Join it after the run.
template <class Act>
std::thread when_lines(const std::filesystem::path& out, std::size_t lines, Act act) {
  return std::thread([out, lines, act] {
    for (int i = 0; i < 6000; ++i) {
      if (bundle_lines(out, "journal.jsonl") >= lines) return act();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
}

}  // namespace aqbench::testing
