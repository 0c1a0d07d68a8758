#pragma once
// The names that methods give to their stages (StageScope), and what each stage does.

#include <string>
#include <vector>

namespace aqbench {

// A listed stage.
struct StageSpec {
  std::string name;
  std::string summary;  // one line
};

// Returns all stages; every name in MethodSpec::stages is one of them. To add a stage: open a scope of its
// name and add a row.
const std::vector<StageSpec>& stage_registry();

}  // namespace aqbench
