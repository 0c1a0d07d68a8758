#pragma once
// How completeness falls along an axis of a run, such as the distance: a failure curve for each method.

#include <optional>
#include <string>
#include <vector>

#include "harness/statistics/signed_rank.h"
#include "reports/content/case_groups.h"
#include "reports/document/document.h"

namespace aqbench {

// The cases that differ in one axis and the seed alone.
struct FailureCurve {
  std::string scene, label, axis;  // label: the method and the other axes that cases differ in
  struct Point {
    double at = 0;                           // the value of the axis
    std::optional<double> completeness_pct;  // mean over the seeds; a case without a value counts as 0
    std::optional<double> bias_mm;           // nullopt: no case has it
  };
  std::vector<Point> points;  // by their values
  // Behind its largest value, where completeness falls below half of that, linear between two points; nullopt
  // where it does not. Over the seeds, of which each must fall.
  std::optional<double> halves_at;
  // Of 95 % over six seeds and more, else from the last point above half of any seed to the first one below.
  std::optional<ShiftInterval> interval;
};

// Returns the curves of completeness at 2 mm over each axis of numbers with three values and more, but for
// frames.
std::vector<FailureCurve> failure_curves(const Results& results);

// Returns a table of all curves; without blocks where no curve falls to its half.
Section curves_section(const Results& results);

}  // namespace aqbench
