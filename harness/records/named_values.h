#pragma once
// Named parameters in records, plans and baselines.

#include <utility>
#include <vector>

#include "core/interned_text.h"
#include "core/parameters.h"

namespace aqbench {

// Named parameters in a fixed order. Names are interned, since most are shared by all cases.
using NamedValues = std::vector<std::pair<InternedText, ParameterValue>>;

}  // namespace aqbench
