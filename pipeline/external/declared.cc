#include "pipeline/external/declared.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/external/command_access.h"
#include "pipeline/external/command_problem.h"
#include "pipeline/external/command_words.h"
#include "pipeline/external/environment.h"
#include "pipeline/external/guest_parts.h"
#include "pipeline/external/result_files.h"
#include "pipeline/method/placeholders.h"
#include "scenes/dataset/layout_writer.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// The one file of a camera in a dataset of one frame.
fs::path image_of_camera(const fs::path& dataset, const std::string& camera) {
  std::error_code error;
  for (fs::directory_iterator entry(dataset / "images" / camera, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().stem() == "000000") return entry->path();
  throw input_error("{}: camera '{}' has no image", dataset.string(), camera);
}

// Returns the observation itself for a method that reads aqbench's layout. Else writes it in the declared
// layout (scenes/dataset/layout_writer.h) to work_dir/dataset, in place of what is there, and returns that.
// Throws Error(method) for cameras with water unless the declaration ignores refraction, and for a lens or
// name that the layout cannot hold; Error(io).
Observation in_declared_layout(const Observation& observation, const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const DeclaredLayout& declared = method.dataset;
  if (declared.layout == DeclaredLayout().layout) return observation;
  const Rig rig = read_calibration(observation.dataset_dir / "calibration.json");
  if (!is_dry(rig) && !declared.ignores_refraction)
    throw method_error(
        "the cameras look through water, which the layout {} does not have; add "
        "\"refraction\": \"ignore\" to method {} for cameras as if there were none",
        declared.layout, method.name);
  const Observation written{input.work_dir / "dataset"};
  std::error_code unknown;
  fs::remove_all(written.dataset_dir, unknown);  // of an earlier repetition
  std::vector<CameraFiles> files;
  for (const Camera& camera : rig.cameras) {
    const fs::path mask = observation.dataset_dir / "masks" / camera.name / "000000.png";
    files.push_back({image_of_camera(observation.dataset_dir, camera.name),
                     fs::exists(mask, unknown) ? mask : fs::path()});
  }
  try {
    write_layout(written.dataset_dir, {declared.layout, declared.least_depth_m, declared.most_depth_m},
                 rig.cameras, files);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
    throw Error(ErrorKind::method, error.what());
  }
  return written;
}

// Returns what the depth maps of a method mean that gets this dataset, and how their files are named.
ResultDepths depths_of(const Observation& observation, const MethodDeclaration& method) {
  // Lengths become metres by the declared unit afterwards.
  ResultDepths depths{method.depths_along_z, method.metres_per_count / metres_of(method), {}, false};
  if (!depths.along_z && method.dataset.layout == DeclaredLayout().layout) return depths;
  depths.cameras = read_calibration(observation.dataset_dir / "calibration.json").cameras;
  depths.numbered = method.dataset.layout == "mvsnet";
  return depths;
}

using Values = std::vector<std::pair<std::string, std::string>>;

Values placeholder_values(const std::string& dataset, const std::string& output, const MethodInput& input) {
  Values values = {{"dataset", dataset},
                   {"output", output},
                   {"threads", std::to_string(thread_count())},
                   {"seed", std::to_string(input.seed)},
                   {"device", input.device},
                   {"project", input.project_dir.string()}};
  for (const auto& [name, value] : input.parameters.items()) values.emplace_back(name, to_string(value));
  return values;
}

Values placeholder_values(const Observation& observation, const MethodInput& input) {
  return placeholder_values(observation.dataset_dir.string(), output_folder(input).string(), input);
}

std::filesystem::path working_folder(const MethodInput& input) {
  return (input.project_dir / input.declaration->working_folder).lexically_normal();
}

// Each value stays within one word, blanks and quotes included.
std::vector<std::string> command_words_of(const MethodInput& input, const Values& values) {
  std::vector<std::string> words = split_command(input.declaration->command);
  for (std::string& word : words) word = with_placeholders(word, values);
  return words;
}

// The words that start it in its environment.
std::vector<std::string> declared_words(const MethodInput& input, const Observation& observation,
                                        const Values& values) {
  return words_in_environment(input, command_words_of(input, values), working_folder(input),
                              {observation.dataset_dir, output_folder(input), input.work_dir / "stages",
                               input.project_dir, working_folder(input)});
}

// Returns "working folder X does not exist", or "".
std::string folder_problem(const MethodInput& input) {
  const std::filesystem::path folder = working_folder(input);
  std::error_code unknown;
  if (folder.empty() || std::filesystem::is_directory(folder, unknown)) return {};
  return fmt::format("working folder {} does not exist", folder.string());
}

std::vector<std::filesystem::path> reads_of(const MethodInput& input, const std::vector<std::string>& words) {
  const std::filesystem::path folder = working_folder(input);
  std::vector<std::filesystem::path> reads = command_reads(words, folder);
  for (const std::filesystem::path& whole : {input.project_dir, folder}) add_program_folder(whole, reads);
  for (const std::string& path : input.declaration->reads) reads.push_back(input.project_dir / path);
  const auto environment = environment_folder(input.declaration->runs_in, input.project_dir);
  if (!environment.empty()) reads.push_back(environment);
  return reads;
}

}  // namespace

