#pragma once
// How far a comparison can be trusted on this machine now: its false-alarm rate from A/A pairs, and how often
// it sees a delay that was put in on purpose.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "harness/ab/ab_document.h"
#include "harness/ab/samples.h"
#include "harness/statistics/calibration.h"

namespace aqbench {

inline constexpr int kCalibrationSchemaVersion = 2;
inline constexpr const char* kCalibrationFile = "calibration.json";
inline constexpr const char* kCalibrationDelay = "+5%";

// What can be asked for, and what is read.
inline constexpr std::size_t kMostCalibrationPairs = 2000;
inline constexpr std::size_t kMostCalibrationSuites = 100000;
inline constexpr std::size_t kMostPairsPerSuite = 200;
inline constexpr std::size_t kPairsPerSuite = 40;
inline constexpr std::size_t kBlocksPerSeries = 3;  // at least: check_blocks() needs them
inline constexpr std::size_t kMostLiveRuns = 1000;

// What the numbers are held against (docs/comparing.md).
inline constexpr double kMostFalseAlarms = 0.004;
inline constexpr double kLeastDetected = 0.95;
inline constexpr double kLeastConfirmed = 0.90;
// Of 20 live A/A runs one may be called slower; one of fewer leaves the question open.
inline constexpr std::size_t kLiveRunsPerFalseAlarm = 20;

// Pairs of one kind, all of one case.
struct CalibrationSeries {
  std::string stage;   // "" for A/A; "*" for the whole run; else the delayed stage
  std::string effect;  // "+5%", "" for A/A
  AbSamples samples;
};

// What was going to be measured: A/A, then the delays, then the live runs.
struct CalibrationPlan {
  std::size_t pairs = 0;               // A/A; 0: neither these nor delays
  std::size_t delayed_pairs = 0;       // of each delayed stage
  std::vector<std::string> stages;     // "*" first
  std::vector<std::string> too_short;  // for the clock: insensitive without being measured
  // What the case's time depends on beside program and machine: "roma_like.points", "threads", "warm_runs".
  std::vector<std::pair<std::string, std::string>> case_settings;
  std::size_t live_runs = 0;  // whole A/A comparisons
  std::size_t live_pairs_per_look = 0;
  AbSettings live_settings;
};

struct CalibrationDocument {
  AbRunInfo run;
  PairedPolicy policy;  // looks = 1
  std::size_t suites = 2000;
  std::size_t pairs_per_suite = kPairsPerSuite;
  AbSideInfo program;
  std::string environment_json = "{}";
  CalibrationPlan plan;
  std::vector<CalibrationSeries> series;  // A/A first
  std::vector<AbSamples> live;
};

// The coins of the n-th series, and of the n-th live run.
std::uint64_t series_order_seed(std::uint64_t order_seed, std::size_t n);
std::uint64_t live_order_seed(std::uint64_t order_seed, std::size_t n);

// One live run as a comparison of the program with itself.
AbDocument live_document(const CalibrationDocument& document, const AbSamples& run);

// Empty, or what is not as such a calibration would have measured it: "series[1].samples.units[4]: ..".
std::string calibration_protocol_problem(const CalibrationDocument& document);

// What one delayed stage looks like to the rule, on the time of that stage (of the whole run for "*").
struct StagePower {
  std::string stage, effect;
  std::optional<BlockCheck> check;  // nullopt: see reason
  std::string reason;
  std::optional<double> measured_change;  // by the rule, over all pairs together
  bool insensitive = false;               // detected or confirmed too rarely, or too short for the clock
};

// What whole A/A comparisons said; each is judged as `aqbench ab` judges it.
struct LiveReport {
  std::size_t runs = 0;                            // that are whole
  std::size_t cases = 0;                           // of each
  std::size_t units = 0;                           // of all
  std::size_t regressed = 0;                       // runs that called a case slower
  std::size_t faster = 0;                          // runs that called a case faster
  std::size_t undecided = 0;                       // runs with a case that was left open
  std::size_t failed = 0;                          // runs with a case that failed
  std::vector<std::vector<std::string>> verdicts;  // of each run's cases
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
  std::optional<LiveReport> live;     // where live runs were asked for
  bool wants_pairs = true;            // A/A pairs and delays were asked for
  std::vector<std::string> problems;  // what a series lacks: failed units, too few pairs
  bool complete = false;

  bool false_alarms_ok() const;
  bool live_ok() const;  // few enough live runs called a case slower
  // One did, of so few runs that it may be one of twenty or one of one.
  bool too_few_live_runs() const;
  // regression: a bar was missed; case_failed: a unit failed; inconclusive: incomplete.
  ExitCode exit_code() const;
};

// Pure.
CalibrationReport judge_calibration(const CalibrationDocument& document);

Json to_json(const CalibrationReport& report);
Json to_json(const CalibrationPlan& plan);
CalibrationPlan calibration_plan_from_json(const Json& json, const std::string& source);
// With the report, which is judge_calibration(document).
Json to_json(const CalibrationDocument& document, const CalibrationReport& report);
std::string calibration_text(const CalibrationDocument& document, const CalibrationReport& report);
CalibrationDocument calibration_from_json(const Json& json, const std::string& source);

std::string render_calibration_summary(const CalibrationDocument& document, const CalibrationReport& report);
std::string render_calibration_table(const CalibrationReport& report, bool colours = false);

}  // namespace aqbench
