#include "harness/records/planned_record.h"

namespace aqbench {

Record planned_record(const Case& planned) {
  Record record;
  record.case_name = planned.name;
  record.scene = planned.scene;
  record.method = planned.method;
  record.preset = planned.preset;
  record.workload = planned.workload;
  record.simulated = planned.simulated;
  record.axes = {{"seed", static_cast<std::int64_t>(planned.seed)},
                 {"threads", std::int64_t{planned.threads}},
                 {"device", planned.device}};
  record.axes.insert(record.axes.end(), planned.axes.begin(), planned.axes.end());
  record.options = planned.options;
  record.defaults = planned.defaults;
  for (const Fault& fault : planned.faults) record.injected.push_back({fault.stage, fault.effect, 0});
  return record;
}

}  // namespace aqbench
