#include "harness/ab/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "core/stopwatch.h"
#include "core/text.h"

namespace aqbench {

namespace {
constexpr int kLogColumns = 100;
}  // namespace

std::string ab_progress_text(const AbProgress& progress, int columns) {
  std::string text = fmt::format("{}: {}/{} units {}", progress.phase, progress.done_units,
                                 progress.planned_units, clock_text(progress.elapsed_s));
  if (progress.eta_s) text += fmt::format(", {} left", clock_text(*progress.eta_s));
  text += "  " + progress.case_name;
  return one_line(printable(text), static_cast<std::size_t>(std::max(columns, 20)));
}

AbDisplay::~AbDisplay() {
  if (shown_) write("\r\x1b[K");
}

void AbDisplay::write(const std::string& text) const {
  [[maybe_unused]] const ssize_t ignored = ::write(options_.descriptor, text.data(), text.size());
}

AbProgressCallback AbDisplay::callback() {
  if (!options_.live)
    return [this](const AbProgress& progress) {
      const auto now = SteadyClock::now();
      if (now - last_line_ < std::chrono::minutes(1)) return;
      last_line_ = now;
      write(ab_progress_text(progress, kLogColumns) + "\n");
    };
  return [this](const AbProgress& progress) {
    write("\r\x1b[K" + ab_progress_text(progress, options_.columns - 1));
    shown_ = true;
  };
}

}  // namespace aqbench
