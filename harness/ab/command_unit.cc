#include "harness/ab/command_unit.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/json.h"
#include "core/processes/isolate.h"
#include "core/processes/process.h"
#include "core/resources.h"
#include "core/sha256.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/layout.h"

namespace aqbench {
namespace {

constexpr double kClockMs = 1e-3;  // of processor times; less than that cannot be told from nothing

using Variables = std::vector<std::pair<std::string, std::string>>;

// Fails a unit with a line that says why.
struct CommandFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What one run of a line took.
struct ShellRun {
  int status = 0;  // as waitpid() gives it
  double wall_ms = 0, cpu_ms = 0, peak_memory_mib = 0;
};

// A file in memory that has no name.
Descriptor memory_file(const char* name) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC));
  if (file.get() < 0) throw std::runtime_error(fmt::format("memfd: {}", std::strerror(errno)));
  return file;
}

std::string path_of(const Descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

// The last bytes of what was written to the file, on one line.
std::string tail_of(const Descriptor& file) {
  std::array<char, 400> buffer{};
  const off_t size = ::lseek(file.get(), 0, SEEK_END);
  const off_t start = std::max<off_t>(0, size - static_cast<off_t>(buffer.size()));
  const ssize_t count = ::pread(file.get(), buffer.data(), buffer.size(), start);
  std::string text =
      one_line(std::string_view(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

double milliseconds(const timeval& time) {
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
}

// Runs a line in a shell to its end. This process's working directory is the line's.
ShellRun run_line(const std::string& line, const Variables& variables, int output, int errors) {
  ProgramStart program({"/bin/sh", "-c", line});
  for (const auto& [name, value] : variables) program.set_variable(name, value);
  program.close_stdin();
  program.reset_sigpipe();
  program.give(output, STDOUT_FILENO);
  program.give(errors, STDERR_FILENO);
  reset_resident_peak();  // a new process inherits it as its own
  pid_t process = -1;
  const auto start = SteadyClock::now();
  if (const int error = program.start(process); error != 0)
    throw std::runtime_error(fmt::format("/bin/sh: {}", std::strerror(error)));
  ShellRun run;
  struct rusage usage {};
  while (::wait4(process, &run.status, 0, &usage) < 0 && errno == EINTR) {
  }
  run.wall_ms = 1e3 * seconds_since(start);
  run.cpu_ms = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  run.peak_memory_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return run;
}

std::string end_text(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("died of signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == 127) return "no such command (exit code 127)";
  if (WEXITSTATUS(status) == 126) return "cannot be run (exit code 126)";
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

// Runs a line that is not timed and must end well.
void run_untimed(const char* what, const std::string& line, const Variables& variables) {
  if (line.empty()) return;
  const Descriptor said = memory_file("said");
  const ShellRun run = run_line(line, variables, said.get(), said.get());
  if (run.status == 0) return;
  const std::string tail = tail_of(said);
  throw CommandFailure(
      fmt::format("{} '{}': {}{}{}", what, line, end_text(run.status), tail.empty() ? "" : ": ", tail));
}

// Sets the file's time to the epoch, so that a command that does not write it is found out. A file that is
// not there yet is no problem.
void age_output(const std::string& file) {
  const std::array<timespec, 2> epoch{};
  if (!file.empty()) ::utimensat(AT_FDCWD, file.c_str(), epoch.data(), 0);
}

std::string hash_of_file(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    throw CommandFailure(fmt::format("{}: {} (--compare-output)", file, std::strerror(errno)));
  if (status.st_mtim.tv_sec == 0 && status.st_mtim.tv_nsec == 0)
    throw CommandFailure(file + ": the command did not write it (--compare-output)");
  return sha256_file_hex(file);
}

class CommandUnit {
 public:
  CommandUnit(const AbCommand& command, const CommandUnitPlan& plan)
      : command_(command), plan_(plan), variables_(command.environment) {
    if (plan.layout)
      variables_.emplace_back("AQBENCH_PADDING", std::string(layout_padding(*plan.layout), 'x'));
  }

  // Returns the unit as JSON text. Throws CommandFailure.
  std::string run() {
    if (::chdir(command_.folder.c_str()) != 0)
      throw CommandFailure(fmt::format("{}: {}", command_.folder, std::strerror(errno)));
    if (plan_.relink) {
      Variables variables = command_.environment;
      variables.insert(variables.end(), plan_.relink_variables.begin(), plan_.relink_variables.end());
      run_untimed("link command", command_.relink, variables);
    }
    for (int i = 0; i < plan_.warmup + plan_.runs; ++i) run_once(i);
    std::string joined;
    for (const std::string& hash : hashes_) joined += hash;
    return Json{{"cold_ms", cold_ms_ ? Json(*cold_ms_) : Json(nullptr)},
                {"warm_ms", wall_ms_},
                {"cpu_ms", cpu_ms_},
                {"memory", memory_mib_},
                {"sha256", hashes_.size() == 1 ? *hashes_.begin() : sha256_hex(joined)}}
        .dump();
  }

 private:
  void run_once(int number) {
    run_untimed("prepare command", command_.prepare, variables_);
    age_output(plan_.rules.compare_output);
    const Descriptor output = memory_file("output"), errors = memory_file("errors");
    const ShellRun run = run_line(command_.line, variables_, output.get(), errors.get());
    const bool ended = WIFEXITED(run.status) && (run.status == 0 || plan_.rules.any_exit_code);
    if (!ended) {
      const std::string tail = tail_of(errors);
      throw CommandFailure(fmt::format("{}{}{}", end_text(run.status), tail.empty() ? "" : ": ", tail));
    }
    std::string hash = plan_.rules.compare_output.empty() ? sha256_file_hex(path_of(output))
                                                          : hash_of_file(plan_.rules.compare_output);
    if (plan_.rules.any_exit_code)
      hash = sha256_hex(fmt::format("{} exit code {}", hash, WEXITSTATUS(run.status)));
    hashes_.insert(hash);
    if (number < plan_.warmup) {
      if (number == 0) cold_ms_ = run.wall_ms;
      return;
    }
    wall_ms_.push_back(run.wall_ms);
    cpu_ms_.push_back(std::max(run.cpu_ms, kClockMs));
    memory_mib_.push_back(run.peak_memory_mib);
  }

  const AbCommand& command_;
  const CommandUnitPlan& plan_;
  Variables variables_;
  std::optional<double> cold_ms_;
  std::vector<double> wall_ms_, cpu_ms_, memory_mib_;
  std::set<std::string> hashes_;
};

std::vector<double> numbers_of(const JsonPlace& place) {
  std::vector<double> numbers;
  for (const JsonPlace& number : place.elements()) numbers.push_back(number.number());
  return numbers;
}

AbUnitAnswer command_answer(const std::string& text) {
  const Json json = parse_strict_json(text, "unit", kMessageJson);
  const JsonPlace place(json, "unit");
  AbUnitAnswer answer;
  answer.unit.cold_ms = place.at("cold_ms").number_or_null();
  answer.unit.warm_ms = numbers_of(place.at("warm_ms"));
  answer.unit.output_sha256 = place.at("sha256").text();
  answer.unit.outcomes = {{kCpuOutcome, numbers_of(place.at("cpu_ms"))},
                          {kMemoryOutcome, numbers_of(place.at("memory"))}};
  return answer;
}

}  // namespace

std::optional<AbUnitAnswer> run_command_unit(const AbCommand& command, const CommandUnitPlan& plan,
                                             const UnitLimits& limits) {
  IsolateOptions options;
  options.timeout_s = limits.timeout_s;
  options.memory_limit_bytes = limits.memory_limit_bytes;
  options.cancel_descriptor = limits.cancel_descriptor;
  const IsolateOutcome outcome = run_isolated([&] { return CommandUnit(command, plan).run(); }, options);
  if (outcome.end == IsolateOutcome::End::cancelled) return std::nullopt;
  if (outcome.end != IsolateOutcome::End::ok) {
    const Status status = outcome.end == IsolateOutcome::End::timeout ? Status::timeout : Status::failed;
    return failed_unit(status, describe(outcome, options));
  }
  AbUnitAnswer answer = command_answer(outcome.result);
  answer.unit.layout = plan.layout;
  return answer;
}

std::vector<AbOutcome> command_outcomes() {
  return {{kCpuOutcome, AbOutcome::Kind::cost, "ms"}, {kMemoryOutcome, AbOutcome::Kind::cost, "MiB"}};
}

}  // namespace aqbench
