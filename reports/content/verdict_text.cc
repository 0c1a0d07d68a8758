#include "reports/content/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/text.h"
#include "harness/records/numbers.h"
#include "metrics/value_change.h"
#include "reports/content/case_columns.h"

namespace aqbench {
namespace {

std::string rounded(double value, int digits) {
  if (!std::isfinite(value) || (value == std::trunc(value) && std::abs(value) < 1e15))
    return short_number(value);
  const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (exponent < -4) return fmt::format("{:.{}g}", value, digits);
  return fmt::format("{:.{}f}", value, std::max(digits - 1 - exponent, 0));
}

std::string unit_suffix(const std::string& unit) { return unit.empty() || unit == "1" ? "" : " " + unit; }

std::string change_of_row(const VerdictRow& row) {
  if (!row.change.empty() || !row.baseline || !row.current) return row.change;
  if (row.unit != "%" && row.tolerance && row.tolerance->kind == Tolerance::Kind::absolute)
    return fmt::format("{:+.3g}", *row.current - *row.baseline);
  return change_text(row.unit, row.better, *row.baseline, *row.current);
}

// Of a percentage in points, as its change.
std::string allowed_by(const VerdictRow& row) {
  if (!row.tolerance) return "";
  const auto& [kind, value, seeds, named] = *row.tolerance;
  if (value == 0) return "exact";
  if (row.unit != "%") return "± " + to_string(*row.tolerance);
  const bool absolute = kind == Tolerance::Kind::absolute;
  if (!absolute && !row.baseline) return "± " + to_string(*row.tolerance);
  return "± " + points_text(fmt::format("{:.3g}", absolute ? value : value * std::abs(*row.baseline)));
}

std::string size_of(const VerdictRow& row) {
  const double size = change_size(row);
  if (!row.baseline || !row.current || size == 0) return "";
  return std::isfinite(size) ? rounded(size, 3) : "∞";
}

// How the banner counts cases by their worst verdicts.
constexpr std::pair<Verdict, const char*> kCounted[] = {
    {Verdict::failed_case, "failed"}, {Verdict::not_comparable, "not comparable"},
    {Verdict::missing, "missing"},    {Verdict::undefined, "with an undefined value"},
    {Verdict::regressed, "worse"},    {Verdict::open, "undecided"},
    {Verdict::improved, "better"}};

// "1 of 4 cases worse", "2 of 4 cases failed, 1 worse".
std::string case_counts(const std::vector<CaseVerdicts>& cases, std::size_t all) {
  std::string text;
  for (const auto& [verdict, word] : kCounted) {
    const auto count = std::ranges::count_if(
        cases, [known = verdict](const CaseVerdicts& one) { return one.worst->verdict == known; });
    if (count > 0)
      text += text.empty() ? fmt::format("{} of {} {}", count, counted(all, "case"), word)
                           : fmt::format(", {} {}", count, word);
  }
  return text;
}

std::string worst_case_text(const Verdicts& verdicts, const CaseVerdicts& worst) {
  const ShortNames shortened = short_names_of(verdicts);
  constexpr std::size_t kMaxBytes = 200;
  return one_line(fmt::format("{}: {}", shortened.of.at(worst.worst->case_name), case_verdict_text(worst)),
                  kMaxBytes);
}

// Both numbers of a value, and the limits that its tolerance gives; nullopt where it has none.
std::optional<Banner::Move> move_of(const VerdictRow& row) {
  if (!row.baseline || !row.current || !row.tolerance) return std::nullopt;
  const bool absolute = row.tolerance->kind == Tolerance::Kind::absolute;
  const double reach = row.tolerance->value * (absolute ? 1 : std::abs(*row.baseline));
  const auto [from, to] = number_pair(*row.baseline, *row.current);
  return Banner::Move{*row.baseline,         *row.current, *row.baseline - reach,
                      *row.baseline + reach, from,         to + unit_suffix(row.unit)};
}

std::string pass_title(const Verdicts& verdicts, const std::vector<CaseVerdicts>& cases) {
  const bool in_pairs = !cases.empty() && !cases.front().worst->words.empty();
  if (in_pairs) {
    const std::string better = case_counts(cases, verdicts.cases);
    return better.empty() ? fmt::format("B is no worse in {}", counted(verdicts.cases, "case")) : better;
  }
  const std::size_t improved = verdicts.count(Verdict::improved);
  std::string title = fmt::format("{} of {} within their tolerances",
                                  counted(verdicts.count(Verdict::pass) + improved, "value"),
                                  counted(verdicts.cases, "case"));
  if (improved > 0) title += fmt::format(", {} better than that", improved);
  if (!verdicts.unchecked.empty()) title += fmt::format("; {} are not gated", verdicts.unchecked);
  return title;
}

}  // namespace

std::pair<std::string, std::string> number_pair(double before, double after) {
  for (int digits = 3; digits < 9; ++digits) {
    std::pair pair{rounded(before, digits), rounded(after, digits)};
    if (pair.first != pair.second || before == after) return pair;
  }
  return {fmt::format("{}", before), fmt::format("{}", after)};
}

ShortNames short_names_of(const Verdicts& verdicts) {
  std::vector<std::string> names;
  for (const VerdictRow& row : verdicts.rows)
    if (names.empty() || names.back() != row.case_name) names.push_back(row.case_name);
  return shorten_names(names);
}

// A value that is only shown and has no limit has kept none.
std::string verdict_label(const VerdictRow& row) {
  if (!row.label.empty()) return row.label;
  return row.verdict == Verdict::pass && row.only_shown && !row.tolerance ? "information"
                                                                          : to_string(row.verdict);
}

bool is_unchanged(const VerdictRow& row) {
  if (row.verdict != Verdict::pass || !row.baseline || !row.current) return false;
  const double before = *row.baseline, after = *row.current;
  return before == after || std::abs(after - before) <= 1e-9 * std::max(std::abs(before), std::abs(after));
}

VerdictCells verdict_cells(const VerdictRow& row) {
  VerdictCells cells{metric_words(row.metric), "n/a",           "n/a",
                     change_of_row(row),       allowed_by(row), size_of(row)};
  if (!row.unit.empty() && row.unit != "1") cells.what += fmt::format(" [{}]", row.unit);
  if (is_unchanged(row)) {
    cells.before = cells.after = rounded(*row.current, 3);
    if (row.change.empty()) cells.change = "same";
    cells.size.clear();
    return cells;
  }
  if (row.baseline && row.current)
    std::tie(cells.before, cells.after) = number_pair(*row.baseline, *row.current);
  else if (row.baseline)
    cells.before = rounded(*row.baseline, 3);
  else if (row.current)
    cells.after = rounded(*row.current, 3);
  return cells;
}

std::string verdict_row_text(const VerdictRow& row) {
  std::string text = metric_words(row.metric);
  const VerdictCells cells = verdict_cells(row);
  if (row.baseline && row.current) {
    text += fmt::format(" {} -> {}{}", cells.before, cells.after, unit_suffix(row.unit));
    std::string change = cells.change;
    if (!cells.allowed.empty()) change += fmt::format(", allowed {}", cells.allowed);
    text += fmt::format(" ({})", change);
    if (row.reason.empty()) return text;
  }
  if (row.verdict != Verdict::failed_case)
    text += fmt::format("{}{}", text.empty() ? "" : ": ", verdict_label(row));
  if (!row.reason.empty()) text += (text.empty() ? "" : ": ") + row.reason;
  if (row.baseline && !row.current)
    text += fmt::format(" (before {}{})", cells.before, unit_suffix(row.unit));
  return text;
}

std::string case_verdict_text(const CaseVerdicts& one) {
  std::string text = one.worst->words.empty() ? verdict_row_text(*one.worst) : one.worst->words;
  if (one.others > 0) text += fmt::format(" and {} of this case", counted(one.others, "more value"));
  return text;
}

Banner banner_of(const Verdicts& verdicts) {
  Banner banner;
  if (!verdicts.refusal.empty()) return {Colour::red, "NOT COMPARED", verdicts.refusal};
  std::vector<CaseVerdicts> cases = by_case(verdicts);
  const auto refused =
      std::ranges::find_if(cases, [](const CaseVerdicts& one) { return is_refused(one.worst->verdict); });
  const bool bad = refused != cases.end();
  const bool open = bad && std::ranges::none_of(cases, [](const CaseVerdicts& one) {
                      return one.worst->verdict < Verdict::open;
                    });
  banner.colour = open ? Colour::yellow : bad ? Colour::red : Colour::green;
  // A comparison of one case says what happened in its own words.
  if (const VerdictRow* const only = cases.size() == 1 ? cases.front().worst : nullptr;
      only != nullptr && !only->words.empty())
    return {banner.colour, only->label, only->words, only->reason};
  banner.word = open ? "INCONCLUSIVE" : bad ? "FAIL" : "PASS";
  banner.origin = verdicts.against;
  if (!bad) {
    banner.title = pass_title(verdicts, cases);
    if (verdicts.count(Verdict::improved) > 0) banner.detail = worst_case_text(verdicts, cases.front());
    return banner;
  }
  banner.detail = worst_case_text(verdicts, *refused);
  banner.move = move_of(*refused->worst);
  std::erase_if(cases, [](const CaseVerdicts& one) { return !is_refused(one.worst->verdict); });
  banner.title = case_counts(cases, std::max(verdicts.cases, cases.size()));
  return banner;
}

Banner shown_banner_of(const Verdicts& verdicts) {
  Banner banner = banner_of(verdicts);
  if (!verdicts.refusal.empty()) return banner;
  const bool improved = verdicts.count(Verdict::improved) > 0;
  banner.word = banner.colour == Colour::red ? "WORSE" : improved ? "BETTER" : "SAME";
  if (banner.colour != Colour::green) return banner;
  banner.title = improved ? case_counts(by_case(verdicts), verdicts.cases)
                          : fmt::format("no value is better or worse in {}", counted(verdicts.cases, "case"));
  return banner;
}

namespace {

Banner banner_without_gate(const Results& results) {
  const auto failed = std::ranges::find_if(results.records, is_failure, &Record::status);
  const std::string planned = counted(results.run.planned_cases, "case");
  if (failed != results.records.end())
    return {Colour::red, "FAIL",
            fmt::format("{} of {} failed",
                        std::ranges::count_if(results.records, is_failure, &Record::status), planned),
            fmt::format("{}: {}: {}", failed->case_name, to_string(failed->status), failed->reason)};
  const char* const nothing = "no baseline: nothing to compare";
  if (!results.run.complete)
    return {Colour::yellow, "INTERRUPTED",
            fmt::format("{} of {} ran; {}", results.records.size(), planned, nothing)};
  const auto ok = std::ranges::count(results.records, Status::ok, &Record::status);
  const bool scored = results.run.requested->contains(kEvalRequest);
  const std::string ran = numbers_source(*results.run.requested).empty()
                              ? fmt::format("{} of {} ran", ok, planned)
                              : fmt::format("{} {}, nothing ran", planned, scored ? "scored" : "imported");
  return {Colour::none, "", fmt::format("{}; {}", ran, nothing)};
}

// What all points of a case are off by to one side, where that is most of its error: "" where it is not.
std::string common_bias_note(const Results& results, const Record& record) {
  const auto error = value_of(record.metrics, kAccuracyMetric),
             bias = value_of(record.metrics, "bias_median_mm");
  if (!error || !bias || *error <= 0 || std::abs(*bias) < *error / 2) return "";
  return fmt::format(
      "{}: a common bias, its points lie {} mm {} the true surface: most of its mean error, as with a wrong "
      "calibration or frame",
      name_cases(results).of.at(record.case_name).whole(), table_number(std::abs(*bias)),
      *bias < 0 ? "behind" : "in front of");
}

}  // namespace

const Record* leading_record(const Results& results, const Verdicts* gated) {
  const std::vector<Record>& records = results.records;
  if (gated != nullptr && !gated->rows.empty() && is_refused(gated->rows.front().verdict)) {
    const auto found = std::ranges::find(records, gated->rows.front().case_name, &Record::case_name);
    return found == records.end() ? nullptr : &*found;
  }
  if (const auto failed = std::ranges::find_if(records, is_failure, &Record::status); failed != records.end())
    return &*failed;
  for (const auto& [metric, sign] : {std::pair{kAccuracyMetric, 1}, {"photometric_zncc_median", -1}}) {
    const Record* worst = nullptr;
    double most = 0;
    for (const Record& record : records)
      if (const auto value = value_of(record.metrics, metric);
          value && record.status == Status::ok && (worst == nullptr || sign * *value > most)) {
        worst = &record;
        most = sign * *value;
      }
    if (worst != nullptr) return worst;
  }
  return nullptr;
}

std::string caution_of(const Results& results, const Verdicts* gated) {
  std::string caution = without_truth_note(results);
  const Record* const record = leading_record(results, gated);
  const bool accepted = gated != nullptr && gated->exit_code() == ExitCode::pass;
  return !caution.empty() || accepted || record == nullptr ? caution : common_bias_note(results, *record);
}

Banner banner_of(const BundleContent& content) {
  Banner banner = content.gated ? banner_of(*content.gated) : banner_without_gate(content.results);
  banner.caution = caution_of(content.results, content.gated ? &*content.gated : nullptr);
  return banner;
}

}  // namespace aqbench
