#pragma once
// Checks whether a record can be what a case gave, for readers who cannot run the case again.

#include <string>
#include <vector>

#include "harness/records/record.h"

namespace aqbench {

// Where a record comes from, which decides what it must hold.
enum class RecordKind {
  sweep,    // run, and scored or proved
  profile,  // run under a profiler: stages of other runs than the timed ones, no scores
};

// Returns the contradictions in a record, one line each, which begins with the member: an ok record without
// output hash, cold time or metrics; a reason, metrics or times beside a status that has none; what
// metric_problems() finds in the metrics of a method; negative times; stages that take longer than what they
// are in, or than the run; blocks that do not cover the samples.
std::vector<std::string> record_problems(const Record& record, RecordKind kind = RecordKind::sweep);

}  // namespace aqbench
