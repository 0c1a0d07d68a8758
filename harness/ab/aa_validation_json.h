#pragma once
// calibration.json: an A/A validation and what it found, as canonical text.

#include <string>

#include "core/json.h"
#include "harness/ab/aa_validation.h"

namespace aqbench {

// The oldest version of calibration.json that is read; kAaValidationSchemaVersion is the newest. Since
// version 3 pairs.jsonl lies beside it.
inline constexpr int kOldestAaValidationSchemaVersion = 2;

// The name of the file in a bundle.
inline constexpr const char* kAaValidationFile = "calibration.json";

// Return the result and the plan as they stand in calibration.json.
Json to_json(const AaValidationReport& report);
Json to_json(const AaValidationPlan& plan);

// Reads a plan. Throws Error(input) "SOURCE: ...".
AaValidationPlan aa_validation_plan_from_json(const Json& json, const std::string& source);

// Return the whole of calibration.json; `report` is judge_aa_validation(document).
Json to_json(const AaValidationDocument& document, const AaValidationReport& report);
std::string aa_validation_text(const AaValidationDocument& document, const AaValidationReport& report);

// Reads calibration.json; the result in it is not read. Throws Error(input) "SOURCE: ...", and
// Error(not_comparable) for another schema version.
AaValidationDocument aa_validation_from_json(const Json& json, const std::string& source);

}  // namespace aqbench
