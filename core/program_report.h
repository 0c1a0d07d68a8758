#pragma once
// Resource use and stages of an external program, for observers of stages.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/members.h"

namespace aqbench {

// A stage as the program reported it.
struct ProgramStage {
  std::string name;
  std::int64_t start_ns = 0, end_ns = 0;  // of CLOCK_MONOTONIC, within the program's run
  int lane = 0;                           // 0: the main thread; further threads and processes count from 1
  std::uint64_t calls = 1;
};

// Resources used by a program and its descendants, from start to end. Values are missing where the system
// does not report them.
struct ProgramUse {
  double cpu_user_s = 0, cpu_system_s = 0;
  std::optional<std::uint64_t> peak_resident_bytes;  // of all together; shared pages count once
  // By read and write calls, pipes and the page cache included; mapped files excluded.
  std::optional<std::uint64_t> read_bytes, written_bytes;
  std::uint64_t minor_faults = 0, major_faults = 0;  // of pages; major ones waited for the disk
  std::uint64_t voluntary_switches = 0, involuntary_switches = 0;

  bool operator==(const ProgramUse&) const = default;

  template <class Row>
  static void members(const Row& row) {
    row("cpu_user_s", &ProgramUse::cpu_user_s, kNotNegative);
    row("cpu_system_s", &ProgramUse::cpu_system_s, kNotNegative);
    row("peak_resident_bytes", &ProgramUse::peak_resident_bytes, 0,
        "Of all together; shared pages count once.");
    row("read_bytes", &ProgramUse::read_bytes, 0, "By read calls, from pipes and the page cache, too.");
    row("written_bytes", &ProgramUse::written_bytes);
    row("minor_faults", &ProgramUse::minor_faults);
    row("major_faults", &ProgramUse::major_faults);
    row("voluntary_switches", &ProgramUse::voluntary_switches);
    row("involuntary_switches", &ProgramUse::involuntary_switches);
  }
};

// A program that has ended.
struct ProgramReport {
  const char* stage = "";  // the StageScope in which it ran, just closed
  // Of each lane sorted by start, the outer one first; they nest and do not overlap.
  std::vector<ProgramStage> stages;
  std::optional<ProgramUse> use = {};  // none if the system reports nothing
};

// Passes the report to the observer of stages (core/stage_scope.h), if any. Call it on the thread that waited
// for the program, right after the scope in which it ran.
void report_program(const ProgramReport& report);

}  // namespace aqbench
