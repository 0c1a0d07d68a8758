#pragma once
// commands.txt of a bundle, read back: exactly what begin_command() and end_command() write.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// One command in commands.txt, with its words as a shell reads them.
struct RanCommand {
  std::string started, finished, commit;  // finished: empty where the run was killed
  std::string line;                       // as it stands there
  std::vector<std::string> words;
  std::optional<int> exit_code;
  std::optional<double> real_s, user_s, sys_s;

  // Returns whether the command is this one of aqbench, whatever the program is called: "sweep".
  bool is(std::string_view name) const { return words.size() > 1 && words[1] == name; }

  // Returns whether a flag is given: "--threads 2", "--threads=2", "--gate".
  bool has(std::string_view flag) const;

  // Returns the word after a flag; nullopt: there is none.
  std::optional<std::string> value_of(std::string_view flag) const;
};

// All commands, in the order they ran.
struct CommandList {
  std::vector<RanCommand> commands;
  std::string problem;  // why the text is not what aqbench writes: "line 3 is no ..."; empty: it is
};

// Reads commands.txt. A text with a problem gives the commands before it, as far as they were read.
CommandList parse_commands(std::string_view text);

}  // namespace aqbench
