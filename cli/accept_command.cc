#include "harness/gating/accept.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/table.h"
#include "reports/bundle/gate_input.h"

namespace aqbench::cli {

ExitCode run_accept(const Arguments& arguments) {
  CommandLine line{
      "aqbench accept BUNDLE --baseline FILE [--dry-run]",
      "Makes a verified, complete bundle without failed cases the new baseline, and shows what changes.\n"
      "Tolerances already in FILE are kept; edit them there. Nothing else writes baselines.",
      make_options(),
      {"BUNDLE"}};
  line.options.add_options()("baseline", po::value<std::string>(),
                             "the file to write, e.g. baselines/seed.json")(
      "dry-run", "show what would change, write nothing");
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  if (values->count("baseline") == 0) throw Error(ErrorKind::usage, "--baseline FILE is missing");

  const std::string bundle = (*values)["BUNDLE"].as<std::string>();
  const std::string file = (*values)["baseline"].as<std::string>();
  const bool dry_run = values->count("dry-run") != 0;
  const AcceptedRun run = read_accepted_run(bundle);
  const Acceptance acceptance = dry_run ? plan_acceptance(run, file) : accept_baseline(run, file);
  fmt::print("{}{}\n", render_acceptance(acceptance, wants_colours(STDOUT_FILENO)),
             dry_run ? "dry run: nothing written" : "wrote " + file);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
