#include "harness/running/case_guest.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "core/processes/process.h"
#include "core/sha256.h"
#include "harness/planning/case_method.h"
#include "harness/running/method_run.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

std::string folder_sha256(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->is_regular_file(error)) files.push_back(entry->path());
  std::ranges::sort(files);
  Sha256 all;
  for (const fs::path& file : files)
    all.add(fmt::format("{} {}\n", file.lexically_relative(folder).generic_string(), sha256_file_hex(file)));
  return all.hex();
}

std::pair<std::string, std::string> hashed(const GuestPart& part) {
  std::error_code unknown;
  if (!part.sha256.empty() || part.file.empty()) return {part.name, part.sha256};
  if (fs::is_directory(part.file, unknown)) {
    const bool ends = part.name.ends_with('/');
    return {ends ? part.name : part.name + "/", folder_sha256(part.file)};
  }
  return {part.name, fs::exists(part.file, unknown) ? sha256_file_hex(part.file) : ""};
}

// Files that git does not know, such as results, are no change of the repository.
void ask_repository(const fs::path& folder, Guest& guest) {
  const ProgramAnswer commit = ask_git(folder, {"rev-parse", "HEAD"});
  if (!commit.ok) return;
  guest.commit = commit.output;
  const ProgramAnswer status = ask_git(folder, {"status", "--porcelain", "--untracked-files=no"});
  if (status.ok) guest.changed = !status.output.empty();
}

}  // namespace

std::optional<Guest> guest_of(const Case& planned) {
  if (!planned.workload.empty()) return std::nullopt;
  const MethodSpec method = method_of(planned);
  return guest_of(method, method_input(planned, method, {}));
}

std::optional<Guest> guest_of(const MethodSpec& method, const MethodInput& input) {
  if (method.guest == nullptr) return std::nullopt;
  Guest guest;
  for (const GuestPart& part : method.guest(input)) guest.files.push_back(hashed(part));
  if (method.declaration && !method.declaration->runs_in.kind.empty())
    guest.runs_in = fmt::format("{} {}", method.declaration->runs_in.kind, method.declaration->runs_in.place);
  ask_repository(input.project_dir.empty() ? fs::path(".") : input.project_dir, guest);
  return guest;
}

}  // namespace aqbench
