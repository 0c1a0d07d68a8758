#include "pipeline/external/command_problem.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>

#include "core/processes/process.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

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
  std::error_code unknown;
  if (program.find('/') == std::string::npos) {
    if (!knows_path || find_in_path(program) != program) return {};
    const bool is_here = fs::is_regular_file(folder / program, unknown);
    return fmt::format(
        "{}: no such program in PATH{}", printable(program),
        is_here ? fmt::format("; write ./{} for the file in this folder", printable(program)) : "");
  }
  const fs::path file = folder / program;
  if (!fs::exists(file, unknown)) return fmt::format("{}: no such program", printable(file.string()));
  if (!fs::is_regular_file(file, unknown) || ::access(file.c_str(), X_OK) != 0)
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

}  // namespace

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
  std::error_code unknown;
  if (script == words.end() || fs::exists(working_folder / *script, unknown)) return {};
  if (interpreter->looks_in_path && (!knows_path || find_in_path(*script) != *script)) return {};
  return fmt::format("{}: no such file (script of {})", printable((working_folder / *script).string()),
                     printable(*word));
}

}  // namespace aqbench
