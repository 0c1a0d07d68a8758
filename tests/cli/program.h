#pragma once
// Runs the built program as a user would.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace aqbench::testing {

using Arguments = std::vector<std::string>;

struct ProgramResult {
  int exit_code = -1;  // 128 + signal when killed
  std::string out, err;
};

struct ProgramOptions {
  std::filesystem::path working_dir;          // empty: the test's own
  int kill_after_ms = -1;                     // >= 0: SIGKILL after so long
  int interrupt_after_ms = -1;                // >= 0: SIGINT after so long
  std::function<bool()> interrupt_when = {};  // SIGINT once it gives true (asked for at most a minute)
  std::string stdout_to;                      // a path instead of capturing
  long file_size_limit_bytes = -1;            // RLIMIT_FSIZE, SIGXFSZ ignored: writing fails beyond it
};

ProgramResult run_program(const Arguments& arguments, const ProgramOptions& options = {});

// A folder of this test alone, removed with the object.
class TemporaryDir {
 public:
  TemporaryDir();
  ~TemporaryDir();
  TemporaryDir(const TemporaryDir&) = delete;
  TemporaryDir& operator=(const TemporaryDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// The only bundle below `out`; fails the test if there is another number of them.
std::filesystem::path only_bundle(const std::filesystem::path& out);

}  // namespace aqbench::testing
