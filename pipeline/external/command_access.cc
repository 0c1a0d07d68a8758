#include "pipeline/external/command_access.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "core/processes/process.h"
#include "core/sandbox/access.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

fs::path absolute_path(const fs::path& path) {
  std::error_code unknown;
  return fs::absolute(path, unknown).lexically_normal();
}

bool is_above_or_at(const fs::path& folder, const fs::path& place) {
  std::error_code unknown;
  const fs::path real = fs::weakly_canonical(place, unknown);
  return !real.empty() && lies_in(real, folder);
}

// The working folder of a command.
fs::path folder_of_command(const fs::path& working_folder) {
  std::error_code unknown;
  return working_folder.empty() ? fs::current_path(unknown) : fs::weakly_canonical(working_folder, unknown);
}

// Returns whether a folder is shared by several programs.
bool is_for_all(const fs::path& folder, const fs::path& working_folder) {
  std::error_code unknown;
  const fs::path real = fs::weakly_canonical(folder, unknown);
  struct stat status {};
  if (::stat(real.c_str(), &status) != 0 || (status.st_mode & (S_IWOTH | S_ISVTX)) == (S_IWOTH | S_ISVTX))
    return true;
  if (const char* const home = std::getenv("HOME"); home != nullptr && is_above_or_at(real, home))
    return true;
  if (is_above_or_at(real, fs::temp_directory_path(unknown))) return true;
  return real != working_folder && is_above_or_at(real, working_folder);
}

// Adds a folder of programs or libraries; for a folder "bin" its parent, which holds a program's data.
void add_folder(const fs::path& folder, const fs::path& working_folder, std::vector<fs::path>& reads) {
  const std::string last = folder.filename().string();
  const bool programs = last == "bin" || last == "shims";
  const fs::path whole =
      programs && !is_for_all(folder.parent_path(), working_folder) ? folder.parent_path() : folder;
  if (!is_for_all(whole, working_folder)) reads.push_back(whole);
}

void add_with_folder(const fs::path& file, const fs::path& working_folder, std::vector<fs::path>& reads) {
  std::error_code unknown;
  for (const fs::path& name : {absolute_path(file), fs::canonical(file, unknown)}) {
    if (name.empty()) continue;
    reads.push_back(name);
    add_folder(name.parent_path(), working_folder, reads);
  }
}

// Returns "/opt/venv/bin/python" for "#!/opt/venv/bin/python -u"; empty if there is no such line.
fs::path interpreter_of(const fs::path& program) {
  std::array<char, 256> start{};
  std::ifstream file(program, std::ios::binary);
  file.read(start.data(), start.size() - 1);
  std::string line(start.data(), static_cast<std::size_t>(file.gcount()));
  if (!line.starts_with("#!")) return {};
  line = line.substr(2, line.find('\n') - 2);
  line.erase(0, line.find_first_not_of(" \t"));
  return line.substr(0, line.find_first_of(" \t"));
}

// Adds the folders of a variable "FOLDER:FOLDER" in which the command and its children search programs and
// libraries.
void add_listed_in(const char* variable, const fs::path& working_folder, std::vector<fs::path>& reads) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return;
  for (const std::string_view name : split_at(value, ':'))
    if (const fs::path folder = name; folder.is_absolute()) add_folder(folder, working_folder, reads);
}

}  // namespace

void add_program_folder(const fs::path& folder, std::vector<fs::path>& reads) {
  if (!folder.empty() && !is_for_all(folder, folder_of_command(folder)))
    reads.push_back(absolute_path(folder));
}

std::vector<fs::path> command_reads(const std::vector<std::string>& words, const fs::path& working_folder) {
  std::vector<fs::path> reads;
  if (words.empty()) return reads;
  std::error_code unknown;
  const fs::path folder = folder_of_command(working_folder);
  const fs::path program = working_folder / find_in_path(words.front());
  if (fs::exists(program, unknown)) add_with_folder(program, folder, reads);
  if (const fs::path interpreter = interpreter_of(program); fs::exists(interpreter, unknown))
    add_with_folder(interpreter, folder, reads);
  for (const char* variable : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH"})
    add_listed_in(variable, folder, reads);
  bool first_file = true;
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    const std::size_t equals = word->find('=');
    const std::string value = equals == word->npos ? std::string() : word->substr(equals + 1);
    for (const std::string& text : {*word, value}) {
      const fs::path name = text.empty() ? fs::path() : working_folder / text;
      if (name.empty() || !fs::exists(name, unknown)) continue;
      if (first_file && fs::is_regular_file(name, unknown)) {
        first_file = false;
        add_with_folder(name, folder, reads);
      } else {
        reads.push_back(absolute_path(name));
      }
    }
  }
  return reads;
}

}  // namespace aqbench
