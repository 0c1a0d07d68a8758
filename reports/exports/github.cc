#include "reports/exports/github.h"

#include <fmt/format.h>

#include "core/table.h"
#include "core/text.h"
#include "reports/content/environment_text.h"
#include "reports/content/verdict_text.h"
#include "reports/text/verdict_table.h"

namespace aqbench {
namespace {

std::string command_escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string annotation(const char* kind, const std::string& title, const std::string& message) {
  return fmt::format("::{} title={}::{}\n", kind, github_escape_property(printable(title)),
                     github_escape_message(printable(message)));
}

}  // namespace

std::string github_escape_message(std::string_view text) { return command_escaped(text, false); }
std::string github_escape_property(std::string_view text) { return command_escaped(text, true); }

std::string github_annotations(const Verdicts& report) {
  if (!report.refusal.empty()) return annotation("error", "aqbench gate: not comparable", report.refusal);
  std::string text;
  std::size_t shown = 0, more = 0;
  for (const CaseVerdicts& one : by_case(report)) {
    if (!is_refused(one.worst->verdict)) continue;
    if (shown == kMaxAnnotations) {
      ++more;
      continue;
    }
    ++shown;
    text += annotation("error", one.worst->case_name, case_verdict_text(one));
  }
  if (more > 0)
    text +=
        annotation("notice", "aqbench gate", fmt::format("{} more {}", more, more == 1 ? "case" : "cases"));
  return text;
}

std::string github_step_summary(const Verdicts& report, const Results& results, std::size_t max_bytes) {
  std::string text = fmt::format("## {}\n\n", md_escape(banner_line(banner_of(report))));
  std::string end =
      fmt::format("\n- {}\n- root digest `{}`\n", md_escape(run_title(results)), root_digest(results));
  end += fmt::format("- {}\n- {}\n", md_escape(environment_line(*results.environment)), kGatePolicy);
  for (const std::string& note : report.notes) end += fmt::format("- note: {}\n", md_escape(note));
  if (text.size() + end.size() > max_bytes) return "";
  text += verdicts_markdown(report, max_bytes - text.size() - end.size());
  return text + end;
}

}  // namespace aqbench
