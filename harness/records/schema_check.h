#pragma once
// The schema of results.json (JSON Schema draft-07, harness/records/results.schema.json).

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/json.h"

namespace aqbench {

// Returns the deepest violation of the schema by `json`, as "records[3].status: TEXT"; nullopt: `json` is
// valid.
std::optional<std::string> results_schema_problem(const Json& json);

// Does the same for one record, element `index` of "records".
std::optional<std::string> record_schema_problem(const Json& record, std::size_t index);

// Returns the schema's text as built into the program at configure time.
std::string_view results_schema_text();

}  // namespace aqbench
