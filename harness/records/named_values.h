#pragma once
// Parameters with their names, as records, plans and baselines hold them.

#include <utility>
#include <vector>

#include "core/interned_text.h"
#include "core/parameters.h"

namespace aqbench {

// Parameters with their names, in a fixed order. Names are interned, since most of them are those of all
// other cases, too.
using NamedValues = std::vector<std::pair<InternedText, ParameterValue>>;

}  // namespace aqbench
