#pragma once
// Cases whose repetitions are spread over several processes (--blocks): in which order they run, and how
// their results become one record.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/records/case.h"
#include "harness/records/record.h"

namespace aqbench {

// Returns an order of all blocks as indices into `blocks`; index i stands in it `blocks[i]` times. Round by
// round every case that has blocks left runs once, in an order drawn by chance: neighbours in time are
// comparable, and no case always comes first.
std::vector<std::size_t> block_order(const std::vector<int>& blocks, std::uint64_t seed);

// Returns such an order for the cases of a plan, as indices into `cases`. Cases that may be compared with
// each other (one workload, or scene and method, and one seed; they follow each other) run all their rounds
// before the next ones do, so that the two sides of a pair lie seconds apart however long the sweep is.
std::vector<std::size_t> interleaved_blocks(std::span<const Case* const> cases);

// Adds samples, cold calls and stages of a further process to `merged`. A process that failed makes the whole
// case fail; one that gave another output makes it invalid.
void merge_block(const Case& planned, Record& merged, const Record& next);

// Returns the record of a case from those of its processes, in their order; there must be one.
Record merged_record(const Case& planned, std::span<const Record> blocks);

}  // namespace aqbench
