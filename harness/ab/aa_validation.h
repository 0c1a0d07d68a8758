#pragma once
// How far a comparison can be trusted on this machine now: how often A/A pairs raise a false alarm, and how
// often a delay that was put in on purpose is seen. `aqbench ab --calibrate` and `--live` measure it.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json.h"
#include "harness/ab/document.h"
#include "harness/ab/samples.h"
#include "harness/statistics/aa_validation.h"
#include "harness/statistics/quality_check.h"

namespace aqbench {

// The delay that is put into each measured stage on purpose.
inline constexpr const char* kAaValidationDelay = "+5%";

// The limits of what can be asked for and of what is read.
inline constexpr std::size_t kMaxAaValidationPairs = 2000;
inline constexpr std::size_t kMaxAaValidationDraws = 100000;
inline constexpr std::size_t kMaxPairsPerDraw = 200;
inline constexpr std::size_t kMaxLiveRuns = 1000;

// What is measured where the user does not say it: A/A pairs, those where metrics are validated, pairs of
// each delayed stage; and the suites that are drawn from them.
inline constexpr std::size_t kAaPairs = 600, kAaMetricPairs = 240, kDelayedPairs = 160, kUsualDraws = 2000;

// The number of pairs in each draw (harness/statistics/aa_validation.h) where the user does not say it.
inline constexpr std::size_t kPairsPerDraw = 40;

// The fewest blocks of pairs that a series needs, for check_blocks().
inline constexpr std::size_t kBlocksPerSeries = 3;

// What an A/A validation must keep to (docs/comparing.md), as shares of the draws: at most this share may be
// false alarms, and of delays at least these shares must be detected, and confirmed too.
inline constexpr double kMaxFalseAlarms = 0.004;
inline constexpr double kMinDetected = 0.95;
inline constexpr double kMinConfirmed = 0.90;

// The number of blocks that are simulated to bound the rate of false alarms: with at most 6 alarms in them
// the rate is below kMaxFalseAlarms.
inline constexpr std::size_t kSimulatedBlocks = 3000;

// The limits of verdicts on metrics: the largest share of false alarms, the smallest share of changes by the
// margin that must be seen, and the pairs in each draw.
inline constexpr double kMaxMetricAlarms = 0.01;
inline constexpr double kMinMetricPower = 0.90;
inline constexpr std::size_t kPairsPerMetricDraw = 20;

// One live A/A run in so many may call a case slower; a false alarm in fewer runs leaves the question open.
inline constexpr std::size_t kLiveRunsPerFalseAlarm = 20;

// Pairs of one kind, all of one case.
struct AaValidationSeries {
  std::string stage;   // "" for A/A; "*" where the whole run is delayed; else the delayed stage
  std::string effect;  // "+5%"; "" for A/A
  AbSamples samples;
};

// What was planned: first the A/A pairs, then the delayed pairs, then the live runs.
struct AaValidationPlan {
  std::size_t pairs = 0;               // of A/A; 0: neither these nor delayed ones
  std::size_t delayed_pairs = 0;       // of each delayed stage
  std::vector<std::string> stages;     // the delayed ones, "*" first
  std::vector<std::string> too_short;  // stages too short for the clock: insensitive without being measured
  // What the case's time depends on besides program and machine: "roma_like.points", "threads", "warm_runs".
  std::vector<std::pair<std::string, std::string>> case_settings;
  std::size_t live_runs = 0;  // whole A/A comparisons
  std::size_t live_pairs_per_look = 0;
  AbSettings live_settings;
};

// The version of calibration.json that is written; it goes up when its fields change.
inline constexpr int kAaValidationSchemaVersion = 4;

// The content of calibration.json: the plan and all that was measured.
struct AaValidationDocument {
  int schema_version = kAaValidationSchemaVersion;
  AbRunInfo run;
  PairedPolicy policy;                   // with one look
  std::vector<AbOutcome> outcomes = {};  // metrics that are validated in place of times
  std::size_t draws = kUsualDraws;
  std::size_t pairs_per_draw = kPairsPerDraw;
  AbSideInfo program;
  JsonBox environment;
  AaValidationPlan plan;
  std::vector<AaValidationSeries> series;  // A/A first
  std::vector<AbSamples> live;
};

// Return the seed of the coins that decide which side of a pair runs first: of the n-th series, and of the
// n-th live run.
std::uint64_t series_order_seed(std::uint64_t order_seed, std::size_t n);
std::uint64_t live_order_seed(std::uint64_t order_seed, std::size_t n);

// Returns one live run as a comparison of the program with itself.
AbDocument live_document(const AaValidationDocument& document, const AbSamples& run);

// Returns the first place that is not as the plan would have measured it, "series[1].samples.units[4]: ..",
// or "" if there is none.
std::string aa_validation_problem(const AaValidationDocument& document);

// How well the rule sees one delayed stage, by the time of that stage (of the whole run for "*").
struct StagePower {
  std::string stage, effect;
  std::optional<BlockCheck> check;  // nullopt: the reason says why there is none
  std::string reason;
  std::optional<double> measured_change;  // relative, estimated by the rule from all pairs together
  bool insensitive = false;               // detected or confirmed too rarely, or too short for the clock
};

// What whole A/A comparisons said; each is judged as `aqbench ab` judges a comparison.
struct LiveReport {
  std::size_t runs = 0;                            // runs that are complete
  std::size_t cases = 0;                           // cases of each run
  std::size_t units = 0;                           // units of all runs
  std::size_t regressed = 0;                       // runs that called a case slower
  std::size_t faster = 0;                          // runs that called a case faster
  std::size_t undecided = 0;                       // runs that left a case open
  std::size_t failed = 0;                          // runs with a case that failed
  std::vector<std::vector<std::string>> verdicts;  // Indexed by: [run][case].
};

// What an A/A validation found.
struct AaValidationReport {
  std::string case_name;
  std::size_t aa_pairs = 0;
  std::optional<BlockCheck> aa;
  // Independent comparisons out of the A/A pairs: those that share no pair, and simulated ones.
  std::optional<AlarmCount> measured_alarms, simulated_alarms;
  std::optional<double> cv;           // of a unit, both sides pooled
  std::optional<double> correlation;  // between the two units of a pair
  double tau = 0;  // for this case: max(policy's, 99th percentile of |shift| over disjoint A/A blocks)
  std::size_t aa_blocks = 0;
  std::vector<StagePower> stages;
  std::optional<LiveReport> live;       // where live runs were asked for
  std::vector<AbOutcome> outcomes;      // the metrics that were validated in place of times
  std::optional<QualityCheck> quality;  // of these; nullopt: too few pairs, or a problem
  bool wants_pairs = true;              // A/A pairs and delayed pairs were asked for
  std::vector<std::string> problems;    // what a series lacks: units that failed, too few pairs
  bool complete = false;

  // Returns whether the A/A pairs raised few enough false alarms.
  bool false_alarms_ok() const;
  // Returns whether enough blocks that share no pair were measured to bound the rate by kMaxFalseAlarms.
  bool bounded_by_measured() const;
  // Returns whether the rate is bounded by kMaxFalseAlarms, by measured blocks or by simulated ones.
  bool false_alarms_bounded() const;
  // Returns whether metrics of the same program were called different too often: the rate is certainly above
  // kMaxMetricAlarms.
  bool too_many_metric_alarms() const;
  // Returns whether each metric's change by its margin is seen often enough with the fewest pairs.
  bool metrics_sensitive() const;
  // Returns whether few enough live runs called a case slower.
  bool live_ok() const;
  // Returns whether a live run called a case slower, but so few were run that the rate stays open.
  bool too_few_live_runs() const;
  // Returns regression where one of the limits above was not kept, case_failed where a unit failed,
  // inconclusive where pairs or runs are missing or the rate of false alarms is not bounded, else pass.
  ExitCode exit_code() const;
};

// Judges an A/A validation; reads no file.
AaValidationReport judge_aa_validation(const AaValidationDocument& document);

}  // namespace aqbench
