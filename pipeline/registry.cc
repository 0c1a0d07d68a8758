#include <algorithm>

#include "pipeline/method.h"
#include "scenes/core/error.h"

namespace aqbench {

const std::vector<MethodSpec>& method_registry() {
  static const std::vector<MethodSpec> table;
  return table;
}

const MethodSpec& find_method(std::string_view name) {
  const auto& table = method_registry();
  const auto found = std::ranges::find(table, name, &MethodSpec::name);
  if (found != table.end()) return *found;
  std::vector<std::string> names;
  for (const MethodSpec& spec : table) names.push_back(spec.name);
  throw Error(ErrorKind::usage, unknown_name_message("method", name, names));
}

}  // namespace aqbench
