#include "reports/content/case_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/case_name.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

bool is_axis(const std::string& step) { return step.find('=') != step.npos; }

bool is_other_axis(const std::string& step) { return is_axis(step) && !step.starts_with("seed="); }

bool has(const std::vector<std::string>& steps, const std::string& step) {
  return std::ranges::find(steps, step) != steps.end();
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string readable(std::string_view name) {
  constexpr std::size_t kMaxCaseNameBytes = 150;
  std::string file;
  for (const char c : name)
    if (c == '/')
      file += "__";
    else
      file += is_letter_or_digit(c) || std::string_view("_.=,+-").find(c) != std::string_view::npos ? c : '.';
  file.resize(std::min(file.size(), kMaxCaseNameBytes));
  return file.empty() || !is_letter_or_digit(file.front()) ? "case" + file : file;
}

using NameSteps = std::vector<std::vector<std::string>>;

// The axes that all names have. `lenient`: names without other axes than a seed do not count for the others.
std::vector<std::string> common_axes(const NameSteps& steps, bool lenient) {
  std::vector<std::string> common;
  for (const auto& some : steps)  // of the name with most axes: one without any has none that it could share
    if (std::ranges::count_if(some, is_axis) > static_cast<std::ptrdiff_t>(common.size())) {
      common.clear();
      std::ranges::copy_if(some, std::back_inserter(common), is_axis);
    }
  for (const auto& some : steps) {
    const bool has_no_say = lenient && std::ranges::none_of(some, is_other_axis);
    std::erase_if(common, [&](const std::string& step) {
      return !has(some, step) && !(has_no_say && is_other_axis(step));
    });
  }
  return common;
}

ShortNames without(const std::vector<std::string>& names, NameSteps steps,
                   const std::vector<std::string>& common) {
  ShortNames found{fmt::format("{}", fmt::join(common, " ")), {}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::erase_if(steps[i], [&](const std::string& step) { return has(common, step); });
    found.of[names[i]] = fmt::format("{}", fmt::join(steps[i], "/"));
  }
  return found;
}

}  // namespace

ShortNames shorten_names(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> steps;
  for (const std::string& name : names) steps.push_back(axis_steps(name));
  ShortNames found = without(names, steps, common_axes(steps, true));
  std::set<std::string> distinct;
  for (const auto& [name, shorter] : found.of) distinct.insert(shorter);
  return distinct.size() == found.of.size() ? found : without(names, steps, common_axes(steps, false));
}

const std::string& case_meant(const std::vector<std::string>& names, const std::string& given) {
  if (const auto whole = std::ranges::find(names, given); whole != names.end()) return *whole;
  const ShortNames shorter = shorten_names(names);
  std::vector<const std::string*> found;
  for (const std::string& name : names)
    if (shorter.of.at(name) == given) found.push_back(&name);
  if (found.empty())
    for (const std::string& name : names)
      if (names_case(given, name)) found.push_back(&name);
  if (found.empty()) throw Error(ErrorKind::usage, unknown_name_message("case", given, names));
  if (found.size() > 1)
    throw usage_error("case '{}': may be {} or {}{}", given, *found[0], *found[1],
                      found.size() > 2 ? fmt::format(" ({} in all)", found.size()) : "");
  return *found.front();
}

std::map<std::string, std::string> readable_file_names(const std::vector<std::string>& names) {
  std::map<std::string, int> uses;
  for (const std::string& name : std::set(names.begin(), names.end())) ++uses[lower_case(readable(name))];
  std::map<std::string, std::string> files;
  for (const std::string& name : names) {
    const std::string file = readable(name);
    files[name] =
        uses.at(lower_case(file)) == 1 ? file : fmt::format("{}-{}", file, sha256_hex(name).substr(0, 8));
  }
  return files;
}

}  // namespace aqbench
