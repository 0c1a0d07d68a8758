#include "harness/ab/unit.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/json_members.h"
#include "core/processes/instruction_counter.h"
#include "core/processes/isolate.h"
#include "core/processes/process.h"
#include "core/resources.h"
#include "core/sha256.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/ab_command.h"

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
  std::optional<double> instructions = {};  // where a counter was given and counted
};

std::string path_of(const Descriptor& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

std::size_t size_of(const Descriptor& file) {
  return static_cast<std::size_t>(std::max<off_t>(::lseek(file.get(), 0, SEEK_END), 0));
}

// At most so many bytes of what was written to the file from a place on.
std::string bytes_of(const Descriptor& file, std::size_t most, std::size_t from = 0) {
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t count =
        ::pread(file.get(), text.data() + size, most - size, static_cast<off_t>(from + size));
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  text.resize(size);
  return text;
}

// The last bytes of what was written to the file, on one line.
std::string tail_of(const Descriptor& file) {
  constexpr std::size_t kTailBytes = 400;
  const std::size_t size = size_of(file);
  std::string text = one_line(bytes_of(file, kTailBytes, size - std::min(size, kTailBytes)));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

double milliseconds(const timeval& time) {
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
}

// Where the output of a line goes.
struct Streams {
  Descriptor output = memory_file("output"), errors = memory_file("errors"), report = memory_file("report");
};

// The report of Google Benchmark; given last, so that the number is not one of the others'.
constexpr int kReportNumber = 9;
constexpr const char* kReportPath = "/proc/self/fd/9";

// Runs a line in a shell to its end. This process's working directory is the line's.
ShellRun run_line(const std::string& line, const Variables& variables, const Streams& streams,
                  bool reports = false, InstructionCounter* counter = nullptr) {
  ProgramStart program({"/bin/sh", "-c", line});
  for (const auto& [name, value] : variables) program.set_variable(name, value);
  program.close_stdin();
  program.reset_sigpipe();
  program.give(streams.output.get(), STDOUT_FILENO);
  program.give(streams.errors.get(), STDERR_FILENO);
  if (reports) program.give(streams.report.get(), kReportNumber);
  reset_resident_peak();  // a new process inherits it as its own
  pid_t process = -1;
  if (counter != nullptr) counter->start();
  const auto start = SteadyClock::now();
  if (const int error = program.start(process); error != 0)
    throw std::runtime_error(fmt::format("/bin/sh: {}", std::strerror(error)));
  ShellRun run;
  struct rusage usage {};
  while (::wait4(process, &run.status, 0, &usage) < 0 && errno == EINTR) {
  }
  run.wall_ms = 1e3 * seconds_since(start);
  if (counter != nullptr) run.instructions = counter->stop();
  run.cpu_ms = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  run.peak_memory_mib = static_cast<double>(usage.ru_maxrss) / 1024;
  return run;
}

constexpr std::size_t kReportHead = 65536;  // of an output that may be a report
constexpr std::size_t kMaxReportBytes = std::size_t{64} << 20;

// The report that the program wrote; where it wrote none, what it printed from the first brace on.
std::string gbench_json(const Streams& streams) {
  const auto whole = [](const Descriptor& file) {
    return bytes_of(file, std::min(kMaxReportBytes, size_of(file)));
  };
  std::string report = whole(streams.report);
  if (!report.empty()) return report;
  report = whole(streams.output);
  return report.substr(std::min(report.find('{'), report.size()));
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
  const Streams streams;
  const ShellRun run = run_line(line, variables, streams);
  if (run.status == 0) return;
  const std::string errors = tail_of(streams.errors),
                    tail = errors.empty() ? tail_of(streams.output) : errors;
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
  CommandUnit(const AbCommand& command, const CommandUnitPlan& plan) : command_(command), plan_(plan) {}

  // Returns the unit as JSON text. Throws CommandFailure.
  std::string run() {
    if (::chdir(command_.folder.c_str()) != 0)
      throw CommandFailure(fmt::format("{}: {}", command_.folder, std::strerror(errno)));
    if (plan_.rules.instructions && !plan_.rules.gbench) counter_.emplace();
    for (int i = 0; i < plan_.warmup + plan_.runs; ++i) run_once(i);
    std::string joined;
    for (const std::string& hash : hashes_) joined += hash;
    unit_.case_name = "command";  // until the comparison names it
    unit_.output_sha256 = hashes_.size() == 1 ? *hashes_.begin() : sha256_hex(joined);
    if (plan_.rules.gbench) unit_.output_sha256.clear();
    if (!cpu_ms_.empty()) unit_.unit->outcomes.push_back({kCpuOutcome, cpu_ms_});
    unit_.unit->outcomes.push_back({kMemoryOutcome, memory_mib_});
    if (!instructions_.empty() && instructions_.size() == unit_.timing.warm_ms.size())
      unit_.unit->outcomes.push_back({kInstructionsOutcome, instructions_});
    return compact_json(Json{{"unit", to_json(unit_)},
                             {"benchmarks", JsonOf<std::vector<GbenchTimes>>::write(benchmarks_, 0, {})},
                             {"prints_gbench_report", prints_gbench_report_}});
  }

 private:
  void run_once(int number) {
    run_untimed("prepare command", command_.prepare, command_.environment);
    age_output(plan_.rules.compare_output);
    const Streams streams;
    const std::string line = plan_.rules.gbench
                                 ? gbench_line(command_.line, plan_.benchmark, kReportPath, plan_.rules)
                                 : command_.line;
    const ShellRun run =
        run_line(line, command_.environment, streams, plan_.rules.gbench, counter_ ? &*counter_ : nullptr);
    if (!WIFEXITED(run.status) || (run.status != 0 && !plan_.rules.any_exit_code)) {
      const std::string tail = tail_of(streams.errors);
      throw CommandFailure(fmt::format("{}{}{}", end_text(run.status), tail.empty() ? "" : ": ", tail));
    }
    if (plan_.rules.gbench) return take_benchmarks(number, run, streams);
    prints_gbench_report_ = prints_gbench_report_ || is_gbench_report(bytes_of(streams.output, kReportHead));
    std::string hash = plan_.rules.compare_output.empty() ? sha256_file_hex(path_of(streams.output))
                                                          : hash_of_file(plan_.rules.compare_output);
    if (plan_.rules.any_exit_code)
      hash = sha256_hex(fmt::format("{} exit code {}", hash, WEXITSTATUS(run.status)));
    hashes_.insert(hash);
    if (number < plan_.warmup) {
      if (number == 0) unit_.timing.cold_ms = run.wall_ms;
      return;
    }
    unit_.timing.warm_ms.push_back(run.wall_ms);
    cpu_ms_.push_back(std::max(run.cpu_ms, kClockMs));
    memory_mib_.push_back(run.peak_memory_mib);
    if (run.instructions) instructions_.push_back(*run.instructions);
  }

  // Takes what the run measured itself: of the one benchmark that was asked for its times in place of the
  // run's.
  void take_benchmarks(int number, const ShellRun& run, const Streams& streams) {
    const std::string report = gbench_json(streams);
    try {
      benchmarks_ = read_gbench_report(report, "report");
    } catch (const Error& error) {
      throw CommandFailure(fmt::format("gave no report of Google Benchmark as JSON: {}", error.what()));
    }
    std::vector<double>&warm_ms = unit_.timing.warm_ms, &cpu_ms = unit_.timing.cpu_ms;
    memory_mib_.push_back(run.peak_memory_mib);
    if (plan_.benchmark.empty()) return warm_ms.push_back(run.wall_ms);
    const auto found = std::ranges::find(benchmarks_, plan_.benchmark, &GbenchTimes::name);
    if (found == benchmarks_.end() || (found->real_ms.empty() && found->error.empty()))
      throw CommandFailure(fmt::format("did not measure {}", plan_.benchmark));
    if (!found->error.empty()) throw CommandFailure(fmt::format("{}: {}", plan_.benchmark, found->error));
    if (number >= plan_.warmup) {
      warm_ms.insert(warm_ms.end(), found->real_ms.begin(), found->real_ms.end());
      cpu_ms.insert(cpu_ms.end(), found->cpu_ms.begin(), found->cpu_ms.end());
      instructions_.insert(instructions_.end(), found->instructions.begin(), found->instructions.end());
    } else if (number == 0)
      unit_.timing.cold_ms = found->real_ms.front();
    benchmarks_.clear();
  }

  const AbCommand& command_;
  const CommandUnitPlan& plan_;
  std::vector<GbenchTimes> benchmarks_;
  bool prints_gbench_report_ = false;
  Record unit_ = unit_record();
  std::optional<InstructionCounter> counter_;  // of commands, where they are to be counted
  std::vector<double> cpu_ms_, memory_mib_, instructions_;
  std::set<std::string> hashes_;
};

CommandAnswer command_answer(const std::string& text) {
  const Json json = parse_strict_json(text, "unit", kMessageJson);
  const JsonPlace place(json, "unit");
  return {record_from_json(place.at("unit").value(), "unit"),
          from_json<std::vector<GbenchTimes>>(place.at("benchmarks")),
          place.at("prints_gbench_report").boolean()};
}

}  // namespace

std::optional<CommandAnswer> run_command_unit(const AbCommand& command, const CommandUnitPlan& plan,
                                              const UnitLimits& limits) {
  const IsolateOutcome outcome =
      run_isolated([&] { return CommandUnit(command, plan).run(); }, limits.process);
  if (outcome.end == IsolateOutcome::End::cancelled) return std::nullopt;
  if (outcome.end != IsolateOutcome::End::ok) {
    const Status status = outcome.end == IsolateOutcome::End::timeout ? Status::timeout : Status::failed;
    return CommandAnswer{failed_unit(status, describe(outcome, limits.process)).record};
  }
  return command_answer(outcome.result);
}

}  // namespace aqbench
