#pragma once
// Units that are measured before a comparison is planned, and count.

#include <cstddef>
#include <map>
#include <utility>

#include "harness/ab/document.h"
#include "harness/ab/run.h"

namespace aqbench::cli {

// Units that a trial measured, by case and side, which the comparison takes as its first pairs.
using FirstUnits = std::map<std::pair<std::size_t, AbSide>, CaseResult>;

// Returns a runner that gives these units once, each in place of the first of its case and side.
AbUnitRunner with_first_units(AbUnitRunner run, FirstUnits first);

// Says on stderr that the outputs of a first pair differ, and the values that are compared.
void say_first_outputs(const AbDocument& document, std::size_t case_index, const Record& a, const Record& b);

}  // namespace aqbench::cli
