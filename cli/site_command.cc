#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/text.h"
#include "reports/site/site.h"

namespace aqbench::cli {

namespace {

struct SiteOptions {
  std::vector<std::string> folders, baselines;
  std::filesystem::path out;
  std::size_t reports = 5;
};

CommandLine<SiteOptions> site_command_line() {
  return {
      "aqbench site DIR... --out SITE [--reports N] [--baseline FILE]...",
      "Writes a static site over the bundles below the folders: an index with a search, a page for each\n"
      "suite (newest values, runs, trend), scene, method and metric, changes between runs, accepted\nvalues "
      "and who accepted them, a badge (SVG) and a JSON document for each suite. It needs no server\nand "
      "fetches nothing. A second call reads only new bundles. Checks results.json and a copied report\nof "
      "each bundle against sha256.txt; `aqbench verify` checks the rest.\n"
      "Exit 0 written, 1 bundles, reports or baselines were left out (named on stderr and on the index),\n2 "
      "no bundle found.",
      {{{.name = "out", .value_name = "SITE", .help = "folder of the site: new, empty, or an existing site"},
        into<&SiteOptions::out>},
       {{.name = "reports",
         .value_name = "N",
         .help = "copy the reports of the newest N runs of a suite (5)"},
        into<&SiteOptions::reports>},
       {{.name = "baseline",
         .value_name = "FILE",
         .help = "accepted values to show, beside baselines found in the folders",
         .repeatable = true},
        into<&SiteOptions::baselines>}},
      {{{.name = "DIR", .repeatable = true}, into<&SiteOptions::folders>}}};
}

}  // namespace

ExitCode site_command(const Arguments& arguments) {
  const auto options = parse(site_command_line(), arguments);
  if (!options) return ExitCode::pass;
  if (options->out.empty()) throw Error(ErrorKind::usage, "--out SITE is missing");
  const SiteSummary done = write_site({{options->folders.begin(), options->folders.end()},
                                       options->out,
                                       {options->baselines.begin(), options->baselines.end()},
                                       options->reports});
  for (const std::string& problem : done.problems) fmt::print(stderr, "left out: {}\n", printable(problem));
  fmt::print("{}: {} of {}, {} new\n", options->out.string(), counted(done.pages, "page"),
             counted(done.runs, "run"), done.read);
  return done.problems.empty() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
