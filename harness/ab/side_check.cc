#include "harness/ab/side_check.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "harness/checking/environment_check.h"

namespace aqbench {
namespace {

bool same_build(const BuildInfo& a, const BuildInfo& b) {
  const auto fields = [](const BuildInfo& build) {
    return std::tie(build.version, build.commit, build.dirty, build.compiler, build.flags, build.build_type,
                    build.sanitizers);
  };
  return fields(a) == fields(b);
}

// Returns what the environment says of its program; an empty object where it says nothing.
Json build_of(const Json& environment) {
  const Json build = environment.is_object() ? environment.value("build", Json()) : Json();
  return build.is_object() ? build : Json::object();
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

// A command has no build of aqbench, and one program has one build.
std::string side_problem(const AbDocument& document) {
  for (const auto& [name, side] : {std::pair{"a", &document.a}, {"b", &document.b}})
    if (side->command && (!side->variant.empty() || !same_build(side->build, {})))
      return fmt::format("{}: a command has no variant and no build of aqbench", name);
  if (document.run.commands && !document.run.exec) return "run.exec is false, though commands are started";
  const std::string& program = document.a.program_sha256;
  const bool one = !program.empty() && program == document.b.program_sha256;
  return one && !same_build(document.a.build, document.b.build) ? "a, b: one program of two builds" : "";
}

std::vector<std::string> own_side_problems(const std::string& name, const AbSideInfo& side,
                                           const Json& environment) {
  std::vector<std::string> problems;
  const Json told = build_of(environment);
  Json own = {{"program_sha256", side.program_sha256}};
  add_build(own, side.build);
  for (const char* const unknown : {"commit", "dirty"})
    if (side.build.commit.empty()) own.erase(unknown);
  for (const auto& [key, value] : own.items())
    if (told.contains(key) && told.at(key) != value)
      problems.push_back(fmt::format("{}.{} is not that of environment.build", name, key));
  return problems;
}

bool is_of_this_program(const Json& environment) {
  const Json build = build_of(environment);
  JournalHeader header;
  header.program_commit = text_in(build, "commit");
  header.program_sha256 = text_in(build, "program_sha256");
  return is_of_this_program(header);
}

}  // namespace aqbench
