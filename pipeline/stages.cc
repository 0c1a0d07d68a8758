#include "pipeline/stages.h"

namespace aqbench {

const std::vector<StageSpec>& stage_registry() {
  static const std::vector<StageSpec> table{
      {"simulation",
       "a simulated method as a whole: points of the true surface made as wrong as a profile says"},
      {"sampling", "area-uniform positions on the true surface"},
      {"noise", "dropout of whole points and Gaussian noise of the rest"},
  };
  return table;
}

}  // namespace aqbench
