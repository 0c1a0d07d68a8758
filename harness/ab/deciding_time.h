#pragma once
// Which time decides whether B is slower: wall time, or processor time, which a loaded machine disturbs less.

#include <functional>
#include <optional>
#include <string>

#include "core/command_line/flag_value.h"
#include "harness/ab/document.h"
#include "harness/records/load.h"

namespace aqbench {

// Reads "wall", "cpu", "both", and "instructions" where they can be counted. Throws Error(usage) naming the
// flag.
DecideBy read_decide_by(const FlagValue& value, bool counts_instructions = false);

// Returns the load of this machine; nullopt where the system does not report it.
std::optional<MachineLoad> load_of_this_machine();

// Chooses what decides each case of the document and notes why. Where CPU time decides, wall time is a cost
// unless CPU time alone is wanted.
// `why_not_cpu` returns why CPU time does not cover what a case does, "" if it does. Throws Error(usage)
// naming --decide-by and the case where CPU time is wanted and not known. Where instructions are wanted they
// decide all cases alone; `why_not_counted` says why they cannot, "" if they can: then the choice is made as
// if nothing had been wanted.
void choose_deciding_time(DecideBy wanted, const std::optional<MachineLoad>& load,
                          const std::function<std::string(const AbCase&)>& why_not_cpu, AbDocument& document,
                          const std::string& why_not_counted = "");

// Returns whether the first run of a unit took no more CPU time than one thread can: with several threads CPU
// time, which is that of all, hides what they gain. False where CPU time is unknown.
bool uses_one_thread(const Record& unit);

// Returns why CPU time does not cover what a benchmark of Google Benchmark does; `known` tells whether its
// reports have CPU times of one thread (GbenchTimes::cpu_ms).
std::string why_not_cpu_of_benchmark(const std::string& name, bool known, DecideBy wanted);

// Returns why instructions do not decide a benchmark of Google Benchmark whose reports lack their counter.
std::string why_not_counted_of_benchmark(const std::string& name);

}  // namespace aqbench
