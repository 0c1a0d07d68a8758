#pragma once
// Methods declared in a user's project file: an external program with parameters, presets and labels, or
// outputs that exist already.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"

namespace aqbench {

// A named set of parameter values of one method.
struct Preset {
  std::string name;                 // "fast", "balanced", "quality"
  std::vector<Override> overrides;  // owner left empty
};

// The environment that a declared method runs in: "runs_in": {"venv": ".venv"}.
struct RunsIn {
  std::string kind;  // "venv", "conda", "pixi", "apptainer", "podman"; empty: none
  std::string
      place;  // as declared: folder of an environment, relative to the project file; image file or name

  bool is_container() const { return kind == "apptainer" || kind == "podman"; }
};

// Returns the folder with bin/ of an environment: of pixi below .pixi/envs, "default" where the place is a
// project of pixi. Empty for a container and for none.
std::filesystem::path environment_folder(const RunsIn& runs_in, const std::filesystem::path& project_dir);

// How a method finds its dataset: in aqbench's own layout (docs/dataset.md), or in one of docs/layouts.md.
struct DeclaredLayout {
  std::string layout = "aqbench";   // or "colmap", "transforms", "mvsnet"
  bool ignores_refraction = false;  // gets cameras of water as if there were none; the layouts have none
  bool takes_ports = false;         // with colmap: gets water and ports as the refractive COLMAP has them
  double pinhole_at_m = 0;  // gets the best pinhole cameras at this distance, in any layout; 0: it does not
  double least_depth_m = 0, most_depth_m = 0;  // along z: mvsnet's cameras need a range
};

// Returns names and values of what is not as aqbench's own dataset: {"refraction", "pinhole_at_m=1"}.
std::vector<std::pair<std::string, std::string>> unusual_members(const DeclaredLayout& dataset);

// The limit of a parameter's values if a declaration gives no range: from -kNoRange to kNoRange. Beyond it a
// double does not represent every integer.
inline constexpr double kNoRange = 0x1p53;

// A program run as a method. Paths are relative to the folder of the project file, those of results to
// {output}.
struct MethodDeclaration {
  std::string name;
  std::string summary;  // one line
  std::string command;  // with {dataset}, {output}, {threads}, {seed}, {device}, {project}, {PARAMETER}
  // Instead of a command: the file that exists already, a pattern with {scene}, {seed}, {method}, {PARAMETER}
  // and *, relative to the project file (pipeline/external/given.h). {output} is then its folder.
  std::string given;
  std::vector<ParameterSpec> parameters;
  std::vector<Preset> presets;
  std::string result = "cloud.ply";  // a cloud or a mesh, in any format of eval; or what `gives` says
  // What the result is, or the given file: "cloud", or for protocols of files (docs/protocols.md)
  // "depth_maps", "point_maps", "images", "poses".
  std::string gives = "cloud";
  std::string depth_maps;              // folder of depth maps; empty: none
  std::string point_maps, images;      // a file and a folder for protocols, beside the result; empty: none
  bool depths_along_z = false;         // else along the ray
  double metres_per_count = 0;         // of depth maps of integers; 0: there are none
  std::string stages = "stages.json";  // read if the program wrote it
  std::string unit = "m";              // of points and depths: m, cm or mm
  double timeout_s = 540;
  std::vector<std::pair<std::string, std::string>> environment;  // values with the placeholders of `command`
  std::string working_folder;                                    // empty: that of the project file
  std::vector<std::string> reads;  // files and folders needed beside its dataset
  bool own_poses = false;          // it gets no camera poses, finds them itself and writes them to `cameras`
  bool own_intrinsics = false;     // with own_poses: it gets no intrinsics either
  RunsIn runs_in = {};             // the environment of the command
  std::string lock;                // file that fixes its packages, recorded; empty: a usual one, if any
  std::string cameras = ".";       // of own poses: file or folder in {output} (scenes/cloud/camera_poses.h)
  // File in {output} with the similarity from the method's frame to the world (read_similarity()); empty:
  // none.
  std::string world_from_cloud;
  DeclaredLayout dataset;
};

// Reads a declaration and checks all of it: names, units, that it has a command with {output} or a pattern of
// given files, no unknown placeholder, that every parameter has a default within its range and occurs in the
// command, in a value of `env` or in the pattern, that presets name parameters. Throws Error(input) naming
// the place.
MethodDeclaration declaration_from_json(const JsonPlace& place);

// A file or folder that protocols score: its kind, as in `gives`, and its place in {output} or beside the
// given file; "" is that file itself.
struct ProtocolFile {
  std::string kind, place;
};

// Returns all of them that a method gives.
std::vector<ProtocolFile> protocol_files(const MethodDeclaration& declaration);

// The folder in MethodInput::work_dir where they are after a run, each in a folder of its kind.
inline constexpr const char* kProtocolFilesFolder = "protocol_files";

// Returns the declaration in the form that declaration_from_json() reads, without members at their defaults.
Json to_json(const MethodDeclaration& declaration);

// ---- Placeholders of commands: "{dataset}", and of parameters "{window}"; "{{window}}" is a literal
// "{window}" ----

// Returns whether this is a letter, then letters, digits and "_", at most 64; with `dashes` also "-" and
// leading digits.
bool is_plain_name(std::string_view name, bool dashes);

// Returns the names that aqbench fills in: of commands, and of patterns of given files.
std::vector<std::string> own_placeholders();
std::vector<std::string> given_placeholders();

// Returns the names in braces of a text, "{window}" as "window", each once. "{{window}}" is an escaped
// "{window}".
std::vector<std::string> placeholders_in(std::string_view text);

// Returns the text with placeholders replaced by their values and "{{name}}" by "{name}".
std::string with_placeholders(std::string_view text,
                              const std::vector<std::pair<std::string, std::string>>& values);

// Returns in one line what is wrong with the first placeholder that is unknown, or that is none and looks
// like one: "{slow=0.01}", "{ output }", "{output/cloud.ply"; "" if nothing is. Other braces, as of JSON, awk
// or a shell, are literal.
std::string placeholder_problem(std::string_view text, const std::vector<std::string>& known);

}  // namespace aqbench
