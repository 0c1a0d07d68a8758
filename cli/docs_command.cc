#include <fmt/format.h>

#include "cli/options.h"
#include "core/files.h"
#include "core/parameters.h"
#include "core/table.h"
#include "core/text.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/docs_tables/fill_docs.h"

namespace aqbench::cli {
namespace {

// Returns the --help text of a command.
std::string flags_section(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) throw input_error("expected one command name");
  for (const Command& command : commands())
    if (command.name == arguments[0]) return "```\n" + help_of(command) + "```\n";
  throw input_error("{}", unknown_name_message("command", arguments[0], names_of(commands())));
}

std::string commands_section(const std::vector<std::string>&) {
  std::string text = md_head({"command", "what it does"}, 2);
  for (const Command& command : commands())
    text += md_row({fmt::format("`aqbench {}`", command.name), md_escape(command.summary)});
  return text;
}

DocsSections all_sections(const std::vector<NamedBundle>& bundles) {
  DocsSections sections = bundle_sections(bundles);
  sections.merge(registry_sections());
  sections["flags"] = flags_section;
  sections["commands"] = commands_section;
  return sections;
}

std::vector<NamedBundle> read_bundles(const Strings& folders) {
  std::vector<NamedBundle> bundles;
  for (const std::filesystem::path bundle : folders) {
    require_bundle_folder(bundle);
    const std::string name = bundle_name(bundle);
    for (const NamedBundle& other : bundles)
      if (other.name == name) throw usage_error("--bundle: duplicate bundle name {}", name);
    bundles.push_back({name, read_bundle_content(bundle, read_gate_input(bundle).results)});
  }
  return bundles;
}

struct DocsRequest {
  Strings files, bundles;
  bool check = false;
};

CommandLine<DocsRequest> docs_command_line() {
  return {
      "aqbench docs FILE... [--bundle DIR]... [--check]",
      "Fills the tables of Markdown files: the text between a line <!-- aqbench:SECTION --> and a line\n<!-- "
      "aqbench:end --> is generated from a bundle (verified first), the registries or the help texts;\nthe "
      "rest of the file is unchanged.\n\nsections of a bundle: accuracy, batching, comparisons, "
      "environment, reproduce;\n                      of the first --bundle, or "
      "of the one whose folder's name\n                      follows: <!-- aqbench:accuracy pipeline -->\nof "
      "the program:       scenes, methods, metrics, suites, hotspots, commands,\n"
      "                      flags COMMAND\nof timed stages:      machine, stages, peers, with the file "
      "of the times:\n                      <!-- aqbench:peers performance/one_thread.json -->\n\nExit 0 "
      "written or up to date, 1 stale "
      "(--check) or the bundle does not verify, 2 bad marker.",
      {{"bundle", "DIR", "a source of numbers; may be repeated", into<&DocsRequest::bundles>, repeated()},
       {"check", nullptr, "write nothing; exit 1 naming stale sections", into<&DocsRequest::check>}},
      {{{.name = "FILE", .repeatable = true}, into<&DocsRequest::files>}}};
}

}  // namespace

ExitCode docs_command(const Arguments& arguments) {
  const auto request = parse(docs_command_line(), arguments);
  const std::vector<NamedBundle> bundles = read_bundles(request.bundles);
  const DocsSections sections = all_sections(bundles);
  std::size_t stale = 0;
  for (const std::string& file : request.files) {
    const std::string text = read_file(file);
    DocsSections of_file = performance_sections(std::filesystem::path(file).parent_path());
    of_file.insert(sections.begin(), sections.end());
    const FilledDocs filled = fill_docs(text, file, of_file);
    for (const DocsChange& change : filled.changes)
      fmt::print("{}:{}: {} {}\n", printable(file), change.line, printable(change.section),
                 request.check ? "is stale" : "updated");
    stale += filled.changes.size();
    if (!request.check && filled.text != text) write_file(file, filled.text);
  }
  if (!request.check || stale == 0) return ExitCode::pass;
  fmt::print(stderr, "aqbench: error: {} stale; run aqbench docs without --check\n",
             stale == 1 ? "1 section is" : fmt::format("{} sections are", stale));
  return ExitCode::regression;
}

}  // namespace aqbench::cli
