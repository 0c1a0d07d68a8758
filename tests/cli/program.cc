#include "tests/cli/program.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace aqbench::testing {
namespace {

std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const ProgramOptions& options,
                                 const std::string& out, const std::string& err) {
  if (!options.working_dir.empty() && ::chdir(options.working_dir.c_str()) != 0) ::_exit(127);
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
  if (options.file_size_limit_bytes >= 0) {
    const auto limit = static_cast<rlim_t>(options.file_size_limit_bytes);
    const rlimit both{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &both);
    std::signal(SIGXFSZ, SIG_IGN);
  }
  std::vector<char*> argv{const_cast<char*>(AQBENCH_BINARY)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(AQBENCH_BINARY, argv.data());
  ::_exit(127);
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  const TemporaryDir scratch;
  const std::string out = options.stdout_to.empty() ? (scratch / "out").string() : options.stdout_to;
  const std::string err = (scratch / "err").string();
  const pid_t child = ::fork();
  if (child == 0) become_program(arguments, options, out, err);
  const int delay_ms = std::max(options.kill_after_ms, options.interrupt_after_ms);
  if (delay_ms >= 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    ::kill(child, options.kill_after_ms >= 0 ? SIGKILL : SIGINT);
  }
  if (options.interrupt_when) {
    for (int i = 0; i < 1200 && !options.interrupt_when(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(child, SIGINT);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ProgramResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.stdout_to.empty()) result.out = slurp(out);
  result.err = slurp(err);
  return result;
}

TemporaryDir::TemporaryDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "aqbench-cli-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
  path_ = pattern;
}

TemporaryDir::~TemporaryDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path only_bundle(const std::filesystem::path& out) {
  std::vector<std::filesystem::path> found;
  if (std::filesystem::exists(out))
    for (const auto& entry : std::filesystem::directory_iterator(out)) found.push_back(entry.path());
  EXPECT_EQ(found.size(), 1u) << "bundles below " << out;
  return found.empty() ? std::filesystem::path() : found.front();
}

}  // namespace aqbench::testing
