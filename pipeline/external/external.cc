#include "pipeline/external/external.h"

#include <system_error>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/external/command_access.h"
#include "pipeline/external/command_problem.h"
#include "pipeline/external/command_words.h"
#include "pipeline/external/guest_parts.h"

namespace aqbench {
namespace {

std::vector<std::string> command_words(const std::string& dataset, const MethodInput& input,
                                       const std::string& output) {
  const std::string& command = input.parameters.text("command");
  if (command.find("{output}") == std::string::npos)
    throw Error(ErrorKind::usage,
                command.empty()
                    ? "external.command is empty; add --set 'external.command=PROGRAM {dataset} {output}'"
                    : "external.command lacks {output}, the folder for its cloud");
  std::vector<std::string> words = split_command(command);
  for (std::string& word : words)
    word = fill_placeholders(
        word, {{"dataset", dataset}, {"output", output}, {"threads", std::to_string(thread_count())}});
  return words;
}

}  // namespace

std::vector<ParameterSpec> external_parameters() {
  return {text_parameter("command", "",
                         "program and arguments with {dataset}, {output} and {threads}; split at blanks, "
                         "quotes group words, no shell"),
          text_parameter("result", "cloud.ply", "cloud or mesh written by the command, relative to {output}"),
          number_parameter("timeout_s", "s", 540.0, 0.01, 1e6,
                           "time limit; must be below the sweep's --timeout")};
}

std::vector<std::filesystem::path> external_reads(const Observation& observation, const MethodInput& input) {
  return command_reads(command_words(observation.dataset_dir.string(), input, output_folder(input).string()));
}

std::vector<GuestPart> external_guest(const MethodInput& input) {
  const std::string unknown(1, kUnknownWord);
  std::error_code error;
  return command_parts(command_words(unknown, input, unknown), {}, std::filesystem::current_path(error));
}

std::vector<std::string> external_stages() { return {"pipeline", "external_command"}; }

std::string external_problem(const MethodInput& input) {
  const std::string unknown(1, kUnknownWord);
  return command_problem(command_words(unknown, input, unknown), {}, true);
}

ProgramRun external_program(const Observation& seen, const MethodInput& input) {
  ProgramRun program;
  program.output = output_folder(input);
  program.words = command_words(seen.dataset_dir.string(), input, program.output.string());
  program.result = input.parameters.text("result");
  program.timeout_s = input.parameters.number("timeout_s");
  program.reads = command_reads(program.words);
  return program;
}

Reconstruction run_external(const Observation& observation, const MethodInput& input) {
  return run_program(observation, input, external_program(observation, input));
}

}  // namespace aqbench
