#pragma once
// The sources of the values that completion offers.

#include <map>
#include <string>
#include <vector>

namespace aqbench::cli {

// One way to continue a command line: the whole word that replaces the one being typed. After a word that
// ends in "/", "=", "." or ":" the shell adds no blank, since more of the word may follow.
struct Candidate {
  std::string text;
  std::string help;  // one line, may be empty
};

// What is known of the command line when one value of it is typed.
struct TypedValue {
  std::string text;                                       // what there is of the value
  std::string usage;                                      // of the command
  std::map<std::string, std::vector<std::string>> given;  // values of flags and arguments before it, by name
};

// Returns the values of one kind that can be offered, including those that do not begin with what was typed.
using ValueSource = std::vector<Candidate> (*)(const TypedValue& typed);

// Returns the source of a flag's or argument's values, by its name or what help calls its value; nullptr
// where there is none, as for a number.
ValueSource value_source(const std::string& name, const std::string& value_name);

}  // namespace aqbench::cli
