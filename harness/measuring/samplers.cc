#include "harness/measuring/samplers.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/processes/process.h"
#include "core/text.h"

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

std::string folded_text(const FoldedStacks& stacks) {
  std::string text;
  for (const auto& [stack, count] : stacks) text += stack + ' ' + std::to_string(count) + '\n';
  return text;
}

FoldedStacks read_folded(std::string_view text, const std::string& source) {
  FoldedStacks stacks;
  std::size_t number = 0;
  for (const std::string_view line : split_at(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    const std::size_t blank = line.rfind(' ');
    const auto count = parse_whole<std::uint64_t>(line.substr(blank + 1));  // npos + 1 is 0
    if (!count || blank == 0 || blank == line.npos)
      throw input_error("{}:{}: expected 'STACK COUNT'", source, number);
    stacks[std::string(line.substr(0, blank))] += *count;
  }
  return stacks;
}

std::uint64_t sample_count(const FoldedStacks& stacks) {
  std::uint64_t count = 0;
  for (const auto& [stack, samples] : stacks) count += samples;
  return count;
}

std::vector<std::string_view> functions_of(std::string_view stack) { return split_at(stack, ';'); }

bool is_unresolved(std::string_view function) {
  return function.size() > 2 && function.front() == '[' && function.back() == ']';
}

std::string perf_problem() {
  const ProgramAnswer answer =
      ask_program({"perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"}, 20);
  if (answer.ok) return {};
  std::string paranoid = "?";
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> paranoid;
  return fmt::format(
      "perf cannot sample here (kernel.perf_event_paranoid is {}; needs the package linux-perf and "
      "`sysctl kernel.perf_event_paranoid=1`): {}",
      paranoid, answer.problem);
}

void PerfSampler::command(const std::string& what) const {
  const std::string line = what + "\n";
  if (::write(control_.write.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw io_error("perf exited unexpectedly");
  pollfd answer{acknowledge_.read.get(), POLLIN, 0};
  if (::poll(&answer, 1, kAnswerWithin_ms) != 1) throw io_error("perf does not answer");
  std::array<char, 16> bytes{};
  if (::read(acknowledge_.read.get(), bytes.data(), bytes.size()) <= 0)
    throw io_error("perf exited unexpectedly");
}

void PerfSampler::wait() {
  if (perf_ > 0) wait_for_end(perf_);
  perf_ = -1;
}

PerfSampler::PerfSampler(double samples_per_s, const std::string& data_file) : data_file_(data_file) {
  ProgramStart program({"perf", "record", "-q", "-e", "cpu-clock", "-F", fmt::format("{:.0f}", samples_per_s),
                        "-g", "-D", "-1", "-p", std::to_string(::getpid()),
                        fmt::format("--control=fd:{},{}", kControl, kAcknowledge), "-o", data_file});
  program.give(control_.read.get(), kControl);
  program.give(acknowledge_.write.get(), kAcknowledge);
  const int status = program.start(perf_);
  // Only perf holds its ends of the pipes, so that its exit is noticed.
  control_.read.reset();
  acknowledge_.write.reset();
  ::signal(SIGPIPE, SIG_IGN);
  if (status == 0) return;
  perf_ = -1;
  throw io_error("perf: {}", std::strerror(status));
}

PerfSampler::~PerfSampler() {
  if (perf_ > 0) ::kill(perf_, SIGTERM);
  wait();
}

void PerfSampler::enable() { command("enable"); }

FoldedStacks PerfSampler::finish(const std::string& root) {
  command("disable");
  ::kill(perf_, SIGINT);  // it then writes its data
  wait();
  const ProgramAnswer script =
      ask_program({"perf", "script", "-i", data_file_, "-F", "comm,ip,sym,dso", "--max-stack", "120"}, 300);
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
