#pragma once
// Resource use of a program: "program" of a record.

#include "core/json.h"
#include "core/program_report.h"

namespace aqbench {

// Returns "program" of a record. An unknown value is null.
Json to_json(const ProgramUse& use);

// Reads what to_json() wrote. Throws Error(input) naming the place.
ProgramUse program_use_from_json(const JsonPlace& place);

}  // namespace aqbench
