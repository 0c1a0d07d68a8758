#include "pipeline/external/external.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/parallel.h"
#include "pipeline/method/declaration.h"
#include "scenes/cloud/length_units.h"
#include "scenes/dataset/layouts.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<std::pair<std::string, std::string>>;

// The one file of a camera in a dataset of one frame.
fs::path image_of_camera(const fs::path& dataset, const std::string& camera) {
  for (const fs::path& file : entries_of(dataset / "images" / camera))
    if (file.stem() == "000000") return file;
  throw input_error("{}: camera '{}' has no image", dataset.string(), camera);
}

// Returns the observation itself for a method that reads aqbench's layout. Else writes it in the declared
// layout (scenes/dataset/layouts.h) to work_dir/dataset, in place of what is there, and returns that.
// Throws Error(method) for cameras with water unless the declaration ignores refraction, and for a lens or
// name that the layout cannot hold; Error(io).
Observation in_declared_layout(const Observation& observation, const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const DeclaredLayout& declared = method.dataset;
  if (declared.layout == DeclaredLayout().layout) return observation;
  Rig rig = read_calibration(observation.dataset_dir / "calibration.json");
  if (!is_dry(rig) && !declared.ignores_refraction && !declared.takes_ports)
    throw method_error(
        "the cameras look through water, which the layout {} does not have; add "
        "\"refraction\": {{\"pinhole_at_m\": 1.0}} to method {} for the best pinhole cameras at that "
        "distance, or "
        "\"ignore\" for cameras as if there were none",
        declared.layout, method.name);
  if (!declared.takes_ports) set_interface(rig, NoInterface{});
  const Observation written{input.work_dir / "dataset"};
  std::error_code unknown;
  fs::remove_all(written.dataset_dir, unknown);  // of an earlier repetition
  std::vector<CameraFiles> files;
  for (const Camera& camera : rig.cameras) {
    const fs::path mask = observation.dataset_dir / "masks" / camera.name / "000000.png";
    files.push_back(
        {image_of_camera(observation.dataset_dir, camera.name), path_exists(mask) ? mask : fs::path()});
  }
  try {
    write_layout(written.dataset_dir, {declared.layout, declared.least_depth_m, declared.most_depth_m},
                 rig.cameras, files);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    throw Error(ErrorKind::method, error.what());
  }
  // The cameras of views that are held out have no images, so no layout has them.
  const fs::path held_out = observation.dataset_dir / "held_out.json";
  if (path_exists(held_out)) fs::copy_file(held_out, written.dataset_dir / held_out.filename());
  return written;
}

// Returns the input of `external` with a declaration made of its parameters; that of a declared method as it
// is.
MethodInput declared(MethodInput input) {
  if (input.declaration != nullptr) return input;
  MethodDeclaration method;
  method.command = input.parameters.text("command");
  if (method.command.find("{output}") == std::string::npos)
    throw Error(ErrorKind::usage,
                method.command.empty()
                    ? "external.command is empty; add --set 'external.command=PROGRAM {dataset} {output}'"
                    : "external.command lacks {output}, the folder for its cloud");
  method.result = input.parameters.text("result");
  method.timeout_s = input.parameters.number("timeout_s");
  input.declaration = std::make_shared<const MethodDeclaration>(std::move(method));
  input.parameters = {};
  input.project_dir.clear();  // it runs where aqbench was started
  return input;
}

// Empty for `external`: that of this process.
fs::path working_folder(const MethodInput& input) {
  return (input.project_dir / input.declaration->working_folder).lexically_normal();
}

// Returns what fills the placeholders of a declaration.
Values placeholder_values(const MethodInput& input, const std::string& dataset, const std::string& output) {
  Values values = {{"dataset", dataset},
                   {"output", output},
                   {"threads", std::to_string(thread_count())},
                   {"seed", std::to_string(input.seed)},
                   {"device", input.device},
                   {"project", input.project_dir.string()}};
  for (const auto& [name, value] : input.parameters.items()) values.emplace_back(name, to_string(value));
  return values;
}

// Returns the words of the command; each value stays within one word, blanks and quotes included.
std::vector<std::string> command_words(const MethodInput& input, const std::string& dataset,
                                       const std::string& output) {
  const Values values = placeholder_values(input, dataset, output);
  std::vector<std::string> words = split_command(input.declaration->command);
  for (std::string& word : words) word = with_placeholders(word, values);
  return words;
}

// Returns the words that start the command, in its environment if it has one.
std::vector<std::string> starting_words(const MethodInput& input, const Observation& seen) {
  const fs::path output = output_folder(input);
  return words_in_environment(
      input, command_words(input, seen.dataset_dir.string(), output.string()), working_folder(input),
      {seen.dataset_dir, output, input.work_dir / "stages", input.project_dir, working_folder(input)});
}

// Returns "working folder X does not exist", or "".
std::string folder_problem(const MethodInput& input) {
  const fs::path folder = working_folder(input);
  if (folder.empty() || folder_exists(folder)) return {};
  return fmt::format("working folder {} does not exist", folder.string());
}

