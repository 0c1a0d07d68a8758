#include "reports/content/command_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "reports/content/commands.h"
#include "reports/content/utc.h"

namespace aqbench {
namespace {

// Splits what shell_join() joined.
std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' && !quoted) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\'')
      quoted = !quoted;
    else if (c == '\\' && !quoted && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  return words;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Reads the lines one after the other; the first that is not as written ends it.
class CommandReader {
 public:
  explicit CommandReader(std::string_view text) : rest_(text) {}

  CommandList run() {
    if (!is(next(), kCommandsTitle)) fail("is not the title");
    while (list_.problem.empty() && !rest_.empty()) read_command();
    return std::move(list_);
  }

 private:
  static bool is(const std::optional<std::string>& line, std::string_view text) {
    return line && *line == text;
  }

  void fail(std::string_view what) {
    if (list_.problem.empty()) list_.problem = fmt::format("line {} {}", line_, what);
  }

  // Returns the next line, which must be whole and fit for a terminal; nullopt: there is none.
  std::optional<std::string> next() {
    if (!list_.problem.empty()) return std::nullopt;
    ++line_;
    const std::size_t end = rest_.find('\n');
    if (end == rest_.npos) {
      fail(rest_.empty() ? "is missing" : "does not end");
      return std::nullopt;
    }
    std::string line(rest_.substr(0, end));
    if (printable(line) != line) fail("holds a control character");
    rest_.remove_prefix(end + 1);
    return line;
  }

  // Returns what follows `lead` on the next line, which must begin so.
  std::string after(std::string_view lead) {
    const auto line = next();
    if (line && line->starts_with(lead)) return line->substr(lead.size());
    fail(fmt::format("does not begin with '{}'", lead));
    return {};
  }

  // "status before: WHY NOT", or "status before:" and indented lines.
  void skip_status(std::string_view lead) {
    const std::string why = after(lead);
    if (!why.empty() && (why.size() < 2 || why[0] != ' ')) fail("is no status");
    while (why.empty() && list_.problem.empty() && rest_.starts_with("  ")) next();
  }

  std::string utc_after(std::string_view lead) {
    std::string utc = after(lead);
    if (!seconds_of_utc(utc)) fail("holds no time");
    return utc;
  }

  // What a process can end with.
  void read_exit_code(RanCommand& command) {
    constexpr int kLargest = 255;
    const std::string code = after("exit code: ");
    const auto number = is_digits(code) && code.size() <= 3 ? parse_double(code) : std::nullopt;
    if (!number || *number > kLargest || fmt::format("{}", *number) != code)
      return fail("holds no exit code");
    command.exit_code = static_cast<int>(*number);
  }

  // "real 1.234 s": three decimals, as times_block() writes.
  double seconds_after(std::string_view lead) {
    std::string text = after(lead);
    if (!text.ends_with(" s")) fail("holds no seconds");
    text.resize(text.size() - std::min<std::size_t>(text.size(), 2));
    const std::size_t point = text.find('.');
    const bool plain = point != text.npos && is_digits(std::string_view(text).substr(0, point)) &&
                       is_digits(std::string_view(text).substr(point + 1)) && text.size() == point + 4;
    const auto seconds = plain ? parse_double(text) : std::nullopt;
    if (!seconds) fail("holds no seconds");
    return seconds.value_or(0);
  }

  void read_command() {
    if (!is(next(), "")) fail("is not empty");
    RanCommand command;
    command.started = utc_after("started: ");
    command.commit = after("commit: ");
    if (command.commit.empty() || after("branch: ").empty()) fail("holds no name");
    skip_status("status before:");
    command.line = after("command: ");
    command.words = split_words(command.line);
    if (list_.problem.empty() && !rest_.empty() && !rest_.starts_with('\n')) {  // else it was killed
      command.finished = utc_after("finished: ");
      skip_status("status after:");
      read_exit_code(command);
      command.real_s = seconds_after("real ");
      command.user_s = seconds_after("user ");
      command.sys_s = seconds_after("sys ");
    }
    if (list_.problem.empty()) list_.commands.push_back(std::move(command));
  }

  std::string_view rest_;
  std::size_t line_ = 0;
  CommandList list_;
};

}  // namespace

bool RanCommand::has(std::string_view flag) const {
  const std::string name = fmt::format("--{}", flag);
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word == name || word.starts_with(name + "="); });
}

std::optional<std::string> RanCommand::value_of(std::string_view flag) const {
  const std::string name = fmt::format("--{}", flag);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
    if (words[i] == name && i + 1 < words.size()) return words[i + 1];
  }
  return std::nullopt;
}

CommandList parse_commands(std::string_view text) {
  CommandList list = CommandReader(text).run();
  if (list.problem.empty() && list.commands.empty()) list.problem = "names no command";
  return list;
}

}  // namespace aqbench
