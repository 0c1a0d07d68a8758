#include "pipeline/external/guest_parts.h"

#include <algorithm>
#include <system_error>

#include "core/processes/process.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// Returns "run.py" for a file in the base folder, else the whole path.
std::string name_in(const fs::path& base, const fs::path& file) {
  std::error_code unknown;
  const fs::path whole = fs::absolute(file, unknown).lexically_normal();
  const fs::path relative = whole.lexically_relative(fs::absolute(base, unknown).lexically_normal());
  if (base.empty() || relative.empty() || *relative.begin() == "..") return whole.string();
  return relative.string();
}

void add_part(const fs::path& file, const fs::path& base, std::vector<GuestPart>& parts) {
  GuestPart part{name_in(base, file), file};
  if (std::ranges::find(parts, part.name, &GuestPart::name) == parts.end()) parts.push_back(std::move(part));
}

}  // namespace

std::vector<GuestPart> command_parts(const std::vector<std::string>& words, const fs::path& working_folder,
                                     const fs::path& base) {
  std::vector<GuestPart> parts;
  if (words.empty()) return parts;
  std::error_code unknown;
  if (const fs::path program = working_folder / find_in_path(words.front()); fs::exists(program, unknown))
    add_part(program, base, parts);
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    const std::size_t equals = word->find('=');
    for (const std::string& text : {*word, equals == word->npos ? std::string() : word->substr(equals + 1)})
      if (!text.empty() && fs::is_regular_file(working_folder / text, unknown))
        add_part(working_folder / text, base, parts);
  }
  return parts;
}

GuestPart listed_part(const std::string& path, const fs::path& base) {
  return {name_in(base, base / path), (base / path).lexically_normal()};
}

std::vector<GuestPart> lock_part(const MethodDeclaration& method, const fs::path& project_dir) {
  if (!method.lock.empty()) return {listed_part(method.lock, project_dir)};
  if (method.runs_in.kind.empty() || method.runs_in.is_container()) return {};
  const fs::path place = project_dir / method.runs_in.place;
  std::error_code unknown;
  for (const fs::path& folder : {place, place.parent_path(), project_dir})
    for (const char* const name :
         {"pixi.lock", "uv.lock", "poetry.lock", "conda-lock.yml", "requirements.txt", "environment.yml"})
      if (fs::is_regular_file(folder / name, unknown))
        return {listed_part((folder / name).lexically_relative(project_dir).string(), project_dir)};
  return {};
}

}  // namespace aqbench
