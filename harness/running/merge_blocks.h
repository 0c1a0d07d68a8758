#pragma once
// Cases whose repetitions are spread over several processes (--blocks): in which order they run, and how what
// they gave becomes one record.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/running/run_case.h"

namespace aqbench {

// Indices into `blocks`, each as often as it says. Round by round every case that has blocks left runs once,
// in an order drawn by chance: neighbours in time are comparable, and no case always comes first.
std::vector<std::size_t> block_order(const std::vector<int>& blocks, std::uint64_t seed);

// The same for the cases of a plan: places in `cases`. Cases that may be compared with each other (one
// workload, or scene and method, and one seed; they follow each other) run all their rounds before the next
// ones do, so that the two sides of a pair lie seconds apart however long the sweep is.
std::vector<std::size_t> interleaved_blocks(std::span<const Case* const> cases);

// Adds what a further process gave to `merged`: samples, cold calls, stages. A process that failed, or gave
// another output, makes the whole case fail ("invalid: ...").
void merge_block(const Case& planned, CaseResult& merged, CaseResult next);

}  // namespace aqbench
