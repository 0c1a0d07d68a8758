#pragma once
// The steps of a value over a history of runs, as a trend shows them: few false ones, also where neighbouring
// runs resemble each other, and every one where a value does not vary by itself.

#include <span>
#include <vector>

#include "harness/statistics/change_points.h"

namespace aqbench {

// What counts as a step of a noisy history. With these, of 1000 stationary histories of 60 runs at most one
// shows a step, and a step of 5 % after 30 runs is found within 10 more in 95 % (noise with a cv of 1.1 % and
// an autocorrelation up to 0.6: tests/harness/statistics/trend_steps_test.cc). That takes noise that is small
// beside min_change: at a cv of 3 % and 0.6 some 20 histories of 1000 show one.
struct TrendStepOptions {
  ChangePointOptions change_points = {50, 0.01, 0.001, 0.03, 2};
  double max_p = 5e-5;                 // of a step by generalised least squares
  double least_autocorrelation = 0.3;  // between neighbours; what is measured counts where it is more
};

// Returns whether the values do not vary by themselves: neighbours are the same number at least as often as
// they differ.
bool is_bit_equal(std::span<const double> history);

// Returns the steps in ascending order. Of values that are bit-equal every change is one, also one that is
// taken back at once; its p is 0. Else a step is a change point (change_points.h) whose p by generalised
// least squares with the measured autocorrelation (Prais and Winsten 1954) is at most max_p. Throws as
// detect_change_points().
std::vector<ChangePoint> detect_steps(std::span<const double> history, const TrendStepOptions& options = {});

// Returns the correlation of neighbours around the levels between the steps, corrected for its bias in short
// series, between `least` and 0.95.
double autocorrelation_of(std::span<const double> history, std::span<const ChangePoint> steps, double least);

}  // namespace aqbench
