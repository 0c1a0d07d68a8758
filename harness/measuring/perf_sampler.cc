#include "harness/measuring/perf_sampler.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/processes/process.h"
#include "harness/measuring/symbols.h"

namespace aqbench {
namespace {

constexpr int kControl = 3, kAcknowledge = 4;  // perf's descriptor numbers of the pipes
constexpr int kAnswerWithin_ms = 20'000;

// Converts "ffff8 work(int) (/usr/lib/libx.so)" to work(int), or [libx.so].
std::string perf_frame(std::string_view line) {
  line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t")));
  const std::size_t after_address = line.find(' ');
  const std::size_t file = line.rfind(" (");
  if (after_address == std::string_view::npos || file == std::string_view::npos || file < after_address)
    return "[unknown]";
  std::string_view name = line.substr(after_address + 1, file > after_address ? file - after_address - 1 : 0);
  std::string_view path = line.substr(file + 2, line.size() - file - 3);
  if (name != "[unknown]" && !name.empty()) {
    const std::string readable = readable_function(std::string(name));
    return path == "[kernel.kallsyms]" ? readable + "_[k]" : readable;
  }
  path = path.substr(path.rfind('/') + 1);
  if (path.empty() || path == "[unknown]" || path == "unknown") return "[unknown]";
  return path.front() == '[' ? std::string(path) : fmt::format("[{}]", path);
}

}  // namespace

std::string perf_problem() {
  const ProgramAnswer answer =
      ask_program({"perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"}, 20);
  if (answer.ok) return {};
  std::string paranoid = "?";
  if (std::FILE* const file = std::fopen("/proc/sys/kernel/perf_event_paranoid", "r"); file != nullptr) {
    std::array<char, 16> text{};
    if (std::fgets(text.data(), text.size(), file) != nullptr)
      paranoid = std::string(text.data(), std::strcspn(text.data(), "\n"));
    std::fclose(file);
  }
  return fmt::format(
      "perf cannot sample here (kernel.perf_event_paranoid is {}; needs the package linux-perf and "
      "`sysctl kernel.perf_event_paranoid=1`): {}",
      paranoid, answer.problem);
}

struct PerfSampler::State {
  Pipe control{"a pipe for perf"}, acknowledge{"a pipe for perf"};
  std::string data_file;
  pid_t perf = -1;

  void command(const std::string& what) const {
    const std::string line = what + "\n";
    if (::write(control.write.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
      throw Error(ErrorKind::io, "perf exited unexpectedly");
    pollfd answer{acknowledge.read.get(), POLLIN, 0};
    if (::poll(&answer, 1, kAnswerWithin_ms) != 1) throw Error(ErrorKind::io, "perf does not answer");
    std::array<char, 16> bytes{};
    if (::read(acknowledge.read.get(), bytes.data(), bytes.size()) <= 0)
      throw Error(ErrorKind::io, "perf exited unexpectedly");
  }
  void wait() {
    if (perf > 0) wait_for_end(perf);
    perf = -1;
  }
};

PerfSampler::PerfSampler(double samples_per_s, const std::string& data_file)
    : state_(std::make_unique<State>()) {
  state_->data_file = data_file;
  ProgramStart program({"perf", "record", "-q", "-e", "cpu-clock", "-F", fmt::format("{:.0f}", samples_per_s),
                        "-g", "-D", "-1", "-p", std::to_string(::getpid()),
                        fmt::format("--control=fd:{},{}", kControl, kAcknowledge), "-o", data_file});
  program.give(state_->control.read.get(), kControl);
  program.give(state_->acknowledge.write.get(), kAcknowledge);
  const int status = program.start(state_->perf);
  // Only perf holds its ends of the pipes, so that its exit is noticed.
  state_->control.read.reset();
  state_->acknowledge.write.reset();
  ::signal(SIGPIPE, SIG_IGN);
  if (status != 0) {
    state_->perf = -1;
    throw io_error("perf: {}", std::strerror(status));
  }
}

PerfSampler::~PerfSampler() {
  if (state_->perf <= 0) return;
  ::kill(state_->perf, SIGTERM);
  state_->wait();
}

void PerfSampler::enable() { state_->command("enable"); }

FoldedStacks PerfSampler::finish(const std::string& root) {
  state_->command("disable");
  ::kill(state_->perf, SIGINT);  // it then writes its data
  state_->wait();
  const ProgramAnswer script = ask_program(
      {"perf", "script", "-i", state_->data_file, "-F", "comm,ip,sym,dso", "--max-stack", "120"}, 300);
  if (!script.ok) throw Error(ErrorKind::io, "perf script: " + script.problem);
  return stacks_of_perf_script(script.output, root);
}

FoldedStacks stacks_of_perf_script(std::string_view text, const std::string& root) {
  FoldedStacks stacks;
  std::vector<std::string> frames;  // innermost first
  const auto finish_sample = [&] {
    if (frames.empty()) return;
    std::string stack;
    for (std::size_t i = frames.size(); i-- > 0;) {
      // Callers of the root belong to the harness.
      if (!root.empty() && frames[i].find(root) != std::string::npos) {
        stack.clear();
        continue;
      }
      stack += (stack.empty() ? "" : ";") + frames[i];
    }
    if (!stack.empty()) ++stacks[stack];
    frames.clear();
  };
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty())
      finish_sample();
    else if (line.front() == ' ' || line.front() == '\t')
      frames.push_back(perf_frame(line));
  }
  finish_sample();
  return stacks;
}

}  // namespace aqbench
