#include "reports/content/program_rows.h"

#include "reports/content/case_groups.h"

namespace aqbench {

const std::vector<std::string>& program_titles() {
  static const std::vector<std::string> titles = {"CPU user [s]",      "CPU system [s]", "peak memory [MiB]",
                                                  "read [MiB]",        "written [MiB]",  "page faults",
                                                  "of them from disk", "switches",       "of them forced"};
  return titles;
}

std::vector<std::string> program_cells(const ProgramUse& use) {
  return {table_number(use.cpu_user_s),
          table_number(use.cpu_system_s),
          table_mib_or_na(use.peak_resident_bytes),
          table_mib_or_na(use.read_bytes),
          table_mib_or_na(use.written_bytes),
          std::to_string(use.minor_faults + use.major_faults),
          std::to_string(use.major_faults),
          std::to_string(use.voluntary_switches + use.involuntary_switches),
          std::to_string(use.involuntary_switches)};
}

}  // namespace aqbench
