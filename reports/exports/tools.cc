#include "reports/exports/tools.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/json.h"
#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/records/json_parts.h"
#include "reports/content/environment_text.h"
#include "reports/content/verdict_blocks.h"

namespace aqbench {
namespace {

struct JUnitCase {
  const Record* record = nullptr;
  std::vector<const VerdictRow*> rows;  // worst first
};

// The element of JUnit that a verdict becomes; "" where it passes.
std::string_view element_of(const VerdictRow& row) {
  const Verdict verdict = row.verdict;
  if (verdict == Verdict::failed_case || verdict == Verdict::not_comparable) return "error";
  if (verdict == Verdict::open || (verdict == Verdict::added && row.metric.empty())) return "skipped";
  return is_refused(verdict) ? "failure" : "";
}

std::string_view element_of(const JUnitCase& test) {
  return test.rows.empty() ? "" : element_of(*test.rows.front());
}

// Seconds that the case's runs took together; nothing where none was timed.
std::string time_attribute(const Record* record) {
  if (record == nullptr || (!record->timing.cold_ms && record->timing.warm_ms.empty())) return "";
  const double total_ms = std::accumulate(record->timing.warm_ms.begin(), record->timing.warm_ms.end(),
                                          record->timing.cold_ms.value_or(0));
  return fmt::format(" time=\"{:.6f}\"", total_ms / 1000);
}

std::string skip_message(const JUnitCase& test) {
  if (test.record == nullptr || test.record->status == Status::ok)
    return verdict_row_text(*test.rows.front());
  return fmt::format("not in the baseline, not gated; {}: {}", to_string(test.record->status),
                     test.record->reason);
}

std::string problem_element(const JUnitCase& test, std::string_view element) {
  std::size_t problems = 0;
  std::string body;
  for (const VerdictRow* row : test.rows) {
    if (element_of(*row).empty() || element_of(*row) == "skipped") continue;
    ++problems;
    body += verdict_row_text(*row) + "\n";
  }
  const VerdictRow& worst = *test.rows.front();
  std::string message = verdict_row_text(worst);
  if (problems > 1) message += fmt::format(" (and {} more)", problems - 1);
  return fmt::format("   <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element,
                     xml_escape(to_string(worst.verdict)), xml_escape(message), xml_escape(body));
}

std::string testcase_element(const std::string& suite, const std::string& name, const JUnitCase& test) {
  const std::string_view element = element_of(test);
  std::string inner, scene;
  if (element == "skipped")
    inner = fmt::format("   <skipped message=\"{}\"/>\n", xml_escape(skip_message(test)));
  else if (!element.empty())
    inner = problem_element(test, element);
  if (test.record != nullptr && !test.record->scene.empty()) scene = "." + test.record->scene;
  const std::string open =
      fmt::format("  <testcase classname=\"{}\" name=\"{}\"{}", xml_escape(suite + scene), xml_escape(name),
                  time_attribute(test.record));
  return inner.empty() ? open + "/>\n" : open + ">\n" + inner + "  </testcase>\n";
}

std::string policy_of(const Verdicts& report) { return report.policy.empty() ? kGatePolicy : report.policy; }

std::string properties_element(const Verdicts& report, const Results& results) {
  std::string text = "  <properties>\n";
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("   <property name=\"{}\" value=\"{}\"/>\n", name, xml_escape(value));
  };
  add("run", results.run.id);
  add("root_digest", root_digest(results));
  for (const std::string& note : report.notes) add("note", note);
  add("policy", policy_of(report));
  return text + "  </properties>\n";
}

std::map<std::string, JUnitCase> junit_cases(const Verdicts& report, const Results& results) {
  std::map<std::string, JUnitCase> tests;
  for (const Record& record : results.records) tests[record.case_name].record = &record;
  for (const VerdictRow& row : report.rows) tests[row.case_name].rows.push_back(&row);
  return tests;
}

std::string annotation(const char* kind, const std::string& title, const std::string& message) {
  return fmt::format("::{} title={}::{}\n", kind, github_escaped(printable(title), true),
                     github_escaped(printable(message), false));
}

Json context_json(const Results& results) {
  const auto value = [&](const char* pointer, Json otherwise) {
    const Json::json_pointer place(pointer);
    return results.environment->contains(place) && !results.environment->at(place).is_null()
               ? results.environment->at(place)
               : otherwise;
  };
  return {{"date", results.run.started_utc},
          {"executable", "aqbench"},
          {"num_cpus", value("/cpu/cores_usable", 0)},
          {"cpu_model", value("/cpu/model", "unknown")},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"load_avg", value("/load/before", Json::array())},
          {"library_build_type", value("/build/build_type", "") == "Debug" ? "debug" : "release"}};
}

