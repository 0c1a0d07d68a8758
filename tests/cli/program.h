#pragma once
// Runs the built program as a user would. Tests may run side by side in several processes (shards): each has
// folders of its own, and rendered datasets come from one cache, which the program locks.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tests/temporary_directory.h"

namespace aqbench::testing {

using Arguments = std::vector<std::string>;

// How the program ended and what it printed.
struct ProgramResult {
  int exit_code = -1;  // 128 + signal when killed
  std::string out, err;
};

// What is special about a run of the program.
struct ProgramOptions {
  std::filesystem::path working_dir = {};     // empty: the test's own
  std::function<bool()> interrupt_when = {};  // SIGINT once it returns true (polled for at most a minute)
  std::function<bool()> kill_when = {};       // SIGKILL likewise
  std::string stdout_to = {};                 // a path instead of capturing
  long file_size_limit_bytes = -1;            // RLIMIT_FSIZE, as on a disk that is full beyond it
};

// Runs the program to its end. Its cache of datasets is $AQBENCH_CACHE_DIR where a test sets it, else one
// that all tests of this build share.
ProgramResult run_program(const Arguments& arguments, const ProgramOptions& options = {});

// While one exists, run_program() runs the program as it is without the package of LibTorch: the module
// `pipeline` is missing. Programs of users need none, and loading it is two thirds of a short sweep's time.
class WithoutLibTorch {
 public:
  WithoutLibTorch();
  ~WithoutLibTorch();
  WithoutLibTorch(const WithoutLibTorch&) = delete;
  WithoutLibTorch& operator=(const WithoutLibTorch&) = delete;
};

using TemporaryDir = TemporaryDirectory;

// Returns the only bundle below `out`; fails the test if there is another number of them.
std::filesystem::path only_bundle(const std::filesystem::path& out);

// Returns how many whole lines `file` has in the first bundle below `out`; 0 while there is none.
std::size_t bundle_lines(const std::filesystem::path& out, const std::string& file);

}  // namespace aqbench::testing
