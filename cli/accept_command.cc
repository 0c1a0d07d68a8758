#include "harness/gating/accept.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/table.h"
#include "reports/bundle/gate_input.h"

namespace aqbench::cli {

namespace {

struct AcceptRequest {
  std::string bundle;
  std::optional<std::string> baseline_file;
  bool dry_run = false;
};

CommandLine<AcceptRequest> accept_command_line() {
  return {
      "aqbench accept BUNDLE --baseline FILE [--dry-run]",
      "Makes a verified, complete bundle without failed cases the new baseline, and shows what changes.\n"
      "Tolerances already in FILE are kept; edit them there. Nothing else writes baselines.",
      {{{.name = "baseline", .value_name = "arg", .help = "the file to write, e.g. baselines/seed.json"},
        into<&AcceptRequest::baseline_file>},
       {{.name = "dry-run", .help = "show what would change, write nothing"}, into<&AcceptRequest::dry_run>}},
      {{{.name = "BUNDLE"}, into<&AcceptRequest::bundle>}}};
}

}  // namespace

ExitCode accept_command(const Arguments& arguments) {
  const auto request = parse(accept_command_line(), arguments);
  if (!request) return ExitCode::pass;
  if (!request->baseline_file) throw Error(ErrorKind::usage, "--baseline FILE is missing");
  const std::string& file = *request->baseline_file;
  const AcceptedRun run = read_accepted_run(request->bundle);
  const Acceptance acceptance = request->dry_run ? plan_acceptance(run, file) : accept_baseline(run, file);
  fmt::print("{}{}\n", render_acceptance(acceptance, wants_colours(STDOUT_FILENO)),
             request->dry_run ? "dry run: nothing written" : "wrote " + file);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
