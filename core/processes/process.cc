#include "core/processes/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "core/descriptor.h"
#include "core/text.h"

extern char** environ;

namespace aqbench {
namespace {

constexpr const char* kShell = "/bin/sh";
constexpr std::uint64_t kMaxAnswerBytes = std::uint64_t{16} << 20;

// Preparing a start only allocates memory.
void require_prepared(int error) {
  if (error != 0) throw std::bad_alloc();
}

// Reads both pipes to the end in turn: neither may fill up while the other is read.
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

// Runs in a child whose group is killed at the time limit, so it may block.
std::string capture(const std::vector<std::string>& argv,
                    const std::vector<std::pair<std::string, std::string>>& variables) {
  Pipe output("cannot create a pipe"), errors("cannot create a pipe");
  ProgramStart program(argv);
  for (const auto& [name, value] : variables) program.set_variable(name, value);
  program.give(output.write.get(), STDOUT_FILENO);
  program.give(errors.write.get(), STDERR_FILENO);
  pid_t process = -1;
  if (const int error = program.start(process); error != 0)
    throw std::runtime_error(one_line(fmt::format("{}: {}", argv[0], std::strerror(error))));
  output.write.reset();
  errors.write.reset();
  std::array<std::string, 2> texts;
  drain({output.read.get(), errors.read.get()}, texts);
  const int status = wait_for_end(process);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return texts[0];
  const std::string said = one_line(texts[1]);
  if (WIFSIGNALED(status))
    throw std::runtime_error(fmt::format("{} died of signal {} ({}){}{}", argv[0], WTERMSIG(status),
                                         ::strsignal(WTERMSIG(status)), said.empty() ? "" : ": ", said));
  throw std::runtime_error(
      said.empty() ? fmt::format("{} failed with exit code {}", argv[0], WEXITSTATUS(status)) : said);
}

using Variables = std::vector<std::pair<std::string, std::string>>;

ProgramAnswer run_git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                      const Variables& variables, double timeout_s) {
  arguments.insert(arguments.begin(),
                   {"git", "--no-optional-locks", "--literal-pathspecs", "--no-pager", "-c",
                    "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false",
                    "-c", "protocol.allow=never", "-C", folder.string()});
  IsolateOptions options;
  options.timeout_s = timeout_s;
  options.result_limit_bytes = kMaxAnswerBytes;
  return ask_program(arguments, options, variables);
}

// Adds the variables that switch off the filters with these keys, "filter.NAME.clean", each with a zero byte
// at its end. Any name can stand in a variable, but not on git's command line.
void switch_off_filters(std::string_view keys, Variables& variables) {
  const char* const before = std::getenv("GIT_CONFIG_COUNT");
  std::size_t count = parse_whole<std::size_t>(before == nullptr ? "" : before).value_or(0);
  const auto set = [&](const std::string& key, const char* value) {
    variables.emplace_back(fmt::format("GIT_CONFIG_KEY_{}", count), key);
    variables.emplace_back(fmt::format("GIT_CONFIG_VALUE_{}", count++), value);
  };
  for (const std::string_view key : split_at(keys, '\0')) {
    const std::string filter(key.substr(0, key.rfind('.') + 1));
    if (filter.empty()) continue;
    set(filter + "clean", "");
    set(filter + "process", "");
    set(filter + "required", "false");
  }
  variables.emplace_back("GIT_CONFIG_COUNT", std::to_string(count));
}

}  // namespace

