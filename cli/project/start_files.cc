#include "cli/project/start_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/planning/plan_request.h"
#include "pipeline/method/declaration.h"
#include "reports/content/commands.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kLevels = 3;
constexpr std::size_t kMaxInputs = 20;
constexpr std::ptrdiff_t kFewestImages = 2;
constexpr std::array kImageEndings = {".jpg", ".jpeg", ".png", ".tif", ".tiff"};

bool holds(const fs::path& folder, const char* name) { return path_exists(folder / name); }

bool is_image(const fs::path& file) {
  const std::string ending = lower_case(file.extension().string());
  return std::ranges::find(kImageEndings, ending) != kImageEndings.end();
}

bool holds_model(const fs::path& folder) {
  return (holds(folder, "cameras.bin") && holds(folder, "images.bin")) ||
         (holds(folder, "cameras.txt") && holds(folder, "images.txt"));
}

// Whether it is a folder and no link to one.
bool is_folder(const fs::path& path) {
  std::error_code unknown;
  return fs::is_directory(fs::symlink_status(path, unknown));
}

// Images in folders named after the cameras beside the calibration, as in AquaMVS.
bool has_folders_of_images(const fs::path& folder) {
  for (const fs::path& below : entries_of(folder))
    if (is_folder(below) && std::ranges::any_of(entries_of(below), is_image)) return true;
  return false;
}

// Layouts that are known by their files alone; those of calibration files need images, too.
const char* kind_of_layout(RecordingLayout layout) {
  constexpr std::pair<RecordingLayout, const char*> kKinds[] = {
      {RecordingLayout::transforms, "transforms.json of nerfstudio or instant-ngp"},
      {RecordingLayout::eth3d, "a scene of ETH3D"},
      {RecordingLayout::mvsnet, "cameras of MVSNet"},
      {RecordingLayout::tanks, "a scene of Tanks and Temples"}};
  const auto* const found = std::ranges::find(kKinds, layout, [](const auto& kind) { return kind.first; });
  return found == std::end(kKinds) ? "" : found->second;
}

// Reads it as a sweep does, without decoding the images.
std::string content_of(const fs::path& folder, const fs::path& name, const std::string& kind) {
  if (kind == kImagesAlone) return "for methods with \"poses\": \"own\" and \"intrinsics\": \"own\"";
  try {
    if (kind == kRigAlone)
      return fmt::format("{}: aqbench render undulating --rig {} --out DIR",
                         counted(read_rig_file(folder).rig.cameras.size(), "camera"),
                         shell_quote(name.string()));
    const Recording recording = read_recording(folder);
    return content_text(recording, find_recording_truth(recording));
  } catch (const Error& error) {
    return fmt::format("not readable yet: {}", error.what());
  }
}

std::string kind_of(const fs::path& folder) {
  // COLMAP keeps the images beside the model: the parent of both is readable.
  const bool beside = holds(folder, "images") &&
                      std::ranges::any_of(std::array{"sparse/0", "sparse", "colmap"},
                                          [&](const char* below) { return holds_model(folder / below); });
  if (beside || holds_model(folder)) return "a COLMAP model";
  if (const auto layout = layout_of(folder))
    if (const char* const other = kind_of_layout(*layout); *other != '\0') return other;
  const bool calibrated = holds(folder, "cameras.json") || !find_calibration(folder).empty();
  if (calibrated &&
      (folder_exists(folder / "images") || holds(folder, "images.csv") || has_folders_of_images(folder)))
    return "images and calibration";
  if (std::ranges::count_if(entries_of(folder), is_image) < kFewestImages)
    return calibrated ? kRigAlone : std::string();
  return calibrated ? "images and calibration" : kImagesAlone;
}

std::string name_of(const fs::path& folder, const fs::path& root) {
  std::string name = folder == root ? std::string("recording") : folder.filename().string();
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_'; }, '_');
  return name;
}

void search(const fs::path& folder, const fs::path& root, int levels, std::vector<FoundInput>& found) {
  if (found.size() >= kMaxInputs || holds(folder, "results.json")) return;
  if (const std::string kind = kind_of(folder); !kind.empty()) {
    std::string name = name_of(folder, root);
    for (int number = 2; std::ranges::find(found, name, &FoundInput::name) != found.end(); ++number)
      name = name_of(folder, root) + "-" + std::to_string(number);
    const fs::path below = folder == root ? fs::path(".") : folder.lexically_relative(root);
    found.push_back({name, below, kind, content_of(folder, below, kind)});
    if (kind != kRigAlone) return;
  }
  if (levels == 0) return;
  for (const fs::path& below : entries_of(folder))
    if (is_folder(below) && !below.filename().string().starts_with('.'))
      search(below, root, levels - 1, found);
}

