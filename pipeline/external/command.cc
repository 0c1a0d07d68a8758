#include "pipeline/external/external.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/sandbox/sandbox.h"
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

fs::path home_folder() {
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return home;
  const passwd* const user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : user->pw_dir;
}

// Returns whether a folder is shared by several programs.
bool is_for_all(const fs::path& folder, const fs::path& working_folder) {
  std::error_code unknown;
  const fs::path real = fs::weakly_canonical(folder, unknown);
  struct stat status {};
  if (::stat(real.c_str(), &status) != 0 || (status.st_mode & (S_IWOTH | S_ISVTX)) == (S_IWOTH | S_ISVTX))
    return true;
  if (is_above_or_at(real, home_folder())) return true;
  if (is_above_or_at(real, fs::temp_directory_path(unknown))) return true;
  return real != working_folder && is_above_or_at(real, working_folder);
}

// Returns the existing paths that words after the first name, alone or after "NAME=".
std::vector<fs::path> named_paths(const std::vector<std::string>& words, const fs::path& working_folder) {
  std::vector<fs::path> paths;
  for (auto word = words.begin() + 1; word != words.end(); ++word) {
    const std::size_t equals = word->find('=');
    for (const std::string& text : {*word, equals == word->npos ? std::string() : word->substr(equals + 1)})
      if (!text.empty() && path_exists(working_folder / text)) paths.push_back(working_folder / text);
  }
  return paths;
}

// Returns whether a folder such as ~/.cargo or ~/.local holds tools beside the credentials and data of users;
// environments, such as .venv, hold programs alone.
bool is_tool_of_user(const fs::path& folder) {
  return folder.filename().string().starts_with('.') && !path_exists(folder / "pyvenv.cfg") &&
         !path_exists(folder / "conda-meta");
}

