#include "core/processes/gpus.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include "core/processes/process.h"
#include "core/resources.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr const char* kProgram = "nvidia-smi";
constexpr double kPatienceS = 60;  // a driver that is not held loaded takes seconds for each GPU

// Returns the path of nvidia-smi; empty if there is none.
std::string path_of_nvidia_smi() {
  std::string path = find_in_path(kProgram);
  return path == kProgram ? std::string() : path;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

// Reads the number at the beginning of a text: "1024 MiB".
std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<std::string> visible_gpus() {
  std::vector<std::string> gpus;
  if (const char* const given = std::getenv("CUDA_VISIBLE_DEVICES")) {
    for (const std::string_view gpu : split_at(given, ',')) {
      const std::string_view name = trimmed(gpu);
      if (name.empty() || name.starts_with('-') || name == "NoDevFiles") break;  // as CUDA reads it
      gpus.emplace_back(name);
    }
    return gpus;
  }
  if (path_of_nvidia_smi().empty()) return gpus;
  const ProgramAnswer answer =
      ask_program({kProgram, "--query-gpu=index", "--format=csv,noheader"}, kPatienceS);
  if (!answer.ok) return gpus;
  for (const std::string_view line : split_at(answer.output, '\n'))
    if (const auto index = leading_number(trimmed(line))) gpus.push_back(std::to_string(*index));
  return gpus;
}

std::optional<std::uint64_t> gpu_bytes_of(std::string_view answer, const std::set<pid_t>& processes) {
  std::optional<std::uint64_t> bytes;
  for (const std::string_view line : split_at(answer, '\n')) {
    const std::size_t comma = line.find(',');
    if (comma == line.npos) continue;
    const auto process = leading_number(trimmed(line.substr(0, comma)));
    const auto mib = leading_number(trimmed(line.substr(comma + 1)));
    if (process && mib && processes.contains(static_cast<pid_t>(*process)))
      bytes = bytes.value_or(0) + (*mib << 20);
  }
  return bytes;
}

GpuMemoryWatch::GpuMemoryWatch() : program_(path_of_nvidia_smi()) {}

GpuMemoryWatch::~GpuMemoryWatch() {
  if (asked_ == 0) return;
  ::kill(asked_, SIGKILL);
  wait_for_end(asked_);
}

void GpuMemoryWatch::look() {
  if (program_.empty()) return;
  for (const pid_t process : descendants_of(::getpid()))
    if (process != asked_) descendants_.insert(process);
  if (asked_ != 0)
    take_answer();
  else if (SteadyClock::now() >= next_)
    ask();
}

void GpuMemoryWatch::ask() {
  Pipe pipe("a pipe from nvidia-smi");
  const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  ProgramStart start({program_, "--query-compute-apps=pid,used_gpu_memory", "--format=csv,noheader,nounits"});
  start.close_stdin();
  start.give(pipe.write.get(), STDOUT_FILENO);
  start.give(nowhere.get(), STDERR_FILENO);
  asked_at_ = SteadyClock::now();
  if (start.start(asked_) != 0) {
    asked_ = 0;
    program_.clear();
    return;
  }
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  answer_ = std::move(pipe.read);
  text_.clear();
}

void GpuMemoryWatch::take_answer() {
  int status = 0;
  const pid_t ended = ::waitpid(asked_, &status, WNOHANG);
  std::array<char, 4096> piece{};
  ssize_t count = 0;
  while ((count = ::read(answer_.get(), piece.data(), piece.size())) > 0)
    text_.append(piece.data(), static_cast<std::size_t>(count));
  if (ended == 0) return;
  asked_ = 0;
  constexpr auto kPause = std::chrono::seconds(1);
  constexpr int kShare = 4;
  const auto now = SteadyClock::now();
  next_ = asked_at_ + std::max<SteadyClock::duration>(kPause, kShare * (now - asked_at_));
  const bool answered = ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  ++(answered ? answers_ : failures_);
  if (!answered) return;
  if (const auto bytes = gpu_bytes_of(text_, descendants_))
    peak_bytes_ = std::max(peak_bytes_.value_or(0), *bytes);
}

std::string GpuMemoryWatch::reason() const {
  if (peak_bytes_) return {};
  if (program_.empty()) return "no nvidia-smi in PATH";
  if (answers_ > 0) return "nvidia-smi named none of its processes";
  return failures_ > 0 ? "nvidia-smi failed" : "it ended before the first sample";
}

}  // namespace aqbench
