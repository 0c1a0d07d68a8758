#pragma once
// What of results is gated, and the verdicts on it in one shape for every command that decides or shows:
// gate, ab, compare, trend. Renderers show such a list and decide nothing.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "harness/gating/baseline.h"
#include "harness/records/record.h"
#include "metrics/metric.h"

namespace aqbench {

// The prefix of "tensor_memory.STAGE.net_bytes" and "tensor_memory.STAGE.peak_bytes", in bytes, lower is
// better. A stage that runs under two parents is named "PARENT>STAGE".
inline constexpr std::string_view kTensorMemoryPrefix = "tensor_memory.";

// Returns the record's metrics in their order, then the stages' memory if measured.
MetricSet gated_metrics(const Record& record);

// Returns those of gated_metrics() that enter a baseline: not the tensor memory of a record without tensors,
// since a constant 0 gates nothing.
MetricSet acceptable_metrics(const Record& record);

// Returns the tolerance by the kind of metric; the first line that fits decides:
//   counts (points*, mesh_components, mesh_nonmanifold_edges)   absolute 0: exact
//   net tensor memory of a stage                                relative 1 % (its peak: 5 %, as the rest)
//   bias_* (signed, near zero)                                  absolute 0.1 mm
//   point_density_pct, points_per_mm2, depth_abs_rel_pct        relative 5 %
//   other percentages (precision, completeness, fscore, ..)     absolute 1 percentage point from 20 % on
//                                                               and relative 5 % below, which is the same
//                                                               at 20 %: a small share cannot vanish unseen
//   other unitless (mesh_area_ratio, mesh_normal_consistency)   absolute 0.02
//   lengths, angles and the rest                                relative 5 %
// Where the value is 0 a relative tolerance means nothing: absolute 0.01 mm, 0.1 deg, 0.1 %, else exact.
Tolerance default_tolerance(const std::string& name, const Metric& metric);

// Returns whether a metric with a value is informational: counts (points*, parts of a mesh; not
// points_non_finite, which is a fault) and extremes (the largest of all errors), which are gated only if the
// baseline gives them another tolerance than default_tolerance(), or `accept --tolerance` named them.
bool is_information(const std::string& name, const std::string& unit);

// Returns whether a metric says something of the quality of a case: distances to a fitted plane where the
// scene is a plane, agreement of images where no accuracy is known. Others are information, as above.
bool is_judged(std::string_view case_name, std::string_view metric, bool has_accuracy);

// The metric that every case with a known true surface has.
inline constexpr const char* kAccuracyMetric = "accuracy_mean_mm";

// The outcome of a case or metric, worst first.
enum class Verdict {
  failed_case,     // the record failed, crashed or timed out
  not_comparable,  // options differ, or a metric changed its direction
  missing,         // in the baseline but not in the results
  undefined,       // null, NaN or infinite, or a baseline of 0 with a relative tolerance
  regressed,       // worse by more than the tolerance
  open,            // measured in pairs, and nothing can be said yet
  improved,        // better by more than the tolerance
  added,           // only in the results, and it did not fail: reported, not gated
  pass,
};
// Returns "failed case", "not comparable", ..., "new" for added.
std::string to_string(Verdict verdict);

// Returns whether a value or case with this verdict keeps the list from passing.
constexpr bool is_refused(Verdict verdict) { return verdict < Verdict::improved; }

// The verdict on one metric, or on a whole case.
struct VerdictRow {
  std::string case_name;
  std::string metric = {};  // "" for the whole case
  Verdict verdict = Verdict::pass;
  std::string unit = {};
  std::optional<double> baseline = {}, current = {};  // before and after, or A and B
  std::optional<Tolerance> tolerance = {};
  // Deterioration / tolerance, of rows that are only shown / the default tolerance: 1 is the limit, negative
  // is better.
  double excess = 0;
  std::string reason = {};  // one line; empty for pass
  bool only_shown = false;  // its value decides nothing
  Better better = Better::lower;
  std::string change = {};  // the change with its interval, where pairs were compared; else ""
  std::string label = {};   // the verdict as its rule names it, "REGRESSED", "WORSE"; else ""
  std::string words = {};   // the verdict in a sentence, "B is 5.9 % slower (5.3 to 6.6 %)"; else ""
};

// Returns the size of a change, for the better or the worse: in units of the tolerance, the default one where
// a row has none; of a percentage in points, or in units of the tolerance where that is more than a point. A
// share that was nearly nothing would be larger than all else in units of its tolerance. 0: none is known.
double change_size(const VerdictRow& row);

// Returns a row that decides nothing: "worse", "better" or "other" by metrics/value_change.h, with the change
// in units of default_tolerance(); a value that is lost is worse without limit.
VerdictRow shown_verdict(const std::string& case_name, const std::string& metric, const std::string& unit,
                         Better better, std::optional<double> before, std::optional<double> after);

// All verdicts on a run.
struct Verdicts {
  std::vector<VerdictRow> rows;     // worst first, those of a case together
  std::size_t cases = 0;            // that were looked at
  std::size_t unlisted_passes = 0;  // values that passed without a row
  std::vector<std::string> notes;   // not verified, interrupted, another suite
  std::string refusal;              // why nothing was compared (results against themselves); else empty
  std::string against;              // "accepted in run X, commit Y"; "" where that is not known
  std::string unchecked;            // what a pass says nothing about: "times"; or ""
  std::string policy = {};          // the rule that they were decided by; "": the gate's

  // Returns the number of values or cases with this verdict that decide, listed or not.
  std::size_t count(Verdict verdict) const;
  // Returns case_failed if a case failed, crashed or timed out, in the baseline or not; else not_comparable;
  // else regression; else inconclusive if something is open; else pass.
  ExitCode exit_code() const;
};

// The verdicts on one case; they point into the list.
struct CaseVerdicts {
  const VerdictRow* worst = nullptr;    // the first of `rows`
  std::vector<const VerdictRow*> rows;  // in the order of the list
  std::size_t others = 0;  // further values that are refused as the worst is, or else have its verdict
};

// Returns the verdicts case by case, in the order of the list.
std::vector<CaseVerdicts> by_case(const Verdicts& verdicts);

// Sorts rows by verdict and change_size(), case by case, so that effects of one cause are together: the
// headline that changed most leads its case and places it among the others. New and passed rows come last.
void sort_worst_first(std::vector<VerdictRow>& rows);

}  // namespace aqbench
