#pragma once
// Runs the built program as a user would. Tests may run side by side in several processes (shards): each has
// folders of its own, and rendered datasets come from one cache, which the program locks.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "tests/temporary_directory.h"

namespace aqbench::testing {

using Arguments = std::vector<std::string>;

// The words of a command line, which stand between its blanks. Each {} in it becomes the next of `values`,
// which may hold blanks.
Arguments words_of(std::string_view line, const Arguments& values);
template <class... Values>
Arguments words(std::string_view line, const Values&... values) {
  return words_of(line, {std::string(values)...});
}

Arguments with(Arguments first, const Arguments& more);

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

template <class... Values>
ProgramResult run_line(std::string_view line, const Values&... values) {
  return run_program(words(line, values...));
}

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

using Where = std::source_location;  // the line of the test that failures name

// Expects that the program ended with this exit code, or with 0; returns what it printed.
ProgramResult exits(const ProgramResult& result, int code, const Where& where = Where::current());
ProgramResult succeeded(const ProgramResult& result, const Where& where = Where::current());

// Returns the document in a file, and the one that a successful run printed.
template <class Json = nlohmann::json>
Json json_file(const std::filesystem::path& path) {
  return Json::parse(read_file(path));
}
template <class Json = nlohmann::json>
Json document_of(const ProgramResult& result, const Where& where = Where::current()) {
  return Json::parse(succeeded(result, where).out);
}

// The value of a metric of the only record.
double metric_of(const nlohmann::json& document, const std::string& name);

void write_text(const std::filesystem::path& path, std::string_view text);

// Writes a program with this text, such as a shell script.
void write_program(const std::filesystem::path& path, std::string_view text);

// A part of a shell script that writes a point cloud into a file, "$2/cloud.ply"; of each point x, y and z.
std::string shell_cloud(const std::string& file, const std::vector<std::string>& points);
// The same of four points of a plane, so that no value of it is undefined. `metre`: units in a metre.
std::string shell_plane(const std::string& file, const std::string& z, double metre = 1);

// Expects a mistake of the user: exit code 2 and, among what it printed, why.
void expect_mistake(const ProgramResult& result, const std::string& why,
                    const Where& where = Where::current());

// Expects one line that says why, and nothing else.
void expect_refused(const ProgramResult& result, const std::string& why,
                    const Where& where = Where::current());

// Returns how many whole lines `file` has in the first bundle below `out`; 0 while there is none.
std::size_t bundle_lines(const std::filesystem::path& out, const std::string& file);

}  // namespace aqbench::testing
