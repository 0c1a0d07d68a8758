#pragma once
// Completion of a command line: the words offered by a shell, from the option tables of the commands and the
// registries.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench::cli {

// A completion: the whole word that replaces the one being typed. After a word that ends in "/", "=", "." or
// ":" the shell adds no blank, since more of the word may follow.
struct Candidate {
  std::string text;
  std::string help;  // one line, may be empty
};

// The known part of the command line while one value of it is typed.
struct TypedValue {
  std::string text;                                       // the typed part of the value
  std::string usage;                                      // of the command
  std::map<std::string, std::vector<std::string>> given;  // values of flags and arguments before it, by name
};

// Returns the possible values of one kind, including those that do not begin with the typed text.
using ValueSource = std::vector<Candidate> (*)(const TypedValue& typed);

// Returns the source of a flag's or argument's values, by its name or its value's name in the help; nullptr
// if there is none, as for a number.
ValueSource value_source(const std::string& name, const std::string& value_name);

// Splits the text before the cursor like a shell, with quotes and backslashes. The last word is the one being
// typed, "" after a blank.
std::vector<std::string> shell_words(std::string_view line);

// Returns the candidates for the last of these words; the first is the program's name. Unreadable sources (a
// folder that is not a bundle) give no candidates.
std::vector<Candidate> candidates(const std::vector<std::string>& words);

}  // namespace aqbench::cli
