#pragma once
// Shows the progress of a sweep on stderr.

#include <functional>
#include <string>

#include "harness/running/sweep.h"

namespace aqbench {

// On a terminal: one rewritten line with the remaining time, and a permanent line for every failed case.
// Elsewhere: the lines of failed cases, and after a minute one line a minute.
class SweepDisplay {
 public:
  struct Options {
    bool live = false;  // a line that is rewritten
    bool colours = false;
    int columns = 80;
    int descriptor = 2;
  };
  // Live if stderr is a terminal and TERM is not "dumb"; colours unless NO_COLOR is set (and not empty).
  static Options options_for_stderr();

  explicit SweepDisplay(const Options& options) : options_(options) {}
  ~SweepDisplay();  // removes the live line
  SweepDisplay(const SweepDisplay&) = delete;
  SweepDisplay& operator=(const SweepDisplay&) = delete;

  // The display must outlive them.
  SweepCallbacks callbacks();

  // Shows how far a run is after so many seconds: the text that fits into so many columns.
  void show(double elapsed_s, const std::function<std::string(int columns)>& text);

 private:
  void report(const Record& record);
  void clear();
  void write(const std::string& text) const;

  Options options_;
  bool shown_ = false;
  double next_line_s_ = 0;  // of the run's time: when a log gets its next line
};

// Returns "[3/12] 25 % 0:07, 0:21 left, 1 failed, cold: fusion  undulating/roma_like/seed=43", at most
// `columns` wide.
std::string progress_text(const SweepProgress& progress, const std::string& case_name, int columns);

// Returns a time as minutes and seconds: 7 s is "0:07", 3700 s is "1:01:40".
std::string clock_text(double seconds);

}  // namespace aqbench
