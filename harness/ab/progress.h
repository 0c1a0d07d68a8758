#pragma once
// What a person sees on stderr while pairs are measured: one line that is rewritten; elsewhere than on a
// terminal a line each minute, so that a log shows that it goes on.

#include <string>

#include "core/stopwatch.h"
#include "harness/ab/run.h"
#include "harness/running/progress.h"

namespace aqbench {

// "look 1 of 3: 12/40 units 0:07, 0:21 left  undulating/roma_like/seed=42", at most `columns` wide.
std::string ab_progress_text(const AbProgress& progress, int columns);

class AbDisplay {
 public:
  explicit AbDisplay(const SweepDisplay::Options& options) : options_(options) {}
  ~AbDisplay();  // removes the line
  AbDisplay(const AbDisplay&) = delete;
  AbDisplay& operator=(const AbDisplay&) = delete;

  AbProgressCallback callback();  // the display must outlive it

 private:
  void write(const std::string& text) const;

  SweepDisplay::Options options_;
  bool shown_ = false;
  SteadyClock::time_point last_line_ = SteadyClock::now();
};

}  // namespace aqbench
