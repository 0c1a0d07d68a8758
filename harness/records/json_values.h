#pragma once
// Conversion of small values in records and plans to JSON and back.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "harness/records/named_values.h"

namespace aqbench {

class JsonPlace;

// Returns the text, or null for the empty one.
Json text_json(const std::string& text);

// Returns the number, or null if it is missing or not finite.
Json finite_json(const std::optional<double>& value);

// Returns the samples as an array. Throws Error(method) naming the case and `what` if one is not finite.
Json samples_json(const std::vector<double>& samples, const std::string& case_name, const std::string& what);

// Reads an array of numbers. Throws Error(input) naming the place.
std::vector<double> numbers_from_json(const JsonPlace& place);

// Returns {"NAME": VALUE, ...} in the order given.
Json named_values_json(const NamedValues& values);

// Reads what named_values_json() wrote. Throws Error(input) naming the place.
NamedValues named_values_from_json(const JsonPlace& place);

// Returns the JSON indented by one blank per level, as if nested `level` levels deep, without the indent of
// its first line.
std::string indented_json(const Json& json, std::size_t level = 0);

}  // namespace aqbench
