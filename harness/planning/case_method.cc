#include "harness/planning/case_method.h"

#include <nlohmann/json.hpp>

#include "core/json.h"

namespace aqbench {

MethodSpec method_of(const Case& planned) {
  if (planned.declaration->empty()) return find_method(planned.method);
  return declared_method(declaration_from_json(JsonPlace(*planned.declaration, "method " + planned.method)));
}

bool starts_program(const Case& planned) {
  return planned.workload.empty() && (!planned.declaration->empty() || planned.method == "external");
}

}  // namespace aqbench
