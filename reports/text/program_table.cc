#include "reports/text/program_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/table.h"
#include "core/text.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

std::string mib_cell(const std::optional<std::uint64_t>& bytes) {
  return bytes ? table_number(static_cast<double>(*bytes) / 0x1p20) : "n/a";
}

}  // namespace

std::string programs_table(const Results& results) {
  if (std::ranges::none_of(results.records, [](const Record& record) { return record.program.has_value(); }))
    return "";
  std::string text =
      "\n## Programs\n\nWhat each program and all that it started used in the cold run; memory is the peak "
      "of all "
      "together.\n\n" +
      md_head({"case", "CPU user [s]", "CPU system [s]", "peak memory [MiB]", "read [MiB]", "written [MiB]",
               "page faults", "of them from disk", "switches", "of them forced"},
              1);
  for (const Record& record : results.records) {
    if (!record.program) continue;
    const ProgramUse& use = *record.program;
    text += md_row({md_escape(record.case_name), table_number(use.cpu_user_s), table_number(use.cpu_system_s),
                    mib_cell(use.peak_resident_bytes), mib_cell(use.read_bytes), mib_cell(use.written_bytes),
                    std::to_string(use.minor_faults + use.major_faults), std::to_string(use.major_faults),
                    std::to_string(use.voluntary_switches + use.involuntary_switches),
                    std::to_string(use.involuntary_switches)});
  }
  return text;
}

}  // namespace aqbench
