#include "harness/checking/case_files.h"

#include "harness/planning/case_method.h"
#include "harness/records/case_result.h"

namespace aqbench {

bool can_have_file(const Case& planned, const Record& record, std::string_view path) {
  if (is_in_folder(path, kProfileFolder)) return true;
  if (!planned.workload.empty()) return false;
  if (is_in_folder(path, kLogsFolder)) return starts_program(planned);
  // Where two processes gave different outputs the record has lost its times, and the files of the first
  // stay.
  if (!record.timing.cold_ms && record.status != Status::ok && record.status != Status::invalid) return false;
  if (is_in_folder(path, kViewsFolder)) return !planned.simulated;
  for (const char* const of_depths : {kDepthFolder, kDiagnosisFolder, kPicturesFolder})
    if (is_in_folder(path, of_depths))
      return !planned.simulated && (gives_depth_maps(planned) || starts_program(planned));
  return true;
}

}  // namespace aqbench
