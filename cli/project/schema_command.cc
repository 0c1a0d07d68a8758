#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/parameters.h"
#include "harness/project/project.h"
#include "harness/records/results.h"

namespace aqbench::cli {
namespace {

struct SchemaRequest {
  std::string name;
};

CommandLine<SchemaRequest> schema_command_line() {
  return {
      "aqbench schema project|results",
      "Prints the JSON Schema (draft 7) of a file format, for editors and other programs: of the project\n"
      "file aqbench.json, or of results.json in a bundle.\n"
      "\n"
      "  aqbench schema project > .aqbench.schema.json",
      {},
      {{{.name = "what"}, into<&SchemaRequest::name>}}};
}

}  // namespace

ExitCode schema_command(const Arguments& arguments) {
  const auto request = parse(schema_command_line(), arguments);
  if (request.name == "project")
    fmt::print("{}", project_schema());
  else if (request.name == "results")
    fmt::print("{}", results_schema_text());
  else
    throw usage_error("{}", unknown_name_message("schema", request.name, {"project", "results"}));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
