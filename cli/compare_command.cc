
#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/screen.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/gating/gate.h"
#include "reports/bundle/gate_input.h"
#include "reports/history/compare_page.h"
#include "reports/history/compare_table.h"

namespace aqbench::cli {

namespace {

struct CompareRequest {
  std::string a, b;
  bool times = false, all = false;
  std::optional<std::filesystem::path> html;
};

CommandLine<CompareRequest> compare_command_line() {
  return {"aqbench compare A B [--times] [--all] [--html FILE]",
          "Shows two bundles (or bare results.json files) side by side: accuracy, tensor memory, stages,\n"
          "times and batching, and which stage changed: its work (calls) or the cost of a call. Times "
          "of\nseparate runs show a trend, not a verdict; --times requires comparable ones: the same kind "
          "of\nmachine, build, device, dtype and threads.\nExit 0 shown (compare judges nothing; see gate), "
          "1 a bundle does not verify, 4 not comparable:\nidentical records, no common case, or --times with "
          "different machines.",
          {{{.name = "times", .help = "require comparable times: otherwise exit 4 naming the difference"},
            into<&CompareRequest::times>},
           {{.name = "all", .help = "also list equal values"}, into<&CompareRequest::all>},
           {{.name = "html",
             .value_name = "FILE",
             .help = "also write a page: what changed, and where on the surface"},
            into<&CompareRequest::html>}},
          {{{.name = "A"}, into<&CompareRequest::a>}, {{.name = "B"}, into<&CompareRequest::b>}}};
}

}  // namespace

ExitCode compare_command(const Arguments& arguments) {
  const auto request = parse(compare_command_line(), arguments);
  if (!request) return ExitCode::pass;
  const GateInput a = read_gate_input(request->a);
  const GateInput b = read_gate_input(request->b);
  const CompareReport report = compare_results(a.results, b.results);
  fmt::print("{}", render_compare(report, wants_colours(STDOUT_FILENO), request->all,
                                  screen_columns(STDOUT_FILENO)));
  if (!report.refusal.empty()) return ExitCode::not_comparable;
  if (report.cases == 0) throw Error(ErrorKind::not_comparable, "no common case with the same options");
  if (request->html) {
    const auto side = [](const std::string& path, const Results& results) {
      return ComparedSide{&results, std::filesystem::is_directory(path) ? std::filesystem::path(path) : ""};
    };
    write_file(*request->html,
               compare_page(report, side(request->a, a.results), side(request->b, b.results)));
  }
  if (request->times && !report.key_differences.empty())
    throw Error(ErrorKind::not_comparable,
                fmt::format("--times: {} ({} in all)", printable(report.key_differences.front()),
                            counted(report.key_differences.size(), "difference")));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
