#pragma once
// The sources of the values that completion offers.

#include <map>
#include <string>
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

}  // namespace aqbench::cli