// Appends an entry for each sample, as text, which takes a tenth of the room.
void append_samples(const Record& record, std::size_t family, std::string& list) {
  const Timing& timing = record.timing;
  const bool cold = timing.warm_ms.empty();
  const std::vector<double> samples = cold ? std::vector<double>{*timing.cold_ms} : timing.warm_ms;
  const std::string name = record.case_name + (cold ? "/cold" : "");
  const auto* const threads = std::get_if<std::int64_t>(find_value(record.axes, "threads"));
  // Each entry has the throughput as a counter under the name of its unit.
  const double items_per_ms = timing.throughput.value_or(0) * typical_ms(timing).value_or(0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    Json entry = {{"name", name},
                  {"family_index", family},
                  {"per_family_instance_index", 0},
                  {"run_name", name},
                  {"run_type", "iteration"},
                  {"repetitions", samples.size()},
                  {"repetition_index", i},
                  {"threads", threads == nullptr ? 1 : *threads},
                  {"iterations", 1},
                  {"real_time", samples[i]},
                  {"cpu_time", i < timing.cpu_ms.size() ? timing.cpu_ms[i] : samples[i]},
                  {"time_unit", "ms"}};
    if (items_per_ms > 0 && samples[i] > 0) entry[timing.throughput_unit] = items_per_ms / samples[i];
    list += (family == 0 && i == 0 ? "\n  " : ",\n  ") + indented_json(entry, 2);
  }
}

}  // namespace

std::string junit_text(const Verdicts& report, const Results& results) {
  const std::string suite = results.run.suite.empty() ? "aqbench" : results.run.suite;
  std::map<std::string_view, std::size_t> count;  // by element
  std::string cases;
  if (!report.refusal.empty()) {
    count["error"] = 1;
    cases = fmt::format(
        "  <testcase classname=\"{0}\" name=\"gate\">\n   <error type=\"not comparable\" message=\"{1}\">{1}"
        "</error>\n  </testcase>\n",
        xml_escape(suite), xml_escape(report.refusal));
  } else {
    for (const auto& [name, test] : junit_cases(report, results)) {
      ++count[element_of(test)];
      cases += testcase_element(suite, name, test);
    }
  }
  const std::string counts = fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"",
                                         count[""] + count["failure"] + count["error"] + count["skipped"],
                                         count["failure"], count["error"]);
  // The schema's time has no zone; it is UTC.
  std::string timestamp = results.run.started_utc;
  if (timestamp.ends_with('Z')) timestamp.pop_back();
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"aqbench gate\" {0}>\n <testsuite "
      "name=\"{1}\" {0} skipped=\"{2}\" timestamp=\"{3}\">\n{4}{5} </testsuite>\n</testsuites>\n",
      counts, xml_escape(suite), count["skipped"], xml_escape(timestamp), properties_element(report, results),
      cases);
}

std::string github_escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

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
    text += annotation(one.worst->verdict == Verdict::open ? "warning" : "error", one.worst->case_name,
                       case_verdict_text(one));
  }
  if (more > 0)
    text +=
        annotation("notice", "aqbench gate", fmt::format("{} more {}", more, more == 1 ? "case" : "cases"));
  return text;
}

// A pane shows two columns: what a case came to stands in the second. Short names; the rest unfolds.
Table step_table(const Verdicts& report) {
  constexpr std::size_t kMaxRows = 20;
  const ShortNames names = short_names_of(report);
  Table table = table_with({"case", "after (change)", "worst value", ">before", ">allowed", "verdict"});
  table.rest_in = "the page of the run";
  for (const CaseVerdicts& one : by_case(report)) {
    if (one.worst->verdict >= Verdict::added || !has_room(table, kMaxRows)) continue;
    const VerdictCells cells = verdict_cells(*one.worst);
    const bool numbers = one.worst->baseline && one.worst->current;
    table.rows.push_back(
        plain_row({names.of.at(one.worst->case_name),
                   numbers ? fmt::format("{} ({})", cells.after, cells.change) : verdict_row_text(*one.worst),
                   cells.what, cells.before, cells.allowed, verdict_label(*one.worst)}));
    table.rows.back().back().fold = other_lines(one);
  }
  return table;
}

std::string github_step_summary(const Verdicts& report, const Results& results) {
  const Banner banner = banner_of(report);
  std::string text =
      fmt::format("### {}{}{}\n\n", banner.word, banner.word.empty() ? "" : " ", md_escape(banner.title));
  for (const std::string& line : {caution_of(results, &report), banner.detail, banner.origin})
    if (!line.empty()) text += md_escape(line) + "\n\n";
  text += markdown_of(step_table(report));
  text += fmt::format("\n- {}\n- root digest `{}`\n", md_escape(run_title(results)), root_digest(results));
  text += fmt::format("- {}\n- {}\n", md_escape(environment_line(*results.environment)),
                      md_escape(policy_of(report)));
  for (const std::string& note : report.notes) text += fmt::format("- note: {}\n", md_escape(note));
  return text;
}

std::string benchmark_json_text(const Results& results) {
  std::string text = indented_json({{"context", context_json(results)}, {"benchmarks", Json::array()}});
  text.resize(text.size() - std::string_view("]\n}").size());
  std::size_t family = 0;
  for (const Record& record : results.records)
    if (record.status == Status::ok && (!record.timing.warm_ms.empty() || record.timing.cold_ms))
      append_samples(record, family++, text);
  return text + (family == 0 ? "]\n}\n" : "\n ]\n}\n");
}

}  // namespace aqbench
