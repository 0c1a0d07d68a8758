#include "cli/shell/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "cli/command.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"

namespace aqbench::cli {
namespace {

const FlagText* flag_named(const CommandLineText& line, std::string_view name) {
  const auto found =
      std::ranges::find(line.flags, name, [](const FlagText& flag) { return std::string_view(flag.name); });
  return found == line.flags.end() ? nullptr : &*found;
}

bool takes_next_word(const FlagText& flag) { return flag.value_name != nullptr && !flag.value_optional; }

// The words of a command before the one being typed, by flag and argument.
struct SortedWords {
  std::map<std::string, std::vector<std::string>> given;  // by flag or argument
  const FlagText* awaited = nullptr;                      // the flag whose value is being typed
  const PositionalText* next = nullptr;                   // the next argument
};

SortedWords sort_words(const CommandLineText& line, const std::vector<std::string>& words) {
  SortedWords sorted;
  std::size_t position = 0;
  const auto argument = [&]() -> const PositionalText* {
    if (line.positional.empty()) return nullptr;
    if (position < line.positional.size()) return &line.positional[position];
    return line.positional.back().repeatable ? &line.positional.back() : nullptr;
  };
  for (const std::string& word : words) {
    if (sorted.awaited != nullptr) {
      sorted.given[sorted.awaited->name].push_back(word);
      sorted.awaited = nullptr;
    } else if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      const FlagText* const flag = flag_named(line, std::string_view(word).substr(2, equals - 2));
      if (flag == nullptr) continue;
      auto& values = sorted.given[flag->name];
      if (equals != std::string::npos)
        values.push_back(word.substr(equals + 1));
      else if (takes_next_word(*flag))
        sorted.awaited = flag;
    } else if (const PositionalText* const row = argument()) {
      sorted.given[row->name].push_back(word);
      ++position;
    }
  }
  sorted.next = argument();
  return sorted;
}

// Offers the values of a flag or argument, each after `before`.
std::vector<Candidate> values(const CommandLineText& line, const SortedWords& sorted, const std::string& name,
                              const char* value_name, const std::string& typed, const std::string& before) {
  const std::string kind = value_name == nullptr ? "" : value_name;
  std::vector<Candidate> offered;
  if (kind.find('|') != std::string::npos)
    for (const std::string_view choice : split_at(kind, '|')) offered.push_back({std::string(choice), ""});
  else if (const ValueSource source = value_source(name, kind))
    offered = source({typed, line.usage, sorted.given});
  for (Candidate& value : offered) value.text = before + value.text;
  return offered;
}

std::vector<Candidate> flags(const CommandLineText& line, const SortedWords& sorted) {
  std::vector<Candidate> offered;
  for (const FlagText& flag : line.flags)
    if (flag.repeatable || !sorted.given.contains(flag.name))
      offered.push_back({std::string("--") + flag.name, flag.help});
  return offered;
}

std::vector<Candidate> of_command(const CommandLineText& line, const std::vector<std::string>& words) {
  const std::string& typed = words.back();
  const SortedWords sorted = sort_words(line, {words.begin() + 2, words.end() - 1});
  if (sorted.awaited != nullptr)
    return values(line, sorted, sorted.awaited->name, sorted.awaited->value_name, typed, "");
  if (typed.starts_with("--") && typed.find('=') != std::string::npos) {
    const std::size_t equals = typed.find('=');
    const FlagText* const flag = flag_named(line, std::string_view(typed).substr(2, equals - 2));
    if (flag == nullptr) return {};
    return values(line, sorted, flag->name, flag->value_name, typed.substr(equals + 1),
                  typed.substr(0, equals + 1));
  }
  if (typed.starts_with('-')) return flags(line, sorted);
  std::vector<Candidate> offered;
  if (sorted.next != nullptr) offered = values(line, sorted, sorted.next->name, sorted.next->name, typed, "");
  if (typed.empty() && (sorted.next == nullptr || sorted.next->optional))
    for (Candidate& flag : flags(line, sorted)) offered.push_back(std::move(flag));
  return offered;
}

std::vector<Candidate> command_names() {
  std::vector<Candidate> offered;
  for (const Command& command : commands()) offered.push_back({command.name, command.summary});
  offered.push_back({"help", "the help of a command"});
  offered.push_back({"--help", "all commands"});
  offered.push_back({"--version", "the version"});
  return offered;
}

std::vector<Candidate> all_candidates(const std::vector<std::string>& words) {
  if (words.size() < 2) return {};
  if (words.size() == 2) return command_names();
  if (words[1] == "--version") return {{"--json", "the program's build and modules"}};
  if (words[1] == "help" && words.size() == 3) return command_names();
  const auto all = commands();
  const auto command = std::ranges::find(all, words[1], [](const Command& c) { return std::string(c.name); });
  return command == all.end() ? std::vector<Candidate>{} : of_command(text_of(*command), words);
}

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
  throw usage_error("{}", unknown_name_message("shell", shell, {"bash", "zsh", "fish"}));
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

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words(1);
  char quote = 0;
  bool in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      words.back() += line[++i];
      in_word = true;
    } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
      quote = quote == 0 ? c : static_cast<char>(0);
      in_word = true;
    } else if (quote == 0 && (c == ' ' || c == '\t')) {
      if (in_word) words.emplace_back();
      in_word = false;
    } else {
      words.back() += c;
      in_word = true;
    }
  }
  return words;
}

std::vector<Candidate> candidates(const std::vector<std::string>& words) {
  std::vector<Candidate> offered;
  try {
    offered = all_candidates(words);
  } catch (const std::exception&) {
    return {};  // nothing to offer: the command itself reports wrong arguments
  }
  std::erase_if(offered, [&](const Candidate& one) { return !one.text.starts_with(words.back()); });
  for (Candidate& one : offered) one.help = one_line(one.help, 120);
  return offered;
}

ExitCode completion_command(const Arguments& arguments) {
  const auto request = parse(completion_command_line(), arguments);
  if (request.shell.has_value() == request.line.has_value())
    throw usage_error("completion: needs a shell (bash, zsh or fish) or --line");
  if (request.shell) {
    fmt::print("{}", completion_script(*request.shell));
    return ExitCode::pass;
  }
  for (const Candidate& candidate : candidates(shell_words(*request.line)))
    fmt::print("{}\t{}\n", candidate.text, candidate.help);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
