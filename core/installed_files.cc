#include "core/installed_files.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cctype>
#include <system_error>

#ifndef AQBENCH_MODULES_FROM_PROGRAM
#define AQBENCH_MODULES_FROM_PROGRAM "../lib/aqbench"
#endif
#ifndef AQBENCH_MODULES_FROM_LIBRARY
#define AQBENCH_MODULES_FROM_LIBRARY "aqbench"
#endif
#ifndef AQBENCH_DATA_FROM_PROGRAM
#define AQBENCH_DATA_FROM_PROGRAM "../share/aqbench"
#endif
#ifndef AQBENCH_DATA_FROM_LIBRARY
#define AQBENCH_DATA_FROM_LIBRARY "../share/aqbench"
#endif

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr char kAnchor = 0;  // an address in the file that holds this code

// Returns the path under which the dynamic loader knows that file; "" for the running program.
std::string loaded_as() {
  Dl_info info{};
  link_map* map = nullptr;
  if (::dladdr1(&kAnchor, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return "";
  return map->l_name == nullptr ? "" : map->l_name;
}

fs::path relative_to_own_file(const char* from_program, const char* from_library) {
  const fs::path file = own_file();
  if (file.empty()) return {};
  return (file.parent_path() / (is_in_shared_library() ? from_library : from_program)).lexically_normal();
}

bool is_plain_word(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

}  // namespace

bool is_in_shared_library() { return !loaded_as().empty(); }

fs::path own_file() {
  std::error_code error;
  const std::string library = loaded_as();
  const fs::path file =
      library.empty() ? fs::read_symlink("/proc/self/exe", error) : fs::canonical(library, error);
  return error ? fs::path() : file;
}

std::vector<fs::path> module_folders() {
  const fs::path file = own_file();
  if (file.empty()) return {};
  std::vector<fs::path> folders = {file.parent_path()};
  for (const fs::path& folder :
       {relative_to_own_file(AQBENCH_MODULES_FROM_PROGRAM, AQBENCH_MODULES_FROM_LIBRARY),
        file.parent_path().parent_path() / "lib" / "aqbench"})
    if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  return folders;
}

fs::path installed_data_file(const std::string& name) {
  const fs::path folder = relative_to_own_file(AQBENCH_DATA_FROM_PROGRAM, AQBENCH_DATA_FROM_LIBRARY);
  std::error_code error;
  if (folder.empty() || !fs::is_regular_file(folder / name, error)) return {};
  return folder / name;
}

fs::path baseline_file(const fs::path& given) {
  std::error_code error;
  if (!is_plain_word(given.string()) || fs::exists(given, error)) return given;
  const fs::path installed = installed_data_file("baselines/" + given.string() + ".json");
  return installed.empty() ? given : installed;
}

}  // namespace aqbench
