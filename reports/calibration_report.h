#pragma once
// How far a comparison can be trusted on this machine now: its false-alarm rate from A/A pairs, and how often
// it sees a delay that was put in on purpose.

#include <optional>
#include <string>
#include <vector>

#include "harness/ab/samples.h"
#include "harness/exit_code.h"
#include "harness/statistics/calibration.h"
#include "reports/ab_document.h"

namespace aqbench {

inline constexpr int kCalibrationSchemaVersion = 1;
inline constexpr const char* kCalibrationFile = "calibration.json";

// What the numbers are held against (docs/comparing.md).
inline constexpr double kMostFalseAlarms = 0.004;
inline constexpr double kLeastDetected = 0.95;
inline constexpr double kLeastConfirmed = 0.90;

// Pairs of one kind, all of one case.
struct CalibrationSeries {
  std::string stage;   // "" for A/A; "*" for the whole run; else the delayed stage
  std::string effect;  // "+5%", "" for A/A
  AbSamples samples;
};

struct CalibrationDocument {
  AbRunInfo run;
  PairedPolicy policy;  // looks = 1
  std::size_t suites = 2000;
  std::size_t pairs_per_suite = 40;
  AbSideInfo program;
  std::string environment_json = "{}";
  std::vector<CalibrationSeries> series;  // A/A first
};

// What one delayed stage looks like to the rule, on the time of that stage (of the whole run for "*").
struct StagePower {
  std::string stage, effect;
  std::optional<BlockCheck> check;  // nullopt: see reason
  std::string reason;
  std::optional<double> measured_change;  // Hodges-Lehmann over all pairs
  bool insensitive = false;               // detected or confirmed too rarely
};

struct CalibrationReport {
  std::string case_name;
  std::size_t aa_pairs = 0;
  std::optional<BlockCheck> aa;
  std::optional<double> cv;  // of a unit, both sides pooled
  std::optional<double> correlation;
  double tau = 0;  // this case's own: max(policy's, 99th percentile of |shift| of separate A/A blocks)
  std::size_t aa_blocks = 0;
  std::vector<StagePower> stages;
  std::vector<std::string> problems;  // what a series lacks: failed units, too few pairs
  bool complete = false;

  bool false_alarms_ok() const;
  // regression: a bar was missed; case_failed: a unit failed; inconclusive: incomplete.
  ExitCode exit_code() const;
};

// Pure.
CalibrationReport judge_calibration(const CalibrationDocument& document);

Json to_json(const CalibrationReport& report);
// With the report, which is judge_calibration(document).
Json to_json(const CalibrationDocument& document, const CalibrationReport& report);
std::string calibration_text(const CalibrationDocument& document, const CalibrationReport& report);
CalibrationDocument calibration_from_json(const Json& json, const std::string& source);

std::string render_calibration_summary(const CalibrationDocument& document, const CalibrationReport& report);
std::string render_calibration_table(const CalibrationReport& report, bool colours = false);

}  // namespace aqbench
