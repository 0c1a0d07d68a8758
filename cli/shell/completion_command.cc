#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/options.h"
#include "cli/shell/candidates.h"
#include "core/error.h"
#include "core/parameters.h"

namespace aqbench::cli {
namespace {

// Readline replaces the text after the last of COMP_WORDBREAKS, not the whole word: "=" and ":" break words.
constexpr const char* kBash = R"(# Completion of aqbench for bash: written by `aqbench completion bash`.
_aqbench() {
  local word help typed prefix=
  local -a found=()
  typed=${COMP_LINE:0:COMP_POINT}
  while IFS=$'\t' read -r word help; do
    found+=("$word")
  done < <("${COMP_WORDS[0]/#\~/$HOME}" completion --line "$typed" 2>/dev/null)
  typed=${typed##*[[:space:]]}
  case $typed in
    *=*|*:*) prefix=${typed%"${typed##*[=:]}"} ;;
  esac
  COMPREPLY=()
  for word in "${found[@]}"; do
    case $word in
      *[=/.:]) compopt -o nospace 2>/dev/null ;;
    esac
    word=${word#"$prefix"}
    [[ $word == *[\ \'\"\\\$\&\(\)\;\<\>\|\*\?]* ]] && printf -v word %q "$word"
    COMPREPLY+=("$word")
  done
}
complete -F _aqbench aqbench
)";

constexpr const char* kZsh = R"(#compdef aqbench
# Completion of aqbench for zsh: written by `aqbench completion zsh`.
_aqbench() {
  local line word help
  local -a finished going_on finished_help going_on_help
  line="${(j: :)words[1,CURRENT-1]} $PREFIX"
  while IFS=$'\t' read -r word help; do
    if [[ $word == *[=/.:] ]]; then
      going_on+=("$word")
      going_on_help+=("$word${help:+  -- $help}")
    else
      finished+=("$word")
      finished_help+=("$word${help:+  -- $help}")
    fi
  done < <("${(Q)words[1]}" completion --line "$line" 2>/dev/null)
  (( $#finished )) && compadd -l -d finished_help -a finished
  (( $#going_on )) && compadd -l -S '' -d going_on_help -a going_on
  (( $#finished + $#going_on ))
}
if [[ $funcstack[1] == _aqbench ]]; then
  _aqbench "$@"
else
  compdef _aqbench aqbench
fi
)";

constexpr const char* kFish = R"(# Completion of aqbench for fish: written by `aqbench completion fish`.
function __aqbench_candidates
    set -l typed (commandline -cp)
    set -l program (string split -m 1 ' ' -- $typed)[1]
    eval $program completion --line (string escape -- $typed) 2>/dev/null
end
complete -c aqbench -f -k -a '(__aqbench_candidates)'
)";

// Returns the script for "bash", "zsh" or "fish", for a file that the shell reads. Throws Error(usage) for
// any other shell.
std::string completion_script(const std::string& shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  throw Error(ErrorKind::usage, unknown_name_message("shell", shell, {"bash", "zsh", "fish"}));
}

struct CompletionRequest {
  std::optional<std::string> shell, line;
};

CommandLine<CompletionRequest> completion_command_line() {
  return {"aqbench completion bash|zsh|fish\n       aqbench completion --line TEXT",
          "Prints the script that completes aqbench's commands, flags and their values in a shell: scenes,\n"
          "methods, presets, parameters, suites, baselines, bundles and their cases. Packages install it;\n"
          "by hand:\n\n"
          "  aqbench completion bash >> ~/.bash_completion\n"
          "  aqbench completion zsh > ~/.zfunc/_aqbench        # a folder of $fpath\n"
          "  aqbench completion fish > ~/.config/fish/completions/aqbench.fish",
          {{"line", "TEXT", "print the completions of this command line: word, tab, help",
            into<&CompletionRequest::line>}},
          {{{.name = "shell", .optional = true}, into<&CompletionRequest::shell>}}};
}

}  // namespace

ExitCode completion_command(const Arguments& arguments) {
  const auto request = parse(completion_command_line(), arguments);
  if (!request) return ExitCode::pass;
  if (request->shell.has_value() == request->line.has_value())
    throw Error(ErrorKind::usage, "completion: needs a shell (bash, zsh or fish) or --line");
  if (request->shell) {
    fmt::print("{}", completion_script(*request->shell));
    return ExitCode::pass;
  }
  for (const Candidate& candidate : candidates(shell_words(*request->line)))
    fmt::print("{}\t{}\n", candidate.text, candidate.help);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
