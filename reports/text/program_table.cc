#include "reports/text/program_table.h"

#include <algorithm>

#include "core/table.h"
#include "core/text.h"
#include "reports/content/program_rows.h"

namespace aqbench {

std::string programs_table(const Results& results) {
  if (std::ranges::none_of(results.records, [](const Record& record) { return record.program.has_value(); }))
    return "";
  std::vector<std::string> head = {"case"};
  head.insert(head.end(), program_titles().begin(), program_titles().end());
  std::string text = std::string("\n## Programs\n\n") + kProgramRowsNote + "\n\n" + md_head(head, 1);
  for (const Record& record : results.records) {
    if (!record.program) continue;
    std::vector<std::string> row = {md_escape(record.case_name)};
    for (std::string& cell : program_cells(*record.program)) row.push_back(std::move(cell));
    text += md_row(row);
  }
  return text;
}

}  // namespace aqbench
