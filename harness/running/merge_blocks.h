#pragma once
// Cases whose repetitions are spread over several processes (--blocks): their order, and the merging of their
// results.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/records/case.h"
#include "harness/records/record.h"

namespace aqbench {

// Returns an order of all blocks as indices into `blocks`; index i occurs `blocks[i]` times. In each round
// every case with remaining blocks runs once, in random order: neighbours in time are comparable, and no case
// always comes first.
std::vector<std::size_t> block_order(const std::vector<int>& blocks, std::uint64_t seed);

// Returns such an order for the cases of a plan, as indices into `cases`. Comparable cases (one workload, or
// scene and method, and one seed; they are adjacent) run all their rounds before the next ones do, so that
// the sides of a pair are seconds apart in a sweep of any length.
std::vector<std::size_t> interleaved_blocks(std::span<const Case* const> cases);

// Adds samples, cold calls and stages of another process to `merged`. A failed process makes the whole case
// fail; a different output makes it invalid.
void merge_block(const Case& planned, Record& merged, const Record& next);

// Returns the record of a case from those of its processes (at least one), in order.
Record merged_record(const Case& planned, std::span<const Record> blocks);

}  // namespace aqbench