std::string find_in_path(const std::string& name) {
  const char* const path = std::getenv("PATH");
  if (name.find('/') != name.npos || path == nullptr) return name;
  for (const std::string_view folder : split_at(path, ':')) {
    std::string file = folder.empty() ? name : fmt::format("{}/{}", folder, name);
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return name;
}

ProgramStart::ProgramStart(std::vector<std::string> argv) : argv_(std::move(argv)) {
  for (std::string& word : argv_) words_.push_back(word.data());
  words_.push_back(nullptr);
  script_ = find_in_path(argv_[0]);
  script_words_ = {const_cast<char*>(kShell), script_.data()};
  script_words_.insert(script_words_.end(), words_.begin() + 1, words_.end());
  require_prepared(::posix_spawn_file_actions_init(&streams_));
  require_prepared(::posix_spawnattr_init(&attributes_));
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  set_environment(std::move(variables));
}

void ProgramStart::set_environment(std::vector<std::string> variables) {
  variables_ = std::move(variables);
  environment_.clear();
  for (std::string& variable : variables_) environment_.push_back(variable.data());
  environment_.push_back(nullptr);
}

void ProgramStart::keep_variables(const std::function<bool(std::string_view name)>& keep) {
  std::vector<std::string> variables = std::move(variables_);
  std::erase_if(variables, [&](const std::string& variable) {
    return !keep(std::string_view(variable).substr(0, variable.find('=')));
  });
  set_environment(std::move(variables));
}

void ProgramStart::set_variable(const std::string& name, const std::string& value) {
  keep_variables([&](std::string_view other) { return other != name; });
  std::vector<std::string> variables = std::move(variables_);
  variables.push_back(name + "=" + value);
  set_environment(std::move(variables));
}

ProgramStart::~ProgramStart() {
  ::posix_spawn_file_actions_destroy(&streams_);
  ::posix_spawnattr_destroy(&attributes_);
}

void ProgramStart::give(int descriptor, int number) {
  require_prepared(::posix_spawn_file_actions_adddup2(&streams_, descriptor, number));
  given_.emplace_back(descriptor, number);
}

void ProgramStart::close_stdin() {
  require_prepared(::posix_spawn_file_actions_addopen(&streams_, STDIN_FILENO, "/dev/null", O_RDONLY, 0));
  stdin_closed_ = true;
}

void ProgramStart::reset_sigpipe() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes_, &signals);
  ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  sigpipe_reset_ = true;
}

int ProgramStart::start(pid_t& process) const {
  char* const* const environment = environment_.data();
  const int error = ::posix_spawnp(&process, words_[0], &streams_, &attributes_, words_.data(), environment);
  if (error != ENOEXEC) return error;
  return ::posix_spawn(&process, kShell, &streams_, &attributes_, script_words_.data(), environment);
}

int ProgramStart::become() const {
  for (const auto& [descriptor, number] : given_)
    if (::dup2(descriptor, number) < 0) return errno;
  if (stdin_closed_) {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) return errno;
  }
  if (sigpipe_reset_) ::signal(SIGPIPE, SIG_DFL);
  ::execve(script_.c_str(), words_.data(), environment_.data());
  if (errno == ENOEXEC) ::execve(kShell, script_words_.data(), environment_.data());
  return errno;
}

int wait_for_end(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int run_to_end(const std::vector<std::string>& argv) {
  constexpr int cannot_start = 127;
  pid_t process = -1;
  const int error = ProgramStart(argv).start(process);
  if (error == EAGAIN || error == ENOMEM) throw std::runtime_error("cannot create a process");
  if (error != 0) return cannot_start;
  const int status = wait_for_end(process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

ProgramAnswer ask_program(const std::vector<std::string>& argv, double timeout_s) {
  IsolateOptions options;
  options.timeout_s = timeout_s;
  options.result_limit_bytes = kMaxAnswerBytes;
  return ask_program(argv, options);
}

ProgramAnswer ask_program(const std::vector<std::string>& argv, const IsolateOptions& options,
                          const std::vector<std::pair<std::string, std::string>>& variables) {
  IsolateOutcome outcome = run_isolated([&] { return capture(argv, variables); }, options);
  ProgramAnswer answer;
  answer.end = outcome.end;
  answer.ok = outcome.end == IsolateOutcome::End::ok;
  answer.output = std::move(outcome.result);
  if (!answer.ok) answer.problem = describe(outcome, options);
  return answer;
}

ProgramAnswer ask_git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                      double timeout_s) {
  std::vector<std::pair<std::string, std::string>> variables = {{"LC_ALL", "C"}};  // git's words, in English
  if (!arguments.empty() && arguments.front() == "status") {
    arguments.emplace_back("--ignore-submodules=dirty");  // each has a configuration of its own
    const ProgramAnswer filters = run_git(
        folder, {"config", "--null", "--name-only", "--get-regexp", "^filter[.]"}, variables, timeout_s);
    switch_off_filters(filters.output, variables);
  }
  ProgramAnswer answer = run_git(folder, std::move(arguments), variables, timeout_s);
  while (answer.output.ends_with('\n')) answer.output.pop_back();
  return answer;
}

}  // namespace aqbench
