#include "harness/running/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";
constexpr std::string_view kRed = "\x1b[31m";
constexpr double kLogLineSeconds = 60;
constexpr int kLogColumns = 160;
constexpr std::string_view kPlain = "\x1b[0m";

bool environment_has(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

int terminal_columns(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

std::string clock_text(double seconds) {
  const auto total = static_cast<long>(std::lround(std::max(seconds, 0.0)));
  return total >= 3600 ? fmt::format("{}:{:02}:{:02}", total / 3600, total / 60 % 60, total % 60)
                       : fmt::format("{}:{:02}", total / 60, total % 60);
}

std::string progress_text(const SweepProgress& progress, const std::string& case_name, int columns) {
  const std::size_t done = progress.index > 0 ? progress.index - 1 : 0;
  std::string text =
      fmt::format("[{}/{}] {} % {}", progress.index, progress.total,
                  progress.total > 0 ? 100 * done / progress.total : 100, clock_text(progress.elapsed_s));
  if (progress.eta_s) text += fmt::format(", {} left", clock_text(*progress.eta_s));
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (!progress.doing.empty()) text += ", " + progress.doing;
  text += "  " + case_name;
  return one_line(printable(text), static_cast<std::size_t>(std::max(columns, 20)));
}

SweepDisplay::Options SweepDisplay::options_for_stderr() {
  const char* const terminal = std::getenv("TERM");
  Options options;
  options.descriptor = STDERR_FILENO;
  options.live = ::isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
  options.colours = options.live && !environment_has("NO_COLOR");
  options.columns = terminal_columns(STDERR_FILENO);
  return options;
}

SweepDisplay::~SweepDisplay() { clear(); }

void SweepDisplay::write(const std::string& text) const {
  // A sweep continues even if its messages cannot be written.
  [[maybe_unused]] const ssize_t ignored = ::write(options_.descriptor, text.data(), text.size());
}

void SweepDisplay::clear() {
  if (!shown_) return;
  write(std::string(kClearLine));
  shown_ = false;
}

void SweepDisplay::show(double elapsed_s, const std::function<std::string(int)>& text) {
  if (options_.live) {
    // One column stays free: writing into the last one makes some terminals break the line.
    write(fmt::format("{}{}", kClearLine, text(options_.columns - 1)));
    shown_ = true;
    return;
  }
  // A rewritten line would be endless in a log: writes one a minute. Shorter runs need none.
  if (elapsed_s < next_line_s_) return;
  next_line_s_ = elapsed_s + kLogLineSeconds;
  if (elapsed_s >= kLogLineSeconds) write(text(kLogColumns) + "\n");
}

void SweepDisplay::report(const Record& record) {
  if (!is_failure(record.status)) return;
  clear();
  write(fmt::format("{}{}{} {}: {}\n", options_.colours ? kRed : "", to_string(record.status),
                    options_.colours ? kPlain : "", printable(record.case_name), printable(record.reason)));
}

SweepCallbacks SweepDisplay::callbacks() {
  SweepCallbacks callbacks;
  callbacks.finished = [this](const SweepProgress&, const Record& record) { report(record); };
  callbacks.started = [this](const SweepProgress& progress, const Case& planned) {
    show(progress.elapsed_s, [&](int columns) { return progress_text(progress, planned.name, columns); });
  };
  callbacks.tick = callbacks.started;
  return callbacks;
}

}  // namespace aqbench
