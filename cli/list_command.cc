#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/list_registries.h"
#include "cli/options.h"
#include "core/table.h"
#include "core/text.h"

namespace aqbench::cli {
namespace {

// Prints a name and a text that breaks between words and stays in its column.
void print_wrapped(const std::string& name, std::size_t name_width, const std::string& text) {
  fmt::print("{}", wrap_text(printable(fmt::format("  {:<{}}  {}", name, name_width, text)),
                             page_columns(STDOUT_FILENO), name_width + 4));
}

std::string default_text(const Json& parameter) {
  const Json& value = parameter["default"];
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Describes the allowed values: ", 1 to 9" or ", one of a, b"; empty if any number or text is allowed.
std::string range_text(const Json& parameter) {
  if (!parameter.contains("choices"))
    return parameter["min"].is_null()
               ? ""
               : fmt::format(", {} to {}", short_number(parameter["min"].get<double>()),
                             short_number(parameter["max"].get<double>()));
  const auto choices = parameter["choices"].get<std::vector<std::string>>();
  return choices.empty() ? "" : fmt::format(", one of {}", fmt::join(choices, ", "));
}

void print_parameters(const Json& item) {
  if (!item.contains("parameters")) return;
  for (const Json& parameter : item["parameters"]) {
    const std::string unit = parameter["unit"].get<std::string>();
    const std::string help = parameter["help"].get<std::string>();
    const std::string full = item["name"].get<std::string>() + "." + parameter["name"].get<std::string>();
    print_wrapped(
        "  " + full, 34,
        fmt::format("{}{}{}{}", default_text(parameter), unit.empty() || unit == "1" ? "" : " " + unit,
                    range_text(parameter), help.empty() ? "" : fmt::format(" ({})", help)));
  }
}

// Returns a line for each preset, "mine:fast preset: window=5, cost=ncc". The first is the default.
void print_presets(const Json& item) {
  if (!item.contains("presets")) return;
  bool first = true;
  for (const Json& preset : item["presets"]) {
    Strings sets;
    for (const auto& [name, value] : preset["sets"].items())
      sets.push_back(fmt::format("{}={}", name, value.get<std::string>()));
    print_wrapped(fmt::format("  {}:{}", item["name"].get<std::string>(), preset["name"].get<std::string>()),
                  34,
                  fmt::format("preset{}: {}", std::exchange(first, false) ? ", the default" : "",
                              sets.empty() ? "all parameters at their defaults"
                                           : fmt::format("{}", fmt::join(sets, ", "))));
  }
}

// The first part of a text that fits into a line: up to its last bracket, a full stop or a semicolon, else as
// many words as fit, with a mark.
std::string shortened(const std::string& text, std::size_t room) {
  if (text.size() <= room) return text;
  for (const char* const end : {". ", "; "})
    if (const std::size_t at = text.find(end); at != std::string::npos && at <= room)
      return text.substr(0, at);
  if (const std::size_t at = text.rfind(" ("); text.ends_with(")") && at != std::string::npos && at <= room)
    return text.substr(0, at);
  return text.substr(0, std::min(text.rfind(' ', room - 4), room - 4)) + " ...";
}

// A name and a line for each item; with `details` also its parameters and presets.
void print_items(const Json& list, bool details) {
  std::size_t width = 0;
  for (const Json& item : list) width = std::max(width, item["name"].get<std::string>().size());
  for (const Json& item : list) {
    const std::string name = printable(item["name"].get<std::string>()),
                      summary = printable(item["summary"].get<std::string>());
    if (details)
      print_wrapped(name, width, summary);
    else
      fmt::print("  {:<{}}  {}\n", name, width,
                 shortened(summary, page_columns(STDOUT_FILENO) - 4 - std::min<std::size_t>(width, 60)));
    if (!details) continue;
    print_parameters(item);
    print_presets(item);
  }
}

struct ListRequest {
  std::optional<std::string> what, dataset;
  std::optional<std::filesystem::path> project_file;
  bool json = false;
};

CommandLine<ListRequest> list_command_line() {
  return {
      "aqbench list [scenes|datasets|methods|suites|metrics|rigs|imaging|workloads|stages|devices|\n"
      "                   NAME] [--json]",
      "Lists what there is, a line each. With the name of a list, or of one thing in it, also parameters\n"
      "with their defaults, units and meaning. imaging_parameters belong to rendered images, perturb to\n"
      "calibration errors; devices are listed by name only.",
      {{"json", nullptr, "print JSON, with ranges and choices of every parameter", into<&ListRequest::json>},
       {"dataset", "DATASET", "of datasets only this one: of the project file, or a folder in any layout",
        into<&ListRequest::dataset>},
       {"project", "FILE",
        "also list declarations of this project file (default: aqbench.json, here or in a folder above)",
        into<&ListRequest::project_file>}},
      {{{.name = "what", .optional = true}, into<&ListRequest::what>}}};
}

// Prints the things with this name in any list. Throws Error(usage) where there is none.
void print_named(const std::string& name, const std::optional<Project>& project) {
  Strings names;
  bool found = false;
  for (const Listing& listing : listings()) {
    Json same = Json::array();
    for (const Json& item : listing.json(project)) {
      names.push_back(item["name"].get<std::string>());
      if (names.back() == name) same.push_back(item);
    }
    if (same.empty()) continue;
    fmt::print("{}{}:\n", found ? "\n" : "", listing.name);
    print_items(same, true);
    found = true;
  }
  for (const Listing& listing : listings()) names.emplace_back(listing.name);
  names.emplace_back("devices");
  if (!found) throw Error(ErrorKind::usage, unknown_name_message("listing", name, names));
}

// The lists that are asked for; none where it is the name of a thing.
std::vector<Listing> chosen_listings(const ListRequest& request) {
  std::vector<Listing> all(listings().begin(), listings().end());
  if (!request.what && !request.dataset) return all;
  const std::string what = request.what.value_or("datasets");
  if (request.dataset && what != "datasets")
    throw usage_error("--dataset: list datasets shows one, not list {}", what);
  if (what == "devices") return {{"devices", devices_json}};
  std::erase_if(all, [&](const Listing& listing) {
    const bool of_imaging = what == "imaging" && listing.name == std::string_view("imaging_parameters");
    return listing.name != what && !of_imaging;
  });
  return all;
}

}  // namespace

ExitCode list_command(const Arguments& arguments) {
  const auto request = parse(list_command_line(), arguments);
  const std::vector<Listing> listings = chosen_listings(request);
  std::optional<Project> project = current_project(request.project_file);
  if (request.dataset) keep_dataset(*request.dataset, project);
  if (request.json && listings.empty())
    throw usage_error("--json: only with a list, such as scenes, or with all");
  if (request.json) {
    Json all = Json::object();
    for (const Listing& listing : listings) all[listing.name] = listing.json(project);
    print_json(all.dump(2) + "\n");
    return ExitCode::pass;
  }
  if (listings.empty()) print_named(*request.what, project);
  for (std::size_t i = 0; i < listings.size(); ++i) {
    fmt::print("{}{}:\n", i > 0 ? "\n" : "", listings[i].name);
    print_items(listings[i].json(project), request.what || request.dataset);
  }
  return ExitCode::pass;
}

}  // namespace aqbench::cli