std::vector<fs::path> reads_of(const MethodInput& input, const std::vector<std::string>& words) {
  const fs::path folder = working_folder(input);
  std::vector<fs::path> reads = command_reads(words, folder);
  for (const fs::path& whole : {input.project_dir, folder}) add_program_folder(whole, reads);
  for (const std::string& path : input.declaration->reads) reads.push_back(input.project_dir / path);
  const fs::path environment = environment_folder(input.declaration->runs_in, input.project_dir);
  if (!environment.empty()) reads.push_back(environment);
  return reads;
}

}  // namespace

ResultDepths depths_of(const Observation& observation, const MethodDeclaration& method) {
  // Lengths become metres by the declared unit afterwards.
  ResultDepths depths{
      method.depths_along_z, method.metres_per_count / metres_per_unit(method.unit).value(), {}, false};
  if (!depths.along_z && method.dataset.layout == DeclaredLayout().layout) return depths;
  depths.cameras = read_calibration(observation.dataset_dir / "calibration.json").cameras;
  depths.numbered = method.dataset.layout == "mvsnet";
  return depths;
}

std::vector<ParameterSpec> external_parameters() {
  return {text_parameter("command", "",
                         "program and arguments with {dataset}, {output} and {threads}; split at blanks, "
                         "quotes group words, no shell"),
          text_parameter("result", "cloud.ply", "cloud or mesh written by the command, relative to {output}"),
          number_parameter("timeout_s", "s", 540.0, 0.01, 1e6,
                           "time limit; must be below the sweep's --timeout")};
}

std::vector<std::string> external_stages() { return {"pipeline", "external_command"}; }

std::vector<fs::path> external_reads(const Observation& observation, const MethodInput& given) {
  const MethodInput input = declared(given);
  return reads_of(input, starting_words(input, observation));
}

std::vector<GuestPart> external_guest(const MethodInput& given) {
  const MethodInput input = declared(given);
  const MethodDeclaration& method = *input.declaration;
  std::vector<std::string> words = command_words(input, kUnknownWord, kUnknownWord);
  if (method.runs_in.is_container())
    words.insert(words.begin(), method.runs_in.kind);
  else
    words = words_in_environment(input, std::move(words), working_folder(input), {});
  std::error_code error;
  const fs::path base = given.declaration != nullptr ? input.project_dir : fs::current_path(error);
  std::vector<GuestPart> parts = command_parts(words, working_folder(input), base);
  const auto add = [&](GuestPart part) {
    if (std::ranges::find(parts, part.name, &GuestPart::name) == parts.end())
      parts.push_back(std::move(part));
  };
  for (const std::string& path : method.reads) add(listed_part(path, input.project_dir));
  for (GuestPart& part : lock_part(method, input.project_dir)) add(std::move(part));
  for (GuestPart& part : image_part(input)) add(std::move(part));
  return parts;
}

std::string external_problem(const MethodInput& given) {
  const MethodInput input = declared(given);
  const MethodDeclaration& method = *input.declaration;
  if (input.own_poses && method.dataset.layout != DeclaredLayout{}.layout)
    return "reads_layout: a method with poses of its own gets aqbench's layout, which then has no poses";
  if (std::string problem = folder_problem(input); !problem.empty()) return problem;
  if (std::string problem = environment_problem(input); !problem.empty()) return problem;
  if (method.runs_in.is_container()) return {};  // only the image can tell
  const bool own_path =
      std::ranges::any_of(method.environment, [](const auto& variable) { return variable.first == "PATH"; });
  const std::vector<std::string> words = command_words(input, kUnknownWord, kUnknownWord);
  return command_problem(words_in_environment(input, words, working_folder(input), {}), working_folder(input),
                         !own_path);
}

ProgramRun external_program(const Observation& seen, const MethodInput& given) {
  const MethodInput input = declared(given);
  ProgramRun program;
  program.words = starting_words(input, seen);
  program.reads = reads_of(input, program.words);
  const MethodDeclaration& method = *input.declaration;
  if (method.gives == MethodDeclaration().gives) program.result = method.result;
  program.stages = method.stages;
  program.depth_maps = method.depth_maps;
  program.metres_per_unit = metres_per_unit(method.unit).value();
  program.timeout_s = method.timeout_s;
  program.variables = environment_variables(input);
  const Values values = placeholder_values(input, seen.dataset_dir.string(), output_folder(input).string());
  for (const auto& [name, value] : method.environment)
    program.variables.emplace_back(name, with_placeholders(value, values));
  program.working_folder = working_folder(input);
  if (input.own_poses && method.gives != "poses") program.cameras = method.cameras;
  program.world_from_cloud = method.world_from_cloud;
  return program;
}

Reconstruction run_external(const Observation& given, const MethodInput& given_input) {
  const MethodInput input = declared(given_input);
  const MethodDeclaration& method = *input.declaration;
  const Observation observation = in_declared_layout(given, input);
  ProgramRun program = external_program(observation, input);
  if (!method.depth_maps.empty()) program.depth_meaning = depths_of(given, method);
  if (const std::string problem = folder_problem(input); !problem.empty())
    throw usage_error("method {}: {}", method.name, problem);
  require_container_starts(input, program, observation.dataset_dir);
  return run_program(observation, input, program);
}

}  // namespace aqbench
