#include "pipeline/workloads/workloads_table.h"

#include "core/module.h"

AQBENCH_MODULE_TABLE aqbench::WorkloadsTable aqbench_workloads_table;

namespace aqbench {

const WorkloadsTable& workloads_table() {
  return module_table<WorkloadsTable>(Module::pipeline, "aqbench_workloads_table", &aqbench_workloads_table);
}

}  // namespace aqbench
