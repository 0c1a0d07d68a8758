#include "pipeline/external/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "pipeline/external/external.h"
#include "pipeline/method/declaration.h"
#include "scenes/cloud/length_units.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

const std::string* value_of(const PatternValues& values, std::string_view name) {
  const auto found = std::ranges::find(values, name, [](const auto& value) { return value.first; });
  return found == values.end() ? nullptr : &found->second;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view(R"(.^$|()[]{}*+?\)").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

// One part of a path between slashes, as an expression; `names` are those of its groups.
struct PartPattern {
  std::string expression;
  std::vector<std::string> names;
  bool is_literal = true;
};

PartPattern part_pattern(std::string_view part, const PatternValues& known) {
  PartPattern pattern;
  const auto placeholder = [&](std::string_view name) {
    const std::string* const value = value_of(known, name);
    if (value != nullptr) {
      pattern.expression += (name == "seed" ? "0*" : "") + escaped(*value);
      pattern.is_literal = pattern.is_literal && name != "seed";
      return;
    }
    pattern.is_literal = false;
    const auto again = std::ranges::find(pattern.names, name);
    pattern.expression += again != pattern.names.end()
                              ? fmt::format("(?:\\{})", again - pattern.names.begin() + 1)
                          : name == "seed" ? "0*([0-9]+)"
                                           : "([^/]+)";
    if (again == pattern.names.end()) pattern.names.emplace_back(name);
  };
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::size_t end = part[i] == '{' ? part.find('}', i) : part.npos;
    if (end != part.npos && is_plain_name(part.substr(i + 1, end - i - 1), false)) {
      placeholder(part.substr(i + 1, end - i - 1));
      i = end;
    } else if (part[i] == '*') {
      pattern.is_literal = false;
      pattern.expression += "[^/]*";
    } else {
      pattern.expression += escaped(part.substr(i, 1));
    }
  }
  return pattern;
}

// Walks a pattern part by part.
struct Walk {
  std::vector<std::string_view> parts;
  std::vector<fs::path>* listed;
  std::vector<PatternFile> found;
  bool folders = false;  // count, too

  void go(const fs::path& at, std::size_t part, const PatternValues& known, const PatternValues& new_values) {
    if (part == parts.size()) {
      if (is_file(at) || (folders && folder_exists(at))) found.push_back({at, new_values});
      return;
    }
    const PartPattern pattern = part_pattern(parts[part], known);
    if (pattern.is_literal)
      return go(at / with_placeholders(parts[part], known), part + 1, known, new_values);
    if (listed != nullptr) listed->push_back(at);
    const std::regex expression(pattern.expression);
    for (const fs::path& entry : entries_of(at)) {
      const std::string name = entry.filename().string();
      std::smatch match;
      if (!std::regex_match(name, match, expression)) continue;
      PatternValues more = known, fresh = new_values;
      for (std::size_t i = 0; i < pattern.names.size(); ++i) {
        more.emplace_back(pattern.names[i], match[i + 1].str());
        fresh.emplace_back(more.back());
      }
      go(entry, part + 1, more, fresh);
    }
  }
};

PatternValues values_of_case(const MethodInput& input) {
  PatternValues values = {{"scene", input.scene},
                          {"seed", std::to_string(input.seed)},
                          {"method", input.declaration->name},
                          {"project", input.project_dir.string()}};
  for (const auto& [name, value] : input.parameters.items()) values.emplace_back(name, to_string(value));
  return values;
}

// For protocols it may be a folder.
std::optional<fs::path> file_of_case(const MethodInput& input, std::vector<fs::path>* listed = nullptr) {
  const std::vector<PatternFile> files =
      files_of_pattern(input.project_dir, input.declaration->given, values_of_case(input), listed,
                       input.declaration->gives != MethodDeclaration().gives);
  if (files.empty()) return std::nullopt;
  if (files.size() > 1)
    throw method_error("two files for one case: {} and {}", files[0].file.string(), files[1].file.string());
  return files.front().file;
}

// What lies beside the cloud and is read with it.
std::vector<fs::path> files_beside(const MethodInput& input, const fs::path& file) {
  const MethodDeclaration& method = *input.declaration;
  std::vector<fs::path> files;
  for (const std::string& name :
       {method.depth_maps, method.point_maps, method.images,
        input.own_poses && method.gives != "poses" ? method.cameras : std::string(), method.world_from_cloud})
    if (!name.empty()) files.push_back((file.parent_path() / name).lexically_normal());
  return files;
}

}  // namespace

std::vector<PatternFile> files_of_pattern(const fs::path& base, std::string_view pattern,
                                          const PatternValues& known, std::vector<fs::path>* listed,
                                          bool folders) {
  Walk walk{split_at(pattern, '/'), listed, {}, folders};
  const bool from_root = pattern.starts_with('/');
  std::erase(walk.parts, "");
  walk.go(from_root ? fs::path("/") : base, 0, known, {});
  std::ranges::sort(walk.found, {}, &PatternFile::file);
  return std::move(walk.found);
}

Reconstruction run_given(const Observation& observation, const MethodInput& input) {
  const MethodDeclaration& method = *input.declaration;
  const std::optional<fs::path> file = file_of_case(input);
  if (!file) throw CannotRunHere(with_placeholders(method.given, values_of_case(input)) + ": no such file");
  for (const fs::path& beside : files_beside(input, *file))
    if (!path_exists(beside)) throw method_error("{}: no such file", beside.string());
  ProgramRun results;
  if (method.gives == MethodDeclaration().gives) results.result = file->filename();
  results.depth_maps = method.depth_maps;
  if (!method.depth_maps.empty()) results.depth_meaning = depths_of(observation, method);
  results.metres_per_unit = metres_per_unit(method.unit).value();
  if (input.own_poses && method.gives != "poses") results.cameras = method.cameras;
  results.world_from_cloud = method.world_from_cloud;
  Reconstruction output = read_results(file->parent_path(), results);
  keep_protocol_files(input, file->parent_path(), file->filename());
  return output;
}

std::vector<fs::path> given_reads(const Observation&, const MethodInput& input) {
  std::vector<fs::path> reads;
  const std::optional<fs::path> file = file_of_case(input, &reads);
  if (!file) return reads;
  reads.push_back(*file);
  std::ranges::move(files_beside(input, *file), std::back_inserter(reads));
  return reads;
}

std::vector<GuestPart> given_guest(const MethodInput& input) {
  const std::optional<fs::path> file = file_of_case(input);
  if (!file) return {};
  std::vector<GuestPart> parts = {{file->lexically_relative(input.project_dir).generic_string(), *file}};
  for (const fs::path& beside : files_beside(input, *file))
    parts.push_back({beside.lexically_relative(input.project_dir).generic_string(), beside});
  return parts;
}

}  // namespace aqbench
