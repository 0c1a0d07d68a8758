#pragma once
// The verdict of a comparison: first on accuracy, then on time.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/decision.h"
#include "harness/ab/document.h"
#include "harness/gating/verdicts.h"

namespace aqbench {

// What became of one case.
enum class AbVerdict {
  regressed,
  faster,
  pass,
  inconclusive,
  refused,  // too noisy on this machine to be gated
  invalid,  // B's output is unsteady, or cannot be held against A's: B's time says nothing
  failed,   // a unit failed
  trade,    // the typical run and the share of slow runs point in opposite directions
  // Where metrics decide:
  worse,
  better,
  equivalent,
};
// Returns "REGRESSED" and so on.
std::string to_string(AbVerdict verdict);
// Returns the verdict of a case that has this one on its time.
AbVerdict ab_verdict_of(PairedVerdict verdict);
// Returns what a verdict means for a list of verdicts: failed_case, regressed, open, improved or pass.
Verdict verdict_of(AbVerdict verdict);

// The verdict on one outcome of a case beside its wall time.
struct AbOutcomeReport {
  AbOutcome outcome;
  AbTimeDecision decision;  // its medians are in the outcome's unit
};

// The verdict on one case and what it follows from.
struct AbCaseReport {
  std::string name;
  AbVerdict verdict = AbVerdict::inconclusive;
  std::string reason;                          // one line, empty for pass
  std::optional<AbTimeDecision> time;          // nullopt where a unit failed or wall times are not judged
  std::vector<AbOutcomeReport> outcomes = {};  // empty where a unit failed
  std::string outputs;                         // "identical", "differ", "not hashed", "vary: 1 of A, 2 of B"
  std::vector<VerdictRow> accuracy;  // B's metrics gated on A's with the default tolerances, worst first
  std::string pareto;                // one line: time and accuracy together
};

// Returns whether metrics are compared over seeds or runs.
bool has_metrics(const AbSettings& settings);

// Changes the verdict of a case by its outcomes. Before the call it must be the verdict on the wall time,
// where that is judged.
void judge_outcomes(AbCaseReport& report);

// The largest rate of false alarms that a comparison may have.
inline constexpr double kMaxAlarmRate = 0.004;

// The confidence of bounds of that rate.
inline constexpr double kAlarmConfidence = 0.99;

// How many comparisons had which verdict.
struct ValidationCounts {
  std::size_t slower = 0;  // or worse: verdicts that fail a build
  std::size_t faster = 0;  // or better
  std::size_t pass = 0;    // or equivalent
  std::size_t open = 0;    // inconclusive, refused, or a trade
  std::size_t failed = 0;  // a unit failed
  // Returns the comparisons that have a verdict.
  std::size_t judged() const { return slower + faster + pass + open; }
};

// What a validation found.
struct ValidationReport {
  AbValidation validation;
  ValidationCounts itself, delayed;
  // The rate of comparisons that call a side slower than itself lies between these, each with
  // kAlarmConfidence (exact, Clopper and Pearson 1934); 0 and 1 without comparisons.
  double alarm_rate_lower = 0, alarm_rate_upper = 1;
  double largest_change = 0;  // |u_B / u_A - 1| of the side with itself, over the comparisons that have one
  double tau = 0;             // of this case: the larger of the policy's and largest_change

  // Returns case_failed where a unit failed, regression where the rate is certainly above kMaxAlarmRate, else
  // pass.
  ExitCode exit_code() const;
};

// Counts the verdicts; `cases` are those of the document that the validation belongs to, in its order.
ValidationReport count_validation(const AbValidation& validation, std::span<const AbCaseReport> cases,
                                  const PairedPolicy& policy);

// Returns the report as lines for a reader.
std::vector<std::string> validation_lines(const ValidationReport& report);

// The verdicts on all cases.
struct AbReport {
  std::vector<AbCaseReport> cases;  // in the order of the samples
  Verdicts verdicts = {};           // on them, the gravest first
  std::vector<std::string> notes;
  std::optional<ValidationReport> validation = {};  // where the cases are comparisons of one side with itself

  // Returns the code of the verdicts, of a validation its own.
  ExitCode exit_code() const;
  // Returns whether a case is a TRADE, whose exit code --allow-inconclusive does not change.
  bool has_trade() const;
};

// Judges a comparison; reads no file. Outputs with the same hash are the same. Different ones are gated
// metric by metric on A's, with default tolerances; headline metrics decide, others only where there are
// none. If B's output changes from unit to unit while A's does not, the case is invalid. Where metrics are
// compared over seeds or runs (AbSettings::outcomes), their verdicts stand in place of that: one that is
// WORSE makes the case WORSE, or REGRESSED where B is slower, too. A cost counts where it is REGRESSED.
// Throws as decide_cases().
AbReport judge_ab(const AbDocument& document);

// Returns the change of B against A: "+4.10 %", or "+0.123" for a difference.
std::string ab_change_text(const PairedComparison& comparison);

// Returns the interval of that change, its smaller end first: "+3.90 .. +4.30 %".
std::string ab_interval_text(const PairedComparison& comparison);

// Returns the change of a time in words: "5.9 % slower (5.3 to 6.6 %)", "19.3 x faster (18.9 to 19.7)".
std::string speed_words(const PairedComparison& comparison);

// Returns a row for each case, which decides, with the value that its verdict rests on; behind it, only
// shown, a row for each other value that was compared.
Verdicts verdicts_of(const std::vector<AbCaseReport>& cases);

// Returns a computed number with 12 significant digits, so that another mathematical library, whose last bit
// may differ, gives the same text. Returns null for no number and for one that is not finite.
Json rounded_json(const std::optional<double>& value);

// Returns the decision.
Json to_json(const AbReport& report);

// Return the whole document; `report` is judge_ab(document).
Json to_json(const AbDocument& document, const AbReport& report);
std::string ab_text(const AbDocument& document, const AbReport& report);

}  // namespace aqbench
