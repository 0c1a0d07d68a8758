#include "pipeline/method/runs_in.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::array kKinds = {"venv", "conda", "pixi", "apptainer", "podman"};

}  // namespace

RunsIn runs_in_from_json(const JsonPlace& place) {
  const auto members = place.members();
  if (members.size() != 1) place.fail("expected one of venv, conda, pixi, apptainer and podman");
  const auto& [kind, value] = members.front();
  if (std::ranges::find(kKinds, kind) == kKinds.end())
    place.fail(unknown_name_message("environment", kind, {kKinds.begin(), kKinds.end()}));
  RunsIn runs_in{kind, value.text()};
  if (runs_in.place.empty() || runs_in.place.starts_with('-') ||
      one_line(runs_in.place, runs_in.place.size()) != runs_in.place)
    value.fail("must be one non-empty line of text that does not begin with -");
  return runs_in;
}

Json to_json(const RunsIn& runs_in) { return {{runs_in.kind, runs_in.place}}; }

std::filesystem::path environment_folder(const RunsIn& runs_in, const std::filesystem::path& project_dir) {
  if (runs_in.kind.empty() || runs_in.is_container()) return {};
  const std::filesystem::path place = (project_dir / runs_in.place).lexically_normal();
  std::error_code unknown;
  const std::filesystem::path inside = place / ".pixi" / "envs" / "default";
  return runs_in.kind == "pixi" && std::filesystem::is_directory(inside, unknown) ? inside : place;
}

}  // namespace aqbench
