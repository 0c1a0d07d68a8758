#include "reports/exports/junit.h"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <vector>

#include "core/table.h"
#include "core/text.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

enum class JUnitOutcome { pass, failure, error, skipped };

struct JUnitCase {
  const Record* record = nullptr;
  std::vector<const VerdictRow*> rows;  // worst first
};

JUnitOutcome outcome_of(const VerdictRow& row) {
  switch (row.verdict) {
    case Verdict::failed_case:
    case Verdict::not_comparable:
      return JUnitOutcome::error;
    case Verdict::missing:
    case Verdict::undefined:
    case Verdict::regressed:
      return JUnitOutcome::failure;
    case Verdict::open:
      return JUnitOutcome::skipped;
    case Verdict::added:
      return row.metric.empty() ? JUnitOutcome::skipped : JUnitOutcome::pass;
    case Verdict::improved:
    case Verdict::pass:
      break;
  }
  return JUnitOutcome::pass;
}

JUnitOutcome outcome_of(const JUnitCase& test) {
  return test.rows.empty() ? JUnitOutcome::pass : outcome_of(*test.rows.front());
}

// Seconds that the case's runs took together; nothing where none was timed.
std::string time_attribute(const Record* record) {
  if (record == nullptr || (!record->timing.cold_ms && record->timing.warm_ms.empty())) return "";
  const double total_ms = std::accumulate(record->timing.warm_ms.begin(), record->timing.warm_ms.end(),
                                          record->timing.cold_ms.value_or(0));
  return fmt::format(" time=\"{:.6f}\"", total_ms / 1000);
}

std::string class_name(const std::string& suite, const JUnitCase& test) {
  std::string name = suite.empty() ? "aqbench" : suite;
  if (test.record != nullptr && !test.record->scene.empty()) name += "." + test.record->scene;
  return name;
}

std::string skip_message(const JUnitCase& test) {
  if (test.record == nullptr || test.record->status == Status::ok)
    return verdict_row_text(*test.rows.front());
  return fmt::format("not in the baseline, not gated; {}: {}", to_string(test.record->status),
                     test.record->reason);
}

std::string problem_element(const JUnitCase& test, const char* element) {
  std::size_t problems = 0;
  std::string body;
  for (const VerdictRow* row : test.rows) {
    const JUnitOutcome outcome = outcome_of(*row);
    if (outcome != JUnitOutcome::failure && outcome != JUnitOutcome::error) continue;
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
  std::string inner;
  switch (outcome_of(test)) {
    case JUnitOutcome::failure:
      inner = problem_element(test, "failure");
      break;
    case JUnitOutcome::error:
      inner = problem_element(test, "error");
      break;
    case JUnitOutcome::skipped:
      inner = fmt::format("   <skipped message=\"{}\"/>\n", xml_escape(skip_message(test)));
      break;
    case JUnitOutcome::pass:
      break;
  }
  const std::string open =
      fmt::format("  <testcase classname=\"{}\" name=\"{}\"{}", xml_escape(class_name(suite, test)),
                  xml_escape(name), time_attribute(test.record));
  return inner.empty() ? open + "/>\n" : open + ">\n" + inner + "  </testcase>\n";
}

std::string properties_element(const Verdicts& report, const Results& results) {
  std::string text = "  <properties>\n";
  const auto add = [&](const char* name, const std::string& value) {
    text += fmt::format("   <property name=\"{}\" value=\"{}\"/>\n", name, xml_escape(value));
  };
  add("run", results.run.id);
  add("root_digest", root_digest(results));
  for (const std::string& note : report.notes) add("note", note);
  add("policy", kGatePolicy);
  return text + "  </properties>\n";
}

std::map<std::string, JUnitCase> junit_cases(const Verdicts& report, const Results& results) {
  std::map<std::string, JUnitCase> tests;
  for (const Record& record : results.records) tests[record.case_name].record = &record;
  for (const VerdictRow& row : report.rows) tests[row.case_name].rows.push_back(&row);
  return tests;
}

}  // namespace

std::string junit_text(const Verdicts& report, const Results& results) {
  const std::string suite = results.run.suite.empty() ? "aqbench" : results.run.suite;
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;
  if (!report.refusal.empty()) {
    tests = errors = 1;
    cases = fmt::format(
        "  <testcase classname=\"{0}\" name=\"gate\">\n   <error type=\"not comparable\" message=\"{1}\">{1}"
        "</error>\n  </testcase>\n",
        xml_escape(suite), xml_escape(report.refusal));
  } else {
    for (const auto& [name, test] : junit_cases(report, results)) {
      const JUnitOutcome outcome = outcome_of(test);
      ++tests;
      failures += outcome == JUnitOutcome::failure ? 1 : 0;
      errors += outcome == JUnitOutcome::error ? 1 : 0;
      skipped += outcome == JUnitOutcome::skipped ? 1 : 0;
      cases += testcase_element(suite, name, test);
    }
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
  // The schema's time has no zone; it is UTC.
  std::string timestamp = results.run.started_utc;
  if (timestamp.ends_with('Z')) timestamp.pop_back();
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"aqbench gate\" {0}>\n <testsuite "
      "name=\"{1}\" {0} skipped=\"{2}\" timestamp=\"{3}\">\n{4}{5} </testsuite>\n</testsuites>\n",
      counts, xml_escape(suite), skipped, xml_escape(timestamp), properties_element(report, results), cases);
}

}  // namespace aqbench
