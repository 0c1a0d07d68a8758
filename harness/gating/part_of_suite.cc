#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"

namespace aqbench {
namespace {

std::vector<std::string> texts_at(const Json& object, const char* key) {
  std::vector<std::string> texts;
  if (!object.is_object() || !object.contains(key) || !object[key].is_array()) return texts;
  for (const Json& text : object[key])
    if (text.is_string()) texts.push_back(text.get<std::string>());
  return texts;
}

// Whether the name begins with one of these.
bool begins_with_one(const std::string& name, const std::vector<std::string>& firsts) {
  return std::ranges::any_of(
      firsts, [&](const std::string& first) { return name == first || name.starts_with(first + "/"); });
}

}  // namespace

bool PartOfSuite::leaves_out(const std::string& case_name) const {
  if (begins_with_one(case_name, workloads)) return false;
  const bool has_scene = begins_with_one(case_name, scenes);
  const bool has_method = std::ranges::any_of(methods, [&](const std::string& method) {
    return (case_name + "/").find("/" + method + "/") != std::string::npos;
  });
  return (!asked_scenes.empty() && !has_scene) || (!asked_methods.empty() && !has_method) ||
         (!asked_workloads.empty() && !has_scene);
}

std::string PartOfSuite::note(const std::vector<std::string>& left_out) const {
  constexpr std::size_t kMaxNames = 20;
  std::vector<std::string> flags;
  for (const auto& [flag, values] :
       {std::pair("--scene ", asked_scenes), {"--method ", asked_methods}, {"--workload ", asked_workloads}})
    for (const std::string& value : values) flags.push_back(flag + value);
  const auto shown = std::span(left_out).first(std::min(left_out.size(), kMaxNames));
  return printable(fmt::format(
      "a part of the suite ({}): {} did not run: {}{}", fmt::join(flags, " "),
      counted(left_out.size(), "accepted case"), fmt::join(shown, ", "),
      shown.size() < left_out.size() ? fmt::format(" and {} more", left_out.size() - shown.size()) : ""));
}

PartOfSuite part_of_suite(const Results& results) {
  if (results.run.suite.empty()) return {};
  const Json &asked = *results.run.requested, &ran = *results.run.effective;
  return {texts_at(asked, "scenes"), texts_at(asked, "methods"), texts_at(asked, "workloads"),
          texts_at(ran, "scenes"),   texts_at(ran, "methods"),   texts_at(ran, "workloads")};
}

}  // namespace aqbench
