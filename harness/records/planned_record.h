#pragma once
// The record of a case before it runs.

#include "harness/records/case.h"
#include "harness/records/record.h"

namespace aqbench {

// Returns the record of a case that has not run: names, axes, options, the planned faults with 0 strikes,
// status failed.
Record planned_record(const Case& planned);

}  // namespace aqbench
