#pragma once
// A fault planned for one case (harness/inject.h carries it out).

#include <string>

namespace aqbench {

struct Fault {
  std::string stage;   // a stage of the method, or "*" for the outermost ones
  std::string effect;  // as given: "+5%", "20ms", "throw", "abort", "hang", "oom", "corrupt"
};

}  // namespace aqbench
