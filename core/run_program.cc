#include "core/run_program.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "core/isolate.h"
#include "core/text.h"

namespace aqbench {
namespace {

[[noreturn]] void become_program(const std::vector<std::string>& argv, int output, int errors) {
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const std::string message = fmt::format("{}: {}\n", argv[0], std::strerror(errno));
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(127);
}

// Reads both pipes to their ends, neither of which may fill up while the other is waited for.
void drain(std::array<int, 2> descriptors, std::array<std::string, 2>& texts) {
  std::array<pollfd, 2> waits{{{descriptors[0], POLLIN, 0}, {descriptors[1], POLLIN, 0}}};
  std::array<char, 4096> buffer{};
  while (waits[0].fd >= 0 || waits[1].fd >= 0) {
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].fd < 0 || waits[i].revents == 0) continue;
      const ssize_t count = ::read(waits[i].fd, buffer.data(), buffer.size());
      if (count > 0)
        texts[i].append(buffer.data(), static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        waits[i].fd = -1;
    }
  }
}

// In a child, whose group is killed when time is up: simple and blocking.
std::string capture(const std::vector<std::string>& argv) {
  std::array<int, 2> output{}, errors{};
  if (::pipe(output.data()) != 0 || ::pipe(errors.data()) != 0) throw std::runtime_error("no pipe");
  const pid_t program = ::fork();
  if (program < 0) throw std::runtime_error("no process");
  if (program == 0) become_program(argv, output[1], errors[1]);
  ::close(output[1]);
  ::close(errors[1]);
  std::array<std::string, 2> texts;
  drain({output[0], errors[0]}, texts);
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return texts[0];
  const std::string said = one_line(texts[1]);
  if (WIFSIGNALED(status))
    throw std::runtime_error(fmt::format("{} died of signal {} ({}){}{}", argv[0], WTERMSIG(status),
                                         ::strsignal(WTERMSIG(status)), said.empty() ? "" : ": ", said));
  throw std::runtime_error(
      said.empty() ? fmt::format("{} failed with exit code {}", argv[0], WEXITSTATUS(status)) : said);
}

}  // namespace

ProgramAnswer ask_program(const std::vector<std::string>& argv, double timeout_s) {
  IsolateOptions options;
  options.timeout_s = timeout_s;
  options.result_limit_bytes = std::uint64_t{16} << 20;
  return ask_program(argv, options);
}

ProgramAnswer ask_program(const std::vector<std::string>& argv, const IsolateOptions& options) {
  IsolateOutcome outcome = run_isolated([&] { return capture(argv); }, options);
  ProgramAnswer answer;
  answer.end = outcome.end;
  answer.ok = outcome.end == IsolateOutcome::End::ok;
  answer.output = std::move(outcome.result);
  if (!answer.ok) answer.problem = describe(outcome, options);
  return answer;
}

}  // namespace aqbench