constexpr const char* kExampleCommand = "python3 reconstruct.py {dataset} {output} --window {window=7}";

// A command with "{window=7}" replaced by "{window}", and the values by name.
struct StartCommand {
  std::string text;
  std::vector<std::pair<std::string, std::string>> defaults;
};

// What looks like a placeholder and is none is refused with the declaration.
StartCommand without_defaults(const std::string& given) {
  StartCommand command;
  for (std::size_t at = 0; at < given.size(); ++at) {
    command.text += given[at];
    if (given[at] != '{') continue;
    const std::size_t end = given.find('}', at), equals = given.find('=', at);
    if (end == std::string::npos || equals >= end - 1) continue;  // without a default
    const std::string name = given.substr(at + 1, equals - at - 1);
    if (placeholders_in("{" + name + "}") != std::vector{name}) continue;
    command.defaults.emplace_back(name, given.substr(equals + 1, end - equals - 1));
    command.text += name + "}";
    at = end;
  }
  return command;
}

Json start_parameter(const std::string& name, const std::string& value) {
  const auto whole = parse_whole<std::int64_t>(value);
  const auto number = parse_double(value);
  return {{"name", name}, {"default", whole ? Json(*whole) : number ? Json(*number) : Json(value)}};
}

Json start_method(const ProjectStart& start) {
  const StartCommand given = without_defaults(start.command.empty() ? kExampleCommand : start.command);
  const std::string& command = given.text;
  Json method = {
      {"name", start.method},
      {"summary", "our pipeline"},
      {"// command",
       "Run without a shell, in this folder. {dataset}: a folder with calibration.json and "
       "images/CAMERA/000000.png (of a recording with its own ending); "
       "{output}: an empty folder for results; also {threads} {seed} {device} {project} and each parameter."},
      {"command", command}};
  if (start.command.empty()) {
    method["// presets"] =
        fmt::format("{0}:fast on a command line; {0} alone means the first one.", start.method);
    method["presets"] = {{"balanced", {{"window", 7}}}, {"fast", {{"window", 5}}}};
  }
  if (!given.defaults.empty()) {
    const std::string& name = given.defaults.front().first;
    method["// parameters"] = fmt::format(
        "For --set {0}.{1}=VALUE and --axis {0}.{1}=A,B; numbers may have a \"range\": [3, 31] and a "
        "\"unit\", texts "
        "\"choices\", all \"help\".",
        start.method, name);
    for (const auto& [parameter, value] : given.defaults)
      method["parameters"].push_back(start_parameter(parameter, value));
  }
  method["// result"] =
      "A PLY file in {output}: world frame of calibration.json, in this unit (m, cm or mm).";
  method["result"] = "cloud.ply";
  method["unit"] = "m";
  method["timeout_s"] = 540;
  return method;
}

Json start_datasets(const ProjectStart& start) {
  Json datasets = Json::object();
  for (const FoundInput& input : start.inputs)
    if (input.kind != kRigAlone)
      datasets[input.name] = {{"//", input.content.empty() ? input.kind : input.kind + "; " + input.content},
                              {"directory", input.directory.generic_string()}};
  return datasets;
}

// The suites and their gates.
std::pair<Json, Json> start_suites(const ProjectStart& start) {
  const std::string& name = start.method;
  Json suites = Json::array({{{"name", name},
                              {"description", "small rendered scenes, fast enough for every build"},
                              {"scenes", {"flat_plane", "undulating"}},
                              {"methods", {name}},
                              {"seeds", {42}},
                              {"rig", "arc6"},
                              {"width", 480},
                              {"height", 360}}});
  Json gates = {{name, fmt::format("baselines/{}.json", name)}};
  Json recordings = Json::array();
  for (const FoundInput& input : start.inputs)
    if (input.kind != kImagesAlone && input.kind != kRigAlone) recordings.push_back("dataset:" + input.name);
  if (recordings.empty()) return {suites, gates};
  const std::string on_recordings = name + "-recordings";
  suites.push_back({{"name", on_recordings},
                    {"description", "the recordings above"},
                    {"scenes", recordings},
                    {"methods", {name}},
                    {"seeds", {42}}});
  gates[on_recordings] = fmt::format("baselines/{}.json", on_recordings);
  return {suites, gates};
}

