// How a comparison names its sides and draws its changes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "harness/ab/report.h"
#include "metrics/value_change.h"
#include "reports/text/ab_summary.h"

namespace aqbench {
namespace {

// Puts the names in place of the words A and B.
std::string with_names(const std::string& words, const std::pair<std::string, std::string>& names) {
  const auto in_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool alone =
        (i == 0 || !in_word(words[i - 1])) && (i + 1 == words.size() || !in_word(words[i + 1]));
    text += alone && words[i] == 'A'   ? names.first
            : alone && words[i] == 'B' ? names.second
                                       : std::string(1, words[i]);
  }
  return text;
}

void add_interval(const std::string& label, const PairedComparison& c, const std::string& unit,
                  std::vector<Chart>& charts) {
  const bool in_units = is_difference(c.scale);
  const auto value = [&](double shift) { return in_units ? shift : 100 * std::expm1(shift); };
  const std::string of = in_units ? unit : "%";
  auto chart = std::ranges::find(charts, of, &Chart::unit);
  if (chart == charts.end()) {
    charts.push_back({.title = "Changes with their intervals, and what is allowed"});
    chart = charts.end() - 1;
    chart->unit = of;
  }
  const EstimatedShift shown = shown_shift(c);
  Chart::Row& row = chart->rows.emplace_back();
  row.label = row.tip = label;
  row.interval = {value(shown.interval.lower), value(shown.shift), value(shown.interval.upper),
                  value(c.flag_below), value(c.flag_above)};
  row.number = ab_change_text(c);
  row.colour = c.verdict == PairedVerdict::regressed ? Colour::red
               : c.verdict == PairedVerdict::faster  ? Colour::green
               : c.verdict == PairedVerdict::pass    ? Colour::none
                                                     : Colour::yellow;
}

}  // namespace

std::pair<std::string, std::string> names_of_sides(const AbDocument& document) {
  std::string_view a = document.a.label, b = document.b.label;
  constexpr std::string_view kMethod = "method=";  // says nothing that the name of a method does not
  std::size_t head = a.starts_with(kMethod) && b.starts_with(kMethod) ? kMethod.size() : 0, tail = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; ++i)
    if (a[i] == '/') head = i + 1;
  a.remove_prefix(head);
  b.remove_prefix(head);
  for (std::size_t i = 1; i < std::min(a.size(), b.size()) && a[a.size() - i] == b[b.size() - i]; ++i)
    if (a[a.size() - i] == '/') tail = i;
  a.remove_suffix(tail);
  b.remove_suffix(tail);
  constexpr std::size_t kMaxColumns = 32;
  if (a.size() < 2 || b.size() < 2 || a == b || display_width(a) > kMaxColumns ||
      display_width(b) > kMaxColumns)
    return {"A", "B"};
  return {printable(a), printable(b)};
}

AbReport with_sides_named(const AbDocument& document, AbReport report) {
  const auto names = names_of_sides(document);
  for (VerdictRow& row : report.verdicts.rows) {
    row.words = with_names(row.words, names);
    if (!row.words.empty() || !row.label.empty()) row.reason = with_names(row.reason, names);
  }
  return report;
}

std::vector<const AbCaseReport*> worst_first(const AbReport& report) {
  std::vector<const AbCaseReport*> cases;
  for (const VerdictRow& row : report.verdicts.rows)
    if (!row.only_shown)
      cases.push_back(&*std::ranges::find(report.cases, row.case_name, &AbCaseReport::name));
  return cases;
}

std::vector<Chart> interval_charts(const AbReport& report) {
  std::vector<Chart> charts;
  const ShortNames names = short_names_of(report.verdicts);
  for (const AbCaseReport* const shown : worst_first(report)) {
    const AbCaseReport& one = *shown;
    const std::string& name = names.of.at(one.name);
    if (one.time && one.time->comparison)
      add_interval(one.outcomes.empty() ? name : name + ": " + time_name(one.time->decided_by),
                   *one.time->comparison, "%", charts);
    for (const AbOutcomeReport& outcome : one.outcomes)
      if (outcome.decision.comparison)
        add_interval(fmt::format("{}: {}", name,
                                 outcome.outcome.name == kWallOutcome ? time_name(DecidingTime::wall)
                                                                      : metric_words(outcome.outcome.name)),
                     *outcome.decision.comparison, outcome.outcome.unit, charts);
  }
  return charts;
}

}  // namespace aqbench
