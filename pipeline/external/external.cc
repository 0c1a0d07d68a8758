#include "pipeline/external/external.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "core/text.h"
#include "pipeline/external/command_access.h"
#include "pipeline/external/command_words.h"
#include "pipeline/external/run_command.h"
#include "scenes/cloud/ply_read.h"

namespace aqbench {
namespace {

// Returns the last line that is not blank, for the reason of a failure; "" if there is none.
std::string last_log_line(const std::filesystem::path& log) {
  constexpr std::streamoff tail_bytes = 4096;
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size <= 0) return {};
  file.seekg(std::max<std::streamoff>(0, size - tail_bytes));
  std::string line, last;
  while (std::getline(file, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return escape_bytes(last.substr(0, 200));
}

std::filesystem::path output_folder(const MethodInput& input) { return input.work_dir / "output"; }

std::vector<std::string> command_words(const Observation& observation, const MethodInput& input,
                                       const std::filesystem::path& output) {
  const std::string& command = input.parameters.text("command");
  if (command.find("{output}") == std::string::npos)
    throw Error(ErrorKind::usage,
                command.empty()
                    ? "external.command is empty: --set 'external.command=PROGRAM {dataset} {output}'"
                    : "external.command has no {output}: where does its cloud go?");
  std::vector<std::string> words = split_command(command);
  for (std::string& word : words)
    word = fill_placeholders(word, {{"dataset", observation.dataset_dir.string()},
                                    {"output", output.string()},
                                    {"threads", std::to_string(thread_count())}});
  return words;
}

void require_success(const CommandOutcome& outcome, const CommandOptions& options) {
  if (outcome.end == CommandOutcome::End::exited && outcome.code == 0) return;
  std::string reason = "the command " + describe(outcome, options);
  if (const std::string line = last_log_line(options.log_file); !line.empty()) reason += "; it said: " + line;
  if (outcome.end == CommandOutcome::End::timeout) throw ProgramFailure(ProgramFailure::How::timeout, reason);
  if (outcome.end == CommandOutcome::End::signalled)
    throw ProgramFailure(ProgramFailure::How::crashed, reason);
  throw Error(ErrorKind::method, reason);
}

Reconstruction read_result(const std::filesystem::path& file, const std::string& name) {
  std::error_code status;
  if (!std::filesystem::exists(file, status))
    throw Error(ErrorKind::method, fmt::format("the command wrote no {} to its output folder", name));
  try {
    PlyFile ply = read_ply(file);
    return {std::move(ply.cloud), std::move(ply.mesh), {}};
  } catch (const Error& error) {
    throw Error(ErrorKind::method, error.what());
  }
}

}  // namespace

std::vector<ParameterSpec> external_parameters() {
  return {
      {.name = "command",
       .unit = "",
       .default_value = std::string(),
       .help =
           "program and arguments with {dataset}, {output} and {threads}; words are cut at blanks, quotes "
           "keep them together, no shell",
       .choices = {}},
      {.name = "result",
       .unit = "",
       .default_value = std::string("cloud.ply"),
       .help = "PLY file that it writes, relative to {output}",
       .choices = {}},
      {.name = "timeout_s",
       .unit = "s",
       .default_value = 540.0,
       .min = 0.01,
       .max = 1e6,
       .help = "killed after that; below the sweep's --timeout",
       .choices = {}}};
}

std::vector<std::filesystem::path> external_reads(const Observation& observation, const MethodInput& input) {
  return command_reads(command_words(observation, input, output_folder(input)));
}

std::vector<std::string> external_stages() { return {"pipeline", "external_command"}; }

Reconstruction run_external(const Observation& observation, const MethodInput& input) {
  const StageScope pipeline("pipeline");
  const std::filesystem::path output = output_folder(input), temporary = input.work_dir / "tmp";
  const std::string& result = input.parameters.text("result");
  const std::vector<std::string> words = command_words(observation, input, output);
  std::error_code failed;
  // Left by an earlier repetition: no old result is read.
  for (const std::filesystem::path& folder : {output, temporary}) {
    std::filesystem::remove_all(folder, failed);
    std::filesystem::create_directories(folder, failed);
    if (failed) throw Error(ErrorKind::io, fmt::format("{}: {}", folder.string(), failed.message()));
  }
  CommandOptions options{.timeout_s = input.parameters.number("timeout_s"),
                         .log_file = input.work_dir / kMethodLog};
  add_system_access(options.access);
  for (const std::filesystem::path& path : command_reads(words)) options.access.readable.push_back(path);
  options.access.readable.push_back(observation.dataset_dir);
  options.access.writable.push_back(output);
  options.access.temporary = temporary;
  {
    const StageScope scope("external_command");
    require_success(run_command(words, options), options);
  }
  return read_result(output / result, result);
}

}  // namespace aqbench
