#include "pipeline/external/declared.h"

#include <fmt/format.h>

#include <string>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/external/command_access.h"
#include "pipeline/external/command_words.h"
#include "pipeline/external/program_run.h"

namespace aqbench {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

Values placeholder_values(const Observation& observation, const MethodInput& input) {
  Values values = {{"dataset", observation.dataset_dir.string()},
                   {"output", output_folder(input).string()},
                   {"threads", std::to_string(thread_count())},
                   {"seed", std::to_string(input.seed)},
                   {"device", input.device},
                   {"project", input.project_dir.string()}};
  for (const auto& [name, value] : input.parameters.items()) values.emplace_back(name, to_string(value));
  return values;
}

std::filesystem::path working_folder(const MethodInput& input) {
  return (input.project_dir / input.declaration->working_folder).lexically_normal();
}

// A value becomes a part of one word, whatever it holds.
std::vector<std::string> declared_words(const MethodInput& input, const Values& values) {
  std::vector<std::string> words = split_command(input.declaration->command);
  for (std::string& word : words) word = with_placeholders(word, values);
  return words;
}

std::vector<std::filesystem::path> reads_of(const MethodInput& input, const std::vector<std::string>& words) {
  const std::filesystem::path folder = working_folder(input);
  std::vector<std::filesystem::path> reads = command_reads(words, folder);
  for (const std::filesystem::path& whole : {input.project_dir, folder}) add_program_folder(whole, reads);
  for (const std::string& path : input.declaration->reads) reads.push_back(input.project_dir / path);
  return reads;
}

}  // namespace

std::vector<std::filesystem::path> declared_reads(const Observation& observation, const MethodInput& input) {
  return reads_of(input, declared_words(input, placeholder_values(observation, input)));
}

Reconstruction run_declared(const Observation& observation, const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const Values values = placeholder_values(observation, input);
  ProgramRun program;
  program.words = declared_words(input, values);
  program.output = output_folder(input);
  program.result = method.result;
  program.stages = method.stages;
  program.depth_maps = method.depth_maps;
  program.metres_per_unit = metres_of(method);
  program.timeout_s = method.timeout_s;
  for (const auto& [name, value] : method.environment)
    program.variables.emplace_back(name, with_placeholders(value, values));
  program.working_folder = working_folder(input);
  std::error_code unknown;
  if (!program.working_folder.empty() && !std::filesystem::is_directory(program.working_folder, unknown))
    throw Error(ErrorKind::usage, fmt::format("method {}: its working folder {} does not exist", method.name,
                                              program.working_folder.string()));
  program.reads = reads_of(input, program.words);
  return run_program(observation, input, program);
}

}  // namespace aqbench
