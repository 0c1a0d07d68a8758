#pragma once
// What `aqbench ab --json` prints: a comparison and the verdict on it.

#include <optional>
#include <string>

#include "core/json.h"
#include "harness/ab/report.h"

namespace aqbench {

// Returns a computed number with 12 significant digits, so that another mathematical library, whose last bit
// may differ, gives the same text. Returns null for no number and for one that is not finite.
Json rounded_json(const std::optional<double>& value);

// Returns the decision.
Json to_json(const AbReport& report);

// Return the whole document; `report` is judge_ab(document).
Json to_json(const AbDocument& document, const AbReport& report);
std::string ab_text(const AbDocument& document, const AbReport& report);

}  // namespace aqbench
