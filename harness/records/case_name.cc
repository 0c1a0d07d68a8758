#include "harness/records/case_name.h"

#include <algorithm>

#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::string_view kSeedPart = "/seed=";

// The parts of a name around its seed; `head` alone where there is none.
struct NameAroundSeed {
  std::string_view head, seed, tail;
  bool has_seed = false;
};

NameAroundSeed split_at_seed(std::string_view name) {
  const std::size_t start = name.find(kSeedPart);
  if (start == name.npos) return {name, {}, {}};
  const std::size_t value = start + kSeedPart.size(), end = std::min(name.find('/', value), name.size());
  return {name.substr(0, start), name.substr(value, end - value), name.substr(end), true};
}

}  // namespace

std::string seed_in_name(std::string_view case_name) { return std::string(split_at_seed(case_name).seed); }

std::string name_without_seed(std::string_view case_name) {
  const NameAroundSeed parts = split_at_seed(case_name);
  return std::string(parts.head).append(parts.tail);
}

std::string name_with_seed(std::string_view case_name, std::string_view seed) {
  const NameAroundSeed parts = split_at_seed(case_name);
  if (!parts.has_seed) return std::string(case_name);
  return std::string(parts.head).append(kSeedPart).append(seed).append(parts.tail);
}

std::string name_without_method(std::string_view case_name) {
  const std::size_t start = case_name.find('/');
  const std::size_t end = start == case_name.npos ? start : case_name.find('/', start + 1);
  if (end == case_name.npos) return std::string(case_name);
  return std::string(case_name.substr(0, start)).append(case_name.substr(end));
}

bool names_case(std::string_view given, std::string_view name) {
  const auto is_meant = [](std::string_view step, std::string_view one) {
    return step == one || (one.find('=') != one.npos && step.ends_with("." + std::string(one)));
  };
  const auto steps = split_at(name, '/');
  auto step = steps.begin();
  for (const std::string_view one : split_at(given, '/')) {
    step = std::find_if(step, steps.end(), [&](std::string_view other) { return is_meant(other, one); });
    if (step == steps.end()) return false;
    ++step;
  }
  return true;
}

bool means_case(std::string_view pattern, std::string_view name) {
  return has_wildcard(pattern) ? glob_matches(pattern, name) : names_case(pattern, name);
}

bool has_own_poses(std::string_view case_name) {
  constexpr std::string_view step = "/poses=own";
  for (std::size_t at = 0; (at = case_name.find(step, at)) != case_name.npos; at += step.size())
    if (const std::size_t end = at + step.size(); end == case_name.size() || case_name[end] == '/')
      return true;
  return false;
}

}  // namespace aqbench
