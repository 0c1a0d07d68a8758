#pragma once
// How long the rest of a sweep will take, from what its earlier cases took.

#include <map>
#include <optional>
#include <span>
#include <string>

#include "harness/records/case.h"

namespace aqbench {

// Learns from each case that ends. A case is expected to take the mean of earlier ones with the same method,
// preset and axes in other scenes and seeds; else of the same method and preset, in proportion to the square
// of the images' width where both have one; else of all. The case that runs is corrected by when its stages
// began.
class TimeLeft {
 public:
  // Note that a case begins, that it is in a stage, and that it has ended. Times are seconds of one clock.
  void begin(const Case& planned, double now_s);
  void stage(const std::string& name, double now_s);
  void end(double now_s);

  // Returns the seconds that these cases will take, one after the other, the one that runs included; nullopt
  // before the first end.
  std::optional<double> seconds(std::span<const Case* const> unfinished, double now_s) const;

 private:
  struct Mean {
    double sum = 0, count = 0;
    void add(double value) { sum += value, count += 1; }
    double value() const { return sum / count; }
  };
  struct Known {
    Mean seconds, per_width2;                // per_width2: seconds / px^2
    std::map<std::string, double> stages_s;  // when each stage began in the last case
  };

  double expected_s(const Case& planned) const;
  const Known* known_of(const Case& planned) const;

  std::map<std::string, Known> known_;  // by case kind, and by method
  Mean all_;
  const Case* running_ = nullptr;
  double begun_s_ = 0;
  std::optional<double> end_s_;  // of the running case, as its stages say
  std::map<std::string, double> stages_s_;
};

}  // namespace aqbench
