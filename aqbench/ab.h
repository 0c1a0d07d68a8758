#pragma once
// Decides from paired samples whether B is worse than A, by the rule of docs/statistics.md, and reads bundles
// as tables of values. A stable interface for C++ programs (target aqbench::ab; aqbench/scenes.h states the
// guarantee).

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "aqbench/failure.h"
#include "aqbench/metric.h"

namespace aqbench::v1 {

// The result of comparing paired samples.
struct Comparison {
  std::string verdict;    // "REGRESSED", "FASTER", "PASS", "INCONCLUSIVE", "TRADE"
  std::string reason;     // one line, empty for a pass
  double change = 0;      // of B relative to A: 0.04 is 4 % more; over all pairs for PASS and INCONCLUSIVE
  double change_low = 0;  // its exact interval, of confidence 1 - alpha
  double change_high = 0;
  double p_worse = 1, p_better = 1;  // one-sided
  std::size_t pairs = 0, kept = 0;   // measured, and analysed: all, or those without slow samples
};

// Compares samples measured in pairs, a[i] and b[i] one after the other, all positive. PASS needs at least 23
// pairs: slow samples are counted, and a coarse clock counts as uncertainty. `policy` is a preset:
// "sensitive" or "gate". Throws Failure for different lengths, too few pairs, and values that are not finite
// and positive.
Comparison compare(std::span<const double> a, std::span<const double> b, bool higher_is_better = false,
                   const std::string& policy = "sensitive");

// One case of a bundle.
struct BundleCase {
  std::string name, scene, method, workload;  // method or workload is empty
  std::string status, reason;                 // "ok", "failed", ...; why it is not "ok"
  std::vector<Metric> metrics;
  std::vector<double> warm_ms;  // time of each warm run, ms; empty if untimed
};

// A bundle's results.
struct Bundle {
  // The name of the run ("20261120T101500Z"), its suite (empty if cases were chosen by hand), and its start
  // (ISO 8601).
  std::string run, suite, started_utc;
  bool complete = false;          // every planned case has a record
  std::vector<BundleCase> cases;  // by name
};

// Reads the results of a bundle (a folder) or a results.json. Does not verify hashes: `aqbench verify` does.
// Throws Failure for an unreadable file or one that violates the schema.
Bundle open_bundle(const std::string& path);

}  // namespace aqbench::v1
