#pragma once
// Named parameters in records, plans and baselines.

#include <string_view>
#include <utility>
#include <vector>

#include "core/interned_text.h"
#include "core/parameters.h"

namespace aqbench {

// Named parameters in a fixed order. Names are interned, since most are shared by all cases.
using NamedValues = std::vector<std::pair<InternedText, ParameterValue>>;

// Returns the value with this name, or nullptr.
inline const ParameterValue* find_value(const NamedValues& values, std::string_view name) {
  for (const auto& [known, value] : values)
    if (known == name) return &value;
  return nullptr;
}

}  // namespace aqbench
