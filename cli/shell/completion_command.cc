#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/options.h"
#include "cli/shell/candidates.h"
#include "cli/shell/shell_scripts.h"
#include "core/error.h"

namespace aqbench::cli {
namespace {

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
          {{{.name = "line",
             .value_name = "TEXT",
             .help = "print the completions of this command line: word, tab, help"},
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
