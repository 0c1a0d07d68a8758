#include "pipeline/method/methods_table.h"

#include "core/module.h"

AQBENCH_MODULE_TABLE aqbench::MethodsTable aqbench_methods_table;

namespace aqbench {

const MethodsTable& methods_table() {
  return module_table<MethodsTable>(Module::pipeline, "aqbench_methods_table", &aqbench_methods_table);
}

}  // namespace aqbench
