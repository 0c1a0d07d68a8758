#include "aqbench/evaluate.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "aqbench/failure.h"
#include "aqbench/hidden.h"
#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/module.h"
#include "core/processes/process.h"
#include "core/text.h"

namespace aqbench::v1 {
namespace {

namespace fs = std::filesystem;

// A file in memory, which the program gets under the same number.
struct MemoryFile {
  Descriptor descriptor;
  std::string path;

  explicit MemoryFile(const std::string& name) : descriptor(::memfd_create(name.c_str(), MFD_CLOEXEC)) {
    if (descriptor.get() < 0) throw Error(ErrorKind::io, name + ": " + std::strerror(errno));
    path = fmt::format("/proc/self/fd/{}", descriptor.get());
  }

  template <class Value>
  void append(std::span<const Value> values) {
    const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    if (const int error = write_all(descriptor.get(), bytes); error != 0) throw_file_error(path, error);
  }
};

void check_lengths(const Geometry& given) {
  if (given.points.size() % 3 != 0) throw Failure(2, given.name + ": must hold n x 3 values");
  if (!given.normals.empty())
    require_length(given.name + ": normals", given.normals.size(), given.points.size());
  if (given.triangles.size() % 3 != 0) throw Failure(2, given.name + ": triangles: must hold m x 3 indices");
}

// Appends corresponding rows of the two, at most some thousand at a time.
template <class Row>
void append_rows(MemoryFile& file, std::size_t rows, const Row& row) {
  std::string block;
  for (std::size_t i = 0; i < rows; ++i) {
    row(i, block);
    if (block.size() < (1U << 20) && i + 1 < rows) continue;
    file.append(std::span<const char>(block));
    block.clear();
  }
}

// Writes PLY of float64, so that no bit is lost.
MemoryFile file_of(const Geometry& given) {
  check_lengths(given);
  MemoryFile file(given.name);
  const std::size_t points = given.points.size() / 3, triangles = given.triangles.size() / 3;
  std::string head = fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", points);
  for (const char* const name : {"x", "y", "z", "nx", "ny", "nz"})
    if (name[1] == '\0' || !given.normals.empty()) head += fmt::format("property double {}\n", name);
  if (triangles > 0)
    head += fmt::format("element face {}\nproperty list uchar uint vertex_indices\n", triangles);
  file.append(std::span<const char>(head += "end_header\n"));
  const auto append_values = [](std::string& block, const auto* values) {
    block.append(reinterpret_cast<const char*>(values), 3 * sizeof *values);
  };
  if (given.normals.empty())
    file.append(given.points);
  else
    append_rows(file, points, [&](std::size_t i, std::string& block) {
      append_values(block, &given.points[3 * i]);
      append_values(block, &given.normals[3 * i]);
    });
  append_rows(file, triangles, [&](std::size_t i, std::string& block) {
    block += '\3';
    append_values(block, &given.triangles[3 * i]);
  });
  return file;
}

// Returns what stands in a file, with the names of geometries for their paths.
std::string text_of(const MemoryFile& file, const std::vector<MemoryFile>& files,
                    std::span<const Geometry> geometries) {
  std::string text = read_file(file.path);
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t at = 0; (at = text.find(files[i].path, at)) != text.npos; ++at)
      if (const std::size_t end = at + files[i].path.size();
          end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0)
        text.replace(at, files[i].path.size(), geometries[i].name);
  return text;
}

// Runs the program, which inherits these files, and returns its exit code as a shell reports it.
int run(const std::vector<std::string>& words, const std::vector<MemoryFile>& files, const MemoryFile& output,
        const MemoryFile& errors) {
  ProgramStart start(words);
  start.close_stdin();
  start.give(output.descriptor.get(), STDOUT_FILENO);
  start.give(errors.descriptor.get(), STDERR_FILENO);
  for (const MemoryFile& file : files) start.give(file.descriptor.get(), file.descriptor.get());
  pid_t process = -1;
  if (const int error = start.start(process); error != 0)
    throw Failure(3, fmt::format("{}: {}", words.front(), std::strerror(error)));
  const int status = wait_for_end(process);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<Metric> metrics_in(const std::string& text) {
  std::vector<Metric> metrics;
  const Json json = parse_strict_json(text, "aqbench eval");
  if (!json.contains("records")) return metrics;
  for (const auto& [name, metric] : json["records"][0]["metrics"].items()) {
    const Json& value = metric.at("value");
    metrics.push_back({name, metric.at("unit").get<std::string>(),
                       value.is_null() ? std::nullopt : std::optional(value.get<double>()),
                       metric.value("reason", ""), metric.value("better", "equal")});
  }
  return metrics;
}

}  // namespace

std::string program() {
  if (const char* const named = std::getenv("AQBENCH_PROGRAM"); named != nullptr && *named != '\0')
    return named;
  const fs::path folder = own_file().parent_path();
  const auto is_program = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  // A build folder; the wheel's or an installation's lib/; Debian's lib/x86_64-linux-gnu/.
  for (const char* const place : {"aqbench", "../bin/aqbench", "../../bin/aqbench"})
    if (const fs::path file = (folder / place).lexically_normal(); is_program(file)) return file;
  if (std::string found = find_in_path("aqbench"); found.find('/') != found.npos) return found;
  throw Failure(2, "the program aqbench is not on the PATH; install the wheel or the package aqbench");
}

Evaluation evaluate(std::vector<std::string> arguments, std::span<const Geometry> geometries) {
  return with_failures([&] {
    std::vector<MemoryFile> files;
    for (const Geometry& geometry : geometries) {
      if (std::ranges::count(arguments, geometry.name) != 1 ||
          geometry.name.find_first_of("\"\\") != std::string::npos)
        throw Failure(2,
                      geometry.name + ": must be one of the arguments, once, without quotes and backslashes");
      files.push_back(file_of(geometry));
      std::ranges::replace(arguments, geometry.name, files.back().path);
    }
    arguments.insert(arguments.begin(), {program(), "eval"});
    arguments.push_back("--json");
    const MemoryFile output("output"), errors("errors");
    const int code = run(arguments, files, output, errors);
    std::string said = text_of(errors, files, geometries);
    while (said.ends_with('\n')) said.pop_back();
    Evaluation found;
    if (!said.empty())
      for (const std::string_view line : split_at(said, '\n')) found.notes.emplace_back(line);
    if (code != 0) {
      std::string line =
          found.notes.empty() ? fmt::format("aqbench ended with exit code {}", code) : found.notes.back();
      for (const std::string_view start : {"aqbench: ", "error: "})
        if (line.starts_with(start)) line.erase(0, start.size());
      throw Failure(code, line);
    }
    found.json = text_of(output, files, geometries);
    found.metrics = metrics_in(found.json);
    return found;
  });
}

}  // namespace aqbench::v1