// Adds a folder of programs or libraries; for a folder "bin" its parent, which holds a program's data.
void add_folder(const fs::path& folder, const fs::path& working_folder, std::vector<fs::path>& reads) {
  constexpr std::array kParts = {"bin",     "sbin",     "shims",   "lib",      "lib32",      "lib64",
                                 "libexec", "include",  "plugins", "versions", "version",    "installs",
                                 "envs",    "registry", "git",     "pkgs",     "toolchains", "candidates"};
  const std::string last = folder.filename().string();
  const bool programs = last == "bin" || last == "shims";
  const fs::path whole =
      programs && !is_for_all(folder.parent_path(), working_folder) ? folder.parent_path() : folder;
  if (is_for_all(whole, working_folder)) return;
  if (!is_tool_of_user(whole)) return reads.push_back(whole);
  for (const char* const part : kParts)
    if (path_exists(whole / part)) reads.push_back(whole / part);
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

// A program that runs a script, its first non-option word.
struct Interpreter {
  std::string_view name;        // prefix of its file name, before a version
  std::string_view no_script;   // option letters that exclude a script
  std::string_view with_value;  // option letters that take the next word
  bool looks_in_path;           // searches PATH for a script without a slash that is not in its folder
};
constexpr std::array kInterpreters = {
    Interpreter{"python", "cm", "WX", false},  Interpreter{"bash", "cs", "oO", true},
    Interpreter{"dash", "cs", "o", true},      Interpreter{"sh", "cs", "o", true},
    Interpreter{"zsh", "cs", "o", true},       Interpreter{"perl", "eESx", "I", false},
    Interpreter{"ruby", "eSCx", "IrE", false}, Interpreter{"Rscript", "e", "", false}};

// Recognises "python3.11" as python.
const Interpreter* interpreter_named(const std::string& program) {
  const std::string name = fs::path(program).filename().string();
  const auto found = std::ranges::find_if(kInterpreters, [&](const Interpreter& one) {
    return name.starts_with(one.name) &&
           name.find_first_not_of("0123456789.", one.name.size()) == std::string::npos;
  });
  return found == kInterpreters.end() ? nullptr : &*found;
}

bool is_unknown(const std::string& word) { return word.find(kUnknownWord) != std::string::npos; }

std::string program_problem(const std::string& program, const fs::path& folder, bool knows_path) {
  if (program.find('/') == std::string::npos) {
    if (!knows_path || find_in_path(program) != program) return {};
    const bool is_here = is_file(folder / program);
    return fmt::format(
        "{}: no such program in PATH{}", printable(program),
        is_here ? fmt::format("; write ./{} for the file in this folder", printable(program)) : "");
  }
  const fs::path file = folder / program;
  if (!path_exists(file)) return fmt::format("{}: no such program", printable(file.string()));
  if (!is_file(file) || ::access(file.c_str(), X_OK) != 0)
    return fmt::format("{}: no permission to execute", printable(file.string()));
  return {};
}

// Returns the interpreter's script; the end if there is none or only the interpreter can tell.
template <class Word>
Word script_word(const Interpreter& interpreter, Word word, Word end) {
  for (; word != end && !is_unknown(*word); ++word) {
    if (word->empty() || *word == "-" || *word == "--") return end;
    if (word->front() != '-' && word->front() != '+') return word;
    if (word->starts_with("--")) {
      if (word->find('=') == std::string::npos) return end;  // it may take the next word
      continue;
    }
    const auto has_one_of = [&](std::string_view letters) {
      return word->find_first_of(letters, 1) != std::string::npos;
    };
    if (has_one_of(interpreter.no_script)) return end;
    // Handles "-W ignore" and "-Wignore".
    if (interpreter.with_value.find(word->back()) != std::string_view::npos && ++word == end) return end;
  }
  return end;
}

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

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool blank = quote == '\0' && (c == ' ' || c == '\t' || c == '\n');
    if (blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (i + 1 == command.size()) throw usage_error("command '{}': ends in a backslash", command);
      const char next = command[i + 1];
      const bool kept = quote == '"' && next != '"' && next != '\\';
      if (kept) words.back() += c;
      words.back() += next;
      ++i;
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') throw usage_error("command '{}': unterminated {}", command, quote);
  return words;
}

void add_program_folder(const fs::path& folder, std::vector<fs::path>& reads) {
  if (!folder.empty() && !is_for_all(folder, folder_of_command(folder)))
    reads.push_back(absolute_path(folder));
}

std::vector<fs::path> command_reads(const std::vector<std::string>& words, const fs::path& working_folder) {
  std::vector<fs::path> reads;
  if (words.empty()) return reads;
  const fs::path folder = folder_of_command(working_folder);
  const fs::path program = working_folder / find_in_path(words.front());
  if (path_exists(program)) add_with_folder(program, folder, reads);
  if (const fs::path interpreter = interpreter_of(program); path_exists(interpreter))
    add_with_folder(interpreter, folder, reads);
  for (const char* variable : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH"})
    add_listed_in(variable, folder, reads);
  bool first_file = true;
  for (const fs::path& name : named_paths(words, working_folder)) {
    if (first_file && is_file(name)) {
      first_file = false;
      add_with_folder(name, folder, reads);
    } else {
      reads.push_back(absolute_path(name));
    }
  }
  return reads;
}

std::string command_problem(const std::vector<std::string>& words, const fs::path& working_folder,
                            bool knows_path) {
  auto word = words.begin();
  if (word == words.end() || is_unknown(*word)) return {};
  if (std::string problem = program_problem(*word, working_folder, knows_path); !problem.empty())
    return problem;
  if (fs::path(*word).filename() == "env") {
    for (++word; word != words.end() && word->find('=') != std::string::npos;)
      knows_path = !(word++)->starts_with("PATH=") && knows_path;
    if (word == words.end() || word->starts_with('-') || is_unknown(*word)) return {};
    if (std::string problem = program_problem(*word, working_folder, knows_path); !problem.empty())
      return problem;
  }
  const Interpreter* const interpreter = interpreter_named(*word);
  if (interpreter == nullptr) return {};
  const auto script = script_word(*interpreter, word + 1, words.end());
  if (script == words.end() || path_exists(working_folder / *script)) return {};
  if (interpreter->looks_in_path && (!knows_path || find_in_path(*script) != *script)) return {};
  return fmt::format("{}: no such file (script of {})", printable((working_folder / *script).string()),
                     printable(*word));
}

std::vector<GuestPart> command_parts(const std::vector<std::string>& words, const fs::path& working_folder,
                                     const fs::path& base) {
  std::vector<GuestPart> parts;
  if (words.empty()) return parts;
  if (const fs::path program = working_folder / find_in_path(words.front()); path_exists(program))
    add_part(program, base, parts);
  for (const fs::path& name : named_paths(words, working_folder))
    if (is_file(name)) add_part(name, base, parts);
  return parts;
}

GuestPart listed_part(const std::string& path, const fs::path& base) {
  return {name_in(base, base / path), (base / path).lexically_normal()};
}

std::vector<GuestPart> lock_part(const MethodDeclaration& method, const fs::path& project_dir) {
  if (!method.lock.empty()) return {listed_part(method.lock, project_dir)};
  if (method.runs_in.kind.empty() || method.runs_in.is_container()) return {};
  const fs::path place = project_dir / method.runs_in.place;
  for (const fs::path& folder : {place, place.parent_path(), project_dir})
    for (const char* const name :
         {"pixi.lock", "uv.lock", "poetry.lock", "conda-lock.yml", "requirements.txt", "environment.yml"})
      if (is_file(folder / name))
        return {listed_part((folder / name).lexically_relative(project_dir).string(), project_dir)};
  return {};
}

}  // namespace aqbench
