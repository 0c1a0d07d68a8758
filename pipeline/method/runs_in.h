#pragma once
// The environment that a declared method runs in: "runs_in": {"venv": ".venv"}.

#include <filesystem>
#include <string>

#include "core/json.h"

namespace aqbench {

// A kind of environment, and its place as declared.
struct RunsIn {
  std::string kind;   // "venv", "conda", "pixi", "apptainer", "podman"; empty: none
  std::string place;  // folder of an environment, relative to the project file; image file or name

  bool is_container() const { return kind == "apptainer" || kind == "podman"; }
};

// Reads an object with one of the kinds as its only member. Throws Error(input) naming the place.
RunsIn runs_in_from_json(const JsonPlace& place);

// Returns {"KIND": "PLACE"}.
Json to_json(const RunsIn& runs_in);

// Returns the folder with bin/ of an environment: of pixi below .pixi/envs, "default" where the place is a
// project of pixi. Empty for a container and for none.
std::filesystem::path environment_folder(const RunsIn& runs_in, const std::filesystem::path& project_dir);

}  // namespace aqbench
