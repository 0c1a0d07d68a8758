#pragma once
// The names that methods give to their stages (StageScope), and what each does.

#include <string>
#include <vector>

namespace aqbench {

struct StageSpec {
  std::string name;
  std::string summary;  // one line
};

// Every name in MethodSpec::stages is one of these. To add a stage: open a scope of its name and add a row.
const std::vector<StageSpec>& stage_registry();

}  // namespace aqbench
