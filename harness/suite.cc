#include "harness/suite.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "harness/json_place.h"
#include "harness/text.h"
#include "scenes/core/error.h"
#include "scenes/core/files.h"

namespace aqbench {
namespace {

std::vector<std::string> read_names(const JsonPlace& place) {
  std::vector<std::string> names;
  for (const JsonPlace& element : place.elements()) {
    names.push_back(element.text());
    if (names.back().empty()) element.fail("is empty");
  }
  if (names.empty()) place.fail("is empty");
  return names;
}

std::vector<std::uint64_t> read_seeds(const JsonPlace& place) {
  std::vector<std::uint64_t> seeds;
  std::set<std::uint64_t> seen;
  for (const JsonPlace& element : place.elements()) {
    seeds.push_back(element.count());
    if (seeds.back() > static_cast<std::uint64_t>(INT64_MAX)) element.fail("is more than 2^63 - 1");
    if (!seen.insert(seeds.back()).second) element.fail("stands twice");
  }
  if (seeds.empty()) place.fail("is empty");
  return seeds;
}

Axis read_axis(const std::string& name, const JsonPlace& place) {
  try {
    if (place.value().is_string()) return parse_axis(fmt::format("{}={}", name, place.text()));
    std::string values;
    for (const JsonPlace& element : place.elements())
      values += fmt::format("{}{}", values.empty() ? "" : ",", to_string(element.parameter()));
    return parse_axis(fmt::format("{}={}", name, values));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    place.fail(error.what());
  }
}

Override read_set(const std::string& key, const JsonPlace& place) {
  try {
    return parse_override(fmt::format("{}={}", key, to_string(place.parameter())));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    place.fail(error.what());
  }
}

}  // namespace

const std::vector<Suite>& suite_registry() {
  static const std::vector<Suite> table = {
      {.name = "seed",
       .description = "the two synthetic scenes with the two simulated matchers, one seed",
       .scenes = {"flat_plane", "undulating"},
       .methods = {"lightglue_like", "roma_like"},
       .seeds = {42},
       .axes = {},
       .sets = {},
       .workloads = {}},
  };
  return table;
}

Suite read_suite_file(const std::filesystem::path& path) {
  constexpr std::uintmax_t max_bytes = 1 << 20;
  const std::string source = path.string();
  return suite_from_json(parse_json_strictly(read_file(path, max_bytes), source), source);
}

Suite suite_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  root.allow_only({"name", "description", "scenes", "methods", "seeds", "axes", "set", "workloads"});
  Suite suite;
  suite.name = root.at("name").text();
  if (suite.name.empty() || one_line(suite.name) != suite.name)
    root.at("name").fail("is not one line of text");
  if (const auto description = root.find("description")) suite.description = one_line(description->text());
  if (const auto workloads = root.find("workloads")) suite.workloads = read_names(*workloads);
  if (suite.workloads.empty() || root.find("scenes") || root.find("methods")) {
    suite.scenes = read_names(root.at("scenes"));
    suite.methods = read_names(root.at("methods"));
  }
  if (const auto seeds = root.find("seeds")) suite.seeds = read_seeds(*seeds);
  if (const auto axes = root.find("axes"))
    for (const auto& [name, place] : axes->members()) suite.axes.push_back(read_axis(name, place));
  if (const auto sets = root.find("set"))
    for (const auto& [key, place] : sets->members()) suite.sets.push_back(read_set(key, place));
  return suite;
}

Json to_json(const Suite& suite) {
  Json axes = Json::object();
  for (const Axis& axis : suite.axes) axes[axis.name] = axis.values;
  Json sets = Json::object();
  for (const Override& given : suite.sets) sets[given.owner + "." + given.parameter] = given.value;
  Json json = {{"name", suite.name},
               {"description", suite.description},
               {"seeds", suite.seeds},
               {"axes", axes},
               {"set", sets}};
  if (!suite.workloads.empty()) json["workloads"] = suite.workloads;
  if (suite.workloads.empty() || !suite.scenes.empty() || !suite.methods.empty()) {
    json["scenes"] = suite.scenes;
    json["methods"] = suite.methods;
  }
  return json;
}

}  // namespace aqbench
