#pragma once
// What a person sees on stderr while pairs are measured.

#include <string>

#include "core/stopwatch.h"
#include "harness/ab/run.h"
#include "harness/running/progress.h"

namespace aqbench {

// Returns "look 1 of 3: 12/40 units 0:07, 0:21 left  undulating/roma_like/seed=42", at most `columns` wide.
std::string ab_progress_text(const AbProgress& progress, int columns);

// Shows the progress: on a terminal as one line that is rewritten, elsewhere as a line each minute, so that a
// log shows that the run goes on.
class AbDisplay {
 public:
  explicit AbDisplay(const SweepDisplay::Options& options) : options_(options) {}
  // Removes the line from the terminal.
  ~AbDisplay();
  AbDisplay(const AbDisplay&) = delete;
  AbDisplay& operator=(const AbDisplay&) = delete;

  // Returns the callback for run_ab(); the display must outlive it.
  AbProgressCallback callback();

 private:
  void write(const std::string& text) const;

  SweepDisplay::Options options_;
  bool shown_ = false;
  SteadyClock::time_point last_line_ = SteadyClock::now();
};

}  // namespace aqbench