// Installs aqbench.
constexpr const char* kInstallStep =
    R"(      - name: aqbench
        env: {AQBENCH_WHEEL: "${{ vars.AQBENCH_WHEEL }}"}
        run: |
          if [ -z "$AQBENCH_WHEEL" ]; then
            echo "::error title=aqbench::set the repository variable AQBENCH_WHEEL to the address of aqbench-*.whl"
            exit 1
          fi
          case $AQBENCH_WHEEL in
            *.whl)
              python3 -m venv "$RUNNER_TEMP/aqbench"
              "$RUNNER_TEMP/aqbench/bin/pip" install --quiet --no-deps "$AQBENCH_WHEEL" ;;
            *)
              mkdir -p "$RUNNER_TEMP/aqbench"
              curl -fsSL "$AQBENCH_WHEEL" | tar -x --zstd --strip-components=1 -C "$RUNNER_TEMP/aqbench" ;;
          esac
          echo "$RUNNER_TEMP/aqbench/bin" >> "$GITHUB_PATH"
)";

// {0}: the suite, {1}: the project file, {2}: the step of the recordings, {3}: the one that installs aqbench.
constexpr std::string_view kWorkflowText =
    R"(# Runs the suite "{0}" of {1} and fails where a result is worse than baselines/{0}.json says. That
# file has to be committed first (aqbench accept): without it the gate fails before anything runs.
# The repository variable AQBENCH_WHEEL says where aqbench is: the address of aqbench-*.whl of one version, or a file
# of this repository. Rendered scenes need the full portable folder (aqbench-full-*.tar.zst) instead.
name: aqbench
on:
  push: {{branches: [main, master]}}
  pull_request: {{}}
jobs:
  gate:
    runs-on: ubuntu-24.04
    permissions: {{contents: read}}
    steps:
      - uses: actions/checkout@v4
{3}      # Install here what your program needs.
      - name: gate
        run: SUITE={0} OUT=out aqbench-ci-gate
{2}      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: aqbench-${{{{ github.job }}}}-${{{{ strategy.job-index }}}}
          path: out/
)";

}  // namespace

std::vector<FoundInput> find_inputs(const fs::path& folder) {
  std::vector<FoundInput> found;
  search(folder, folder, kLevels, found);
  return found;
}

std::string start_project_text(const ProjectStart& start) {
  const std::string& name = start.method;
  const auto [suites, gates] = start_suites(start);
  Json json = {
      {"//", "The aqbench project of this repository. Keys that begin with // are comments."},
      {"version", 1},
      {"// datasets",
       "Recordings by name, relative to this file: --scene dataset:NAME. Add the truth of a recording, any "
       "mesh or scan: \"truth\": {\"surface\": {\"file\": \"scan.ply\", \"unit\": \"mm\"}}"},
      {"datasets", start_datasets(start)},
      {"// methods",
       fmt::format("Programs of this repository: aqbench sweep --scene undulating --method {}", name)},
      {"methods", Json::array({start_method(start)})},
      {"// suites", fmt::format("Cases that run together: aqbench sweep --suite {}", name)},
      {"suites", suites},
      {"// gates",
       fmt::format("Accepted values, made by: aqbench accept BUNDLE --baseline baselines/{0}.json; "
                   "checked by: aqbench sweep --suite {0} --gate",
                   name)},
      {"gates", gates}};
  return json.dump(2) + "\n";
}

std::vector<std::string> start_suite_names(const ProjectStart& start) {
  std::vector<std::string> names;
  for (const Json& suite : start_suites(start).first) names.push_back(suite.at("name").get<std::string>());
  return names;
}

// Rendered scenes are kept outside the repository (aqbench cache path).
std::vector<std::string> start_ignored() { return {"/out/", "/junit.xml", "__pycache__/"}; }

std::string start_workflow_text(const ProjectStart& start) {
  const std::string recordings = !start_suites(start).second.contains(start.method + "-recordings")
                                     ? ""
                                     : fmt::format(R"(      - name: gate of the recordings
        if: always()
        run: SUITE={}-recordings OUT=out/recordings aqbench-ci-gate
)",
                                                   start.method);
  return fmt::format(kWorkflowText, start.method, kProjectFileName, recordings, kInstallStep);
}

std::string start_install_step() { return kInstallStep; }

}  // namespace aqbench::cli
