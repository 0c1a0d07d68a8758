#pragma once
// A validation of `ab` on this machine (`aqbench ab --calibrate`): a number of ordinary comparisons of a side
// with itself, and as many in which B is delayed on purpose. Each is a case of one document, judged alone.

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "harness/ab/case_report.h"

namespace aqbench {

// The delay of the whole run in B, where there is one.
inline constexpr const char* kValidationDelay = "+5%";

// The number of comparisons where the user gives none, and the most.
inline constexpr std::size_t kUsualComparisons = 20, kMaxComparisons = 1000;

// The largest rate of false alarms that a comparison may have.
inline constexpr double kMaxAlarmRate = 0.004;

// The confidence of bounds of that rate.
inline constexpr double kAlarmConfidence = 0.99;

// What is compared how often.
struct AbValidation {
  std::string case_name;
  std::size_t comparisons = 0;  // of the side with itself
  std::string delay = {};       // kValidationDelay: as many comparisons with that in B follow; "": none
  // What the case's time depends on besides program and machine: "roma_like.points", "threads", "warm_runs".
  std::vector<std::pair<std::string, std::string>> case_settings = {};

  template <class Row>
  static void members(const Row& row) {
    row("case", &AbValidation::case_name);
    row("comparisons", &AbValidation::comparisons);
    row("delay", &AbValidation::delay);
    row("case_settings", &AbValidation::case_settings);
  }

  // Returns the number of comparisons in all.
  std::size_t total() const { return delay.empty() ? comparisons : 2 * comparisons; }
  // Returns whether B is delayed in the comparison at index i.
  bool is_delayed(std::size_t i) const { return i >= comparisons; }
  // Returns the name of that comparison: "CASE A/A 3", "CASE +5% 3".
  std::string name_of(std::size_t i) const;
};

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

}  // namespace aqbench
