#pragma once
// The words of an `aqbench ab` command, and what follows from them.

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/ab/samples.h"
#include "harness/ab/samples_check.h"
#include "harness/statistics/policy.h"

namespace aqbench {

// Warm runs of a unit where --repetitions is not given: of a case, of one with --quick; where the program is
// compared with itself, whose case is short, so that of ten runs one is free of a busy neighbour more often
// than of five; and where metrics are validated, for which an output is enough. Bundles are held against
// them.
inline constexpr int kUnitRepetitions = 5, kFewestRepetitions = 3, kAaRepetitions = 10,
                     kMetricRepetitions = 0;

// Reads what was asked for. The flags are those of a command that ran: each stands there once, unless it may
// be repeated.
class AbWords {
 public:
  AbWords() = default;
  // `words` begin with the program and "ab".
  explicit AbWords(std::vector<std::string> words) : words_(std::move(words)) {}

  // Returns whether a flag is given: "--looks 2", "--looks=2", "--quick".
  bool has(std::string_view flag) const;
  // Returns the first value of a flag; nullopt where there is none.
  std::optional<std::string> value_of(std::string_view flag) const;
  // Returns all values of a flag that may be repeated.
  std::vector<std::string> values_of(std::string_view flag) const;
  // Reads "5%" or "0.05".
  std::optional<double> share_of(std::string_view flag) const;
  std::optional<double> number_of(std::string_view flag) const;

  // Returns whether two bundles of sweeps are compared.
  bool of_bundles() const { return has("bundle-a"); }
  // Returns whether what was measured before is judged.
  bool runs_nothing() const { return has("samples") || of_bundles(); }
  // Returns what is judged then, as ab.json names it; "" where units are run.
  std::string samples_file() const;
  // Returns whether the program is compared with itself.
  bool against_itself() const { return has("calibrate") || has("live"); }

  // Returns the warm runs of each unit; nullopt where a trial chose them.
  std::optional<double> warm_runs() const;

  // Returns the policy that was asked for; `usual_looks` where the number of looks is not given. Throws
  // Error(usage) for a policy that there is none of.
  PairedPolicy policy(int usual_looks) const;
  // Returns whether a metric has the margin that was asked for.
  bool is_margin_of(const AbOutcome& metric) const;

  // Returns what the words tell of how outputs were scored; nothing of which program scored them.
  AbScoring scoring() const;

 private:
  std::vector<std::string> words_;
};

}  // namespace aqbench
