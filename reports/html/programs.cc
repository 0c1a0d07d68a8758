#include "reports/html/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/text.h"
#include "reports/content/case_groups.h"
#include "reports/content/program_rows.h"
#include "reports/content/protocol_rows.h"

namespace aqbench {

std::string programs_html(const Results& results) {
  std::vector<const Record*> records;
  std::vector<std::vector<std::string>> rows;
  for (const Record& record : results.records) {
    if (!record.program) continue;
    records.push_back(&record);
    rows.push_back(program_cells(*record.program));
  }
  if (records.empty()) return "";
  const CaseLabels labels = label_cases(group_cases(results));
  const std::vector<std::string>& titles = program_titles();
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < titles.size(); ++i)
    if (std::ranges::any_of(rows, [&](const auto& cells) { return cells[i] != "n/a"; })) columns.push_back(i);
  std::string text =
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"what programs used\"><table "
      "class=\"lively cards\">\n<thead><tr><th scope=\"col\">case</th>";
  for (const std::size_t i : columns) text += fmt::format("<th scope=\"col\">{}</th>", titles[i]);
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t row = 0; row < rows.size(); ++row) {
    text +=
        fmt::format("<tr data-case=\"{0}\" title=\"{0}\"><td>{1}</td>", xml_escape(records[row]->case_name),
                    xml_escape(labels.of.at(records[row]->case_name)));
    for (const std::size_t i : columns)
      text += fmt::format("<td data-label=\"{}\">{}</td>", titles[i], rows[row][i]);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string protocols_html(const Results& results) {
  const ProtocolRows table = protocol_rows(results);
  if (table.rows.empty()) return "";
  const CaseLabels labels = label_cases(group_cases(results));
  std::string text =
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"numbers of protocols\"><table "
      "class=\"lively cards\">\n<thead><tr><th scope=\"col\">case</th>";
  for (const std::string& title : table.titles)
    text += fmt::format("<th scope=\"col\">{}</th>", xml_escape(title));
  text += "</tr></thead>\n<tbody>\n";
  for (const auto& [name, cells] : table.rows) {
    text += fmt::format("<tr data-case=\"{0}\" title=\"{0}\"><td>{1}</td>", xml_escape(name),
                        xml_escape(labels.of.at(name)));
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += fmt::format("<td data-label=\"{}\">{}</td>", xml_escape(table.titles[i]), cells[i]);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

}  // namespace aqbench