std::vector<std::filesystem::path> declared_reads(const Observation& observation, const MethodInput& input) {
  return reads_of(input, declared_words(input, observation, placeholder_values(observation, input)));
}

std::vector<GuestPart> declared_guest(const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const std::string unknown(1, kUnknownWord);
  std::vector<std::string> words = command_words_of(input, placeholder_values(unknown, unknown, input));
  if (method.runs_in.is_container())
    words.insert(words.begin(), method.runs_in.kind);
  else
    words = words_in_environment(input, std::move(words), working_folder(input), {});
  std::vector<GuestPart> parts = command_parts(words, working_folder(input), input.project_dir);
  const auto add = [&](GuestPart part) {
    if (std::ranges::find(parts, part.name, &GuestPart::name) == parts.end())
      parts.push_back(std::move(part));
  };
  for (const std::string& path : method.reads) add(listed_part(path, input.project_dir));
  for (GuestPart& part : lock_part(method, input.project_dir)) add(std::move(part));
  for (GuestPart& part : image_part(input)) add(std::move(part));
  return parts;
}

std::string declared_problem(const MethodInput& input) {
  if (input.own_poses && input.declaration->dataset.layout != DeclaredLayout{}.layout)
    return "reads_layout: a method with poses of its own gets aqbench's layout, which then has no poses";
  if (std::string problem = folder_problem(input); !problem.empty()) return problem;
  if (std::string problem = environment_problem(input); !problem.empty()) return problem;
  if (input.declaration->runs_in.is_container()) return {};  // only the image can tell
  const std::string unknown(1, kUnknownWord);
  const auto& environment = input.declaration->environment;
  const bool own_path =
      std::ranges::any_of(environment, [](const auto& variable) { return variable.first == "PATH"; });
  const std::vector<std::string> words = command_words_of(input, placeholder_values(unknown, unknown, input));
  return command_problem(words_in_environment(input, words, working_folder(input), {}), working_folder(input),
                         !own_path);
}

ProgramRun declared_program(const Observation& seen, const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const Values values = placeholder_values(seen, input);
  ProgramRun program;
  program.words = declared_words(input, seen, values);
  program.output = output_folder(input);
  program.result = method.result;
  program.stages = method.stages;
  program.depth_maps = method.depth_maps;
  program.metres_per_unit = metres_of(method);
  program.timeout_s = method.timeout_s;
  program.variables = environment_variables(input);
  for (const auto& [name, value] : method.environment)
    program.variables.emplace_back(name, with_placeholders(value, values));
  program.working_folder = working_folder(input);
  program.reads = reads_of(input, program.words);
  if (input.own_poses) program.cameras = method.cameras;
  return program;
}

Reconstruction run_declared(const Observation& given, const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const Observation observation = in_declared_layout(given, input);
  ProgramRun program = declared_program(observation, input);
  if (!method.depth_maps.empty()) program.depth_meaning = depths_of(given, method);
  if (const std::string problem = folder_problem(input); !problem.empty())
    throw usage_error("method {}: {}", method.name, problem);
  require_container_starts(input, program, observation.dataset_dir);
  return run_program(observation, input, program);
}

}  // namespace aqbench
