#include "tests/cli/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <ranges>
#include <thread>
#include <utility>

namespace aqbench::testing {
namespace {

// The folder of the datasets that tests share, new for each build, so that no old pixels are looked at.
std::filesystem::path shared_cache() {
  namespace fs = std::filesystem;
  fs::file_time_type built = fs::last_write_time(AQBENCH_BINARY);
  for (const auto& entry : fs::directory_iterator(fs::path(AQBENCH_BINARY).parent_path()))
    if (entry.is_regular_file() && entry.path().extension() == ".so")
      built = std::max(built, entry.last_write_time());
  const fs::path caches = fs::path(AQBENCH_BINARY).parent_path() / "cli_test_cache";
  const fs::path own = caches / std::to_string(built.time_since_epoch().count());
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(caches, ignored))
    if (entry.path() != own) fs::remove_all(entry.path(), ignored);
  return own;
}

void signal_when(pid_t child, int signal, const std::function<bool()>& condition) {
  for (int i = 0; i < 6000 && !condition(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, signal);
}

bool g_without_libtorch = false;

// The program that runs. Links to its files in a folder of this process are an installation without LibTorch.
std::string program_file() {
  namespace fs = std::filesystem;
  if (!g_without_libtorch) return AQBENCH_BINARY;
  struct Folder {
    Folder() {
      std::string pattern = (fs::path(AQBENCH_BINARY).parent_path() / "without_libtorch.XXXXXX").string();
      if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
      path = pattern;
      fs::create_hard_link(AQBENCH_BINARY, path / "aqbench");
      for (const char* const module : {"meshes", "images"}) {
        const std::string name = "libaqbench_" + std::string(module) + ".so";
        fs::create_symlink(path.parent_path() / name, path / name);
      }
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path path;
  };
  static const Folder folder;
  return folder.path / "aqbench";
}

[[noreturn]] void become_program(const std::string& program, const std::vector<std::string>& arguments,
                                 const ProgramOptions& options, const std::string& out,
                                 const std::string& err) {
  std::signal(SIGINT, SIG_DFL);  // ignored where a shell starts the tests in the background
  if (!options.working_dir.empty() && ::chdir(options.working_dir.c_str()) != 0) ::_exit(127);
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
  ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
  if (options.file_size_limit_bytes >= 0) {
    const auto limit = static_cast<rlim_t>(options.file_size_limit_bytes);
    const rlimit both{limit, limit};
    ::setrlimit(RLIMIT_FSIZE, &both);
    std::signal(SIGXFSZ, SIG_DFL);  // as a shell leaves it
  }
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

Arguments words_of(std::string_view line, const Arguments& values) {
  Arguments words;
  auto value = values.begin();
  for (const auto part : std::views::split(line, ' ')) {
    std::string word(part.begin(), part.end());
    const std::size_t place = word.find("{}");
    if (place != std::string::npos && value != values.end()) word.replace(place, 2, *value++);
    words.push_back(std::move(word));
  }
  EXPECT_TRUE(value == values.end()) << line;
  return words;
}

Arguments with(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramOptions& options) {
  const TemporaryDir scratch;
  const std::string out = options.stdout_to.empty() ? (scratch / "out").string() : options.stdout_to;
  const std::string err = (scratch / "err").string();
  static const std::string cache = shared_cache().string();
  // Where the program remembers its runs: the tests' own, not the user's. Made before the fork, for all runs.
  static const TemporaryDir state;
  const std::string program = program_file();
  const pid_t child = ::fork();
  if (child == 0) ::setenv("AQBENCH_CACHE_DIR", cache.c_str(), 0);
  if (child == 0) ::setenv("XDG_STATE_HOME", state.path().c_str(), 0);
  if (child == 0) ::setenv("XDG_CONFIG_HOME", state.path().c_str(), 0);
  if (child == 0) become_program(program, arguments, options, out, err);
  if (options.interrupt_when) signal_when(child, SIGINT, options.interrupt_when);
  if (options.kill_when) signal_when(child, SIGKILL, options.kill_when);
  int status = 0;
  ::waitpid(child, &status, 0);
  ProgramResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (options.stdout_to.empty()) result.out = read_file(out);
  result.err = read_file(err);
  return result;
}

WithoutLibTorch::WithoutLibTorch() { g_without_libtorch = true; }
WithoutLibTorch::~WithoutLibTorch() { g_without_libtorch = false; }

std::filesystem::path only_bundle(const std::filesystem::path& out) {
  std::vector<std::filesystem::path> found;
  if (std::filesystem::exists(out))
    for (const auto& entry : std::filesystem::directory_iterator(out)) found.push_back(entry.path());
  EXPECT_EQ(found.size(), 1u) << "bundles below " << out;
  return found.empty() ? std::filesystem::path() : found.front();
}

double metric_of(const nlohmann::json& document, const std::string& name) {
  return document.at("records").at(0).at("metrics").at(name).at("value").get<double>();
}

void write_text(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

void write_program(const std::filesystem::path& path, std::string_view text) {
  write_text(path, text);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

std::string shell_cloud(const std::string& file, const std::vector<std::string>& points) {
  std::string text = fmt::format(
      "printf 'ply\\nformat ascii 1.0\\nelement vertex {}\\nproperty float x\\nproperty float y\\n"
      "property float z\\nend_header\\n' >{}\n",
      points.size(), file);
  for (const std::string& point : points) text += fmt::format("echo {} >>{}\n", point, file);
  return text;
}

std::string shell_plane(const std::string& file, const std::string& z, double metre) {
  std::vector<std::string> points;
  for (const auto& [x, y] : {std::pair(0.0, 0.0), {0.01, 0.0}, {0.0, 0.01}, {0.012, 0.009}})
    points.push_back(fmt::format("{} {} {}", x * metre, y * metre, z));
  return shell_cloud(file, points);
}

ProgramResult exits(const ProgramResult& result, int code, const Where& where) {
  const ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "the program");
  EXPECT_EQ(result.exit_code, code) << result.err << result.out;
  return result;
}

ProgramResult succeeded(const ProgramResult& result, const Where& where) { return exits(result, 0, where); }

void expect_mistake(const ProgramResult& result, const std::string& why, const Where& where) {
  const ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "the program");
  EXPECT_THAT(exits(result, 2, where).err, ::testing::HasSubstr(why));
}

void expect_refused(const ProgramResult& result, const std::string& why, const Where& where) {
  const ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "the program");
  expect_mistake(result, why, where);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_EQ(result.out, "");
}

std::size_t bundle_lines(const std::filesystem::path& out, const std::string& file) {
  std::error_code none;
  for (const auto& bundle : std::filesystem::directory_iterator(out, none)) {
    std::ifstream text(bundle.path() / file);
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(text), {}, '\n'));
  }
  return 0;
}

}  // namespace aqbench::testing
