#include "harness/datasets/project_datasets.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json_lines.h"
#include "harness/records/case.h"

namespace aqbench {
namespace {

constexpr int kProjectVersion = 1;  // of the format
constexpr std::uintmax_t kMaxProjectBytes = 4 << 20;

void drop_comments(Json& json) {
  if (json.is_object())
    for (auto member = json.begin(); member != json.end();)
      member = member.key().starts_with("//") ? json.erase(member) : std::next(member);
  if (json.is_structured())
    for (Json& inside : json) drop_comments(inside);
}

// Without a slash at its end, also of ".".
std::filesystem::path path_at(const JsonPlace& place, const std::filesystem::path& dir) {
  return (dir / place.text() / "").lexically_normal().parent_path();
}

void check_label(const std::string& name, const JsonPlace& place) {
  if (!may_stand_in_names(name))
    place.fail("the name must be plain ASCII without blanks, quotes and any of / \\ : * ? [ ] = , $");
}

ProjectDataset read_dataset(const std::string& name, const JsonPlace& place,
                            const std::filesystem::path& dir) {
  check_label(name, place);
  if (place.value().is_string()) return {name, path_at(place, dir), {}, {}};
  place.allow_only({"directory", "truth"});
  const auto truth = place.find("truth");
  if (truth) truth_entry_at(*truth);
  return {name, path_at(place.at("directory"), dir), truth ? JsonBox(truth->value()) : JsonBox(), {}};
}

NamedRig read_named_rig(const std::string& name, const JsonPlace& place, const std::filesystem::path& dir) {
  check_label(name, place);
  if (is_registered_rig(name)) place.fail("'{}' is the name of a rig of aqbench", name);
  if (place.text().empty()) place.fail("is empty");
  return {name, path_at(place, dir)};
}

}  // namespace

bool may_stand_in_names(const std::string& label) {
  return !label.empty() && label.size() <= 100 && std::ranges::all_of(label, [](unsigned char c) {
    return c > ' ' && c < 127 &&
           std::string_view("/\\:*?[]=,'\"`$").find(static_cast<char>(c)) == std::string_view::npos;
  });
}

ProjectDatasets read_project_datasets(
    const std::filesystem::path& file,
    const std::function<void(const JsonPlace& root, const ProjectDatasets& project)>& read_rest) {
  const std::string text = read_text_file(file, kMaxProjectBytes);
  Json json = parse_strict_json(text, file.string(), kSmallFileJson);
  drop_comments(json);
  ProjectDatasets project;
  project.file = std::filesystem::absolute(file).lexically_normal();
  project.dir = project.file.parent_path();
  with_json_lines(text, file.string(), [&] {
    const JsonPlace root(json, file.string());
    root.allow_only({"$schema", "version", "datasets", "rigs", "methods", "suites", "gates"});
    if (root.at("version").integer() != kProjectVersion)
      root.at("version").fail("unsupported version; must be {}", kProjectVersion);
    if (const auto datasets = root.find("datasets"))
      for (const auto& [name, place] : datasets->members())
        project.datasets.push_back(read_dataset(name, place, project.dir));
    if (const auto rigs = root.find("rigs"))
      for (const auto& [name, place] : rigs->members())
        project.rigs.push_back(read_named_rig(name, place, project.dir));
    if (read_rest) read_rest(root, project);
  });
  const JsonLines lines = lines_of_json(text);
  for (ProjectDataset& dataset : project.datasets) {
    const std::string place = "datasets." + dataset.name;
    const auto line = lines.find(place);
    dataset.where = line == lines.end() ? fmt::format("{}: {}", file.string(), place)
                                        : fmt::format("{}:{}: {}", file.string(), line->second, place);
  }
  return project;
}

std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder) {
  std::error_code unknown;
  for (std::filesystem::path at = std::filesystem::absolute(folder, unknown).lexically_normal();;
       at = at.parent_path()) {
    const std::filesystem::path file = at / kProjectFileName;
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      const auto is_strange = [](const struct stat& of) {
        return of.st_uid != 0 && of.st_uid != ::geteuid();
      };
      struct stat link {};  // a user who plants a link beside his own program chooses what runs
      if (is_strange(status) || ::lstat(file.c_str(), &link) != 0 || is_strange(link))
        throw Error(
            ErrorKind::input,
            fmt::format("{}: belongs to another user; name it with --project to use it", file.string()),
            file.string());
      return file;
    }
    if (at == at.parent_path()) return std::nullopt;
  }
}

std::optional<ProjectDatasets> current_datasets() {
  std::error_code unknown;
  const auto file = find_project_file(std::filesystem::current_path(unknown));
  if (!file) return std::nullopt;
  return read_project_datasets(*file);
}

void use_current_rigs(const std::string& rig) {
  if (rig.empty() || is_registered_rig(rig) || is_rig_file(rig)) return;
  if (auto project = current_datasets()) name_rigs(std::move(project->rigs));
}

PlacedDataset place_dataset(const std::optional<ProjectDatasets>& project, const std::string& given) {
  const std::string name = given.starts_with(kDatasetPrefix) ? given.substr(kDatasetPrefix.size()) : given;
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(name, unknown);
  std::vector<std::string> known;
  for (const ProjectDataset& dataset : project ? project->datasets : std::vector<ProjectDataset>()) {
    if (is_folder ? std::filesystem::equivalent(dataset.directory, name, unknown) : dataset.name == name)
      return {is_folder ? std::filesystem::path(name) : dataset.directory,
              {dataset.truth, project->dir, dataset.where + ".truth"}};
    known.push_back(dataset.name);
  }
  if (is_folder) return {name};
  throw usage_error("--dataset {}: no such folder{}", name,
                    known.empty() ? "" : "; " + unknown_name_message("dataset", name, known));
}

}  // namespace aqbench
