#include "harness/gating/verdicts.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

#include "harness/gating/gated_metrics.h"
#include "metrics/registry.h"
#include "metrics/value_change.h"

namespace aqbench {
namespace {

// Reading order: headlines by their place, then other metrics, counts and memory last.
std::size_t reading_rank(const VerdictRow& row) {
  const auto& headlines = headline_metrics();
  const auto found = std::ranges::find(headlines, row.metric, &HeadlineMetric::name);
  if (row.metric.empty()) return 0;
  if (found != headlines.end()) return 1 + static_cast<std::size_t>(found - headlines.begin());
  const bool last = is_information(row.metric, row.unit) || row.metric.starts_with(kTensorMemoryPrefix);
  return headlines.size() + (last ? 2 : 1);
}

// A value that is undefined now is as grave as one that is worse: a mean error that grew says more of a case
// than a share at 0.5 mm that it lost.
Verdict gravity(Verdict verdict) { return verdict == Verdict::undefined ? Verdict::regressed : verdict; }

// Orders rows by verdict, then by rank, then by how far they exceed the tolerance.
bool comes_before(const VerdictRow& a, const VerdictRow& b) {
  if (gravity(a.verdict) != gravity(b.verdict)) return gravity(a.verdict) < gravity(b.verdict);
  if (const std::size_t rank_a = reading_rank(a), rank_b = reading_rank(b); rank_a != rank_b)
    return rank_a < rank_b;
  return a.verdict == Verdict::improved ? a.excess < b.excess : a.excess > b.excess;
}

}  // namespace

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::failed_case:
      return "failed case";
    case Verdict::not_comparable:
      return "not comparable";
    case Verdict::missing:
      return "missing";
    case Verdict::undefined:
      return "undefined";
    case Verdict::regressed:
      return "regressed";
    case Verdict::open:
      return "open";
    case Verdict::improved:
      return "improved";
    case Verdict::added:
      return "new";
    case Verdict::pass:
      break;
  }
  return "pass";
}

VerdictRow shown_verdict(const std::string& case_name, const std::string& metric, const std::string& unit,
                         Better better, std::optional<double> before, std::optional<double> after) {
  VerdictRow row;
  row.case_name = case_name;
  row.metric = metric;
  row.unit = unit;
  row.better = better;
  row.baseline = before;
  row.current = after;
  if (before) row.excess = after ? worsening_share(metric, better, *before, *after) : HUGE_VAL;
  row.verdict = row.excess > 0 ? Verdict::regressed : row.excess < 0 ? Verdict::improved : Verdict::pass;
  row.label = change_word(row.excess > 0 ? 1 : row.excess < 0 ? -1 : 0);
  return row;
}

std::size_t Verdicts::count(Verdict verdict) const {
  const auto listed = std::ranges::count_if(rows, [&](const VerdictRow& row) {
    return row.verdict == verdict && (verdict == Verdict::pass || !row.only_shown);
  });
  return static_cast<std::size_t>(listed) + (verdict == Verdict::pass ? unlisted_passes : 0);
}

ExitCode Verdicts::exit_code() const {
  if (!refusal.empty()) return ExitCode::not_comparable;
  if (count(Verdict::failed_case) > 0) return ExitCode::case_failed;
  if (count(Verdict::not_comparable) > 0) return ExitCode::not_comparable;
  const std::size_t worse = count(Verdict::missing) + count(Verdict::undefined) + count(Verdict::regressed);
  if (worse > 0) return ExitCode::regression;
  return count(Verdict::open) > 0 ? ExitCode::inconclusive : ExitCode::pass;
}

void sort_worst_first(std::vector<VerdictRow>& rows) {
  std::ranges::stable_sort(rows, comes_before);
  struct CaseRank {
    Verdict worst = Verdict::pass;
    double excess = 0;      // the largest of the rows as grave as that
    std::size_t first = 0;  // index of the case's first row
  };
  std::unordered_map<std::string, CaseRank> cases;
  const auto moved = static_cast<std::size_t>(std::ranges::count_if(rows, [](const VerdictRow& row) {
    return row.verdict != Verdict::added && row.verdict != Verdict::pass;
  }));
  for (std::size_t i = 0; i < moved; ++i) {
    const auto [place, is_new] = cases.try_emplace(rows[i].case_name);
    CaseRank& rank = place->second;
    if (is_new) rank = {rows[i].verdict, rows[i].excess, i};
    if (rows[i].verdict < rank.worst) rank.worst = rows[i].verdict;
    if (gravity(rows[i].verdict) == gravity(rank.worst)) rank.excess = std::max(rank.excess, rows[i].excess);
  }
  std::ranges::stable_sort(std::span(rows).first(moved), [&](const VerdictRow& a, const VerdictRow& b) {
    const CaseRank &rank_a = cases.at(a.case_name), &rank_b = cases.at(b.case_name);
    if (rank_a.worst != rank_b.worst) return rank_a.worst < rank_b.worst;
    if (rank_a.excess != rank_b.excess) return rank_a.excess > rank_b.excess;
    return rank_a.first < rank_b.first;
  });
}

std::vector<CaseVerdicts> by_case(const Verdicts& verdicts) {
  std::vector<CaseVerdicts> cases;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const VerdictRow& row : verdicts.rows) {
    const auto [place, is_new] = places.try_emplace(row.case_name, cases.size());
    if (is_new) cases.push_back({&row, {}, 0});
    CaseVerdicts& one = cases[place->second];
    one.rows.push_back(&row);
    if (&row != one.worst && row.verdict == one.worst->verdict && !row.only_shown) ++one.others;
  }
  return cases;
}

}  // namespace aqbench
