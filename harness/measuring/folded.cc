#include "harness/measuring/folded.h"

#include <charconv>

#include "core/error.h"

namespace aqbench {

std::string folded_text(const FoldedStacks& stacks) {
  std::string text;
  for (const auto& [stack, count] : stacks) text += stack + ' ' + std::to_string(count) + '\n';
  return text;
}

FoldedStacks read_folded(std::string_view text, const std::string& source) {
  FoldedStacks stacks;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    const std::size_t blank = line.rfind(' ');
    std::uint64_t count = 0;
    const char* const end = line.data() + line.size();
    if (blank != std::string_view::npos && blank > 0) {
      const auto [rest, status] = std::from_chars(line.data() + blank + 1, end, count);
      if (status == std::errc{} && rest == end) {
        stacks[std::string(line.substr(0, blank))] += count;
        continue;
      }
    }
    throw Error(ErrorKind::input, source + ":" + std::to_string(number) + ": expected 'STACK COUNT'");
  }
  return stacks;
}

std::uint64_t sample_count(const FoldedStacks& stacks) {
  std::uint64_t count = 0;
  for (const auto& [stack, samples] : stacks) count += samples;
  return count;
}

std::vector<std::string_view> functions_of(std::string_view stack) {
  std::vector<std::string_view> functions;
  while (true) {
    const std::size_t end = stack.find(';');
    functions.push_back(stack.substr(0, end));
    if (end == std::string_view::npos) return functions;
    stack.remove_prefix(end + 1);
  }
}

bool is_unresolved(std::string_view function) {
  return function.size() > 2 && function.front() == '[' && function.back() == ']';
}

}  // namespace aqbench
