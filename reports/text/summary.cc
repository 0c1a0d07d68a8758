#include "reports/text/summary.h"

#include <fmt/format.h>

#include "core/text.h"
#include "reports/content/environment_text.h"
#include "reports/content/narrative.h"
#include "reports/content/run_sections.h"
#include "reports/content/verdict_text.h"

namespace aqbench {

std::string render_summary(const BundleContent& content) {
  const RunInfo& run = content.results.run;
  std::string text = markdown_of(ReportBlock(banner_of(content))) +
                     fmt::format("\n# {}\n", md_escape(run_title(content.results)));
  if (!run.complete)
    text += fmt::format("\n- **interrupted**: {} of {} cases have a record\n", content.results.records.size(),
                        run.planned_cases);
  text += markdown_of(Section{"words", "In words", "", {Lines{narrative_lines(content)}}});
  for (const auto& sections : {leading_sections(content, content), trailing_sections(content, content)})
    for (const Section& section : sections) text += markdown_of(section);
  return text;
}

}  // namespace aqbench
