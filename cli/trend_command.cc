#include "reports/history/trend_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "core/table.h"

namespace aqbench::cli {

namespace {

struct TrendRequest {
  std::vector<std::string> folders;
  TrendOptions options;
  std::optional<std::filesystem::path> svg;
};

CommandLine<TrendRequest> trend_command_line() {
  return {
      "aqbench trend DIR... [--metric M] [--pin RUN] [--svg FILE]",
      "Reads every bundle below the folders as a history (unverifiable ones are left out; those of another\n"
      "version are named and shown) and finds changes of level: every change of a deterministic value, else\n"
      "change points as in Hunter, tested with the measured autocorrelation. Accuracy and tensor memory\n"
      "over all runs, times over runs of one machine key. A trend is not a gate: exit 0 in any case,\n"
      "2 if there is no bundle or no run has the metric.",
      {{"metric", "M", "one metric: a name as in records, time_ms, or stage:NAME",
        into<&TrendRequest::options, &TrendOptions::metric>},
       {"pin", "RUN",
        "also compare the newest level with that of this run: its id or commit, or a prefix of one",
        into<&TrendRequest::options, &TrendOptions::pinned>},
       {"svg", "FILE", "write the charts to this file", into<&TrendRequest::svg>}},
      {{{.name = "DIR", .repeatable = true}, into<&TrendRequest::folders>}}};
}

}  // namespace

ExitCode trend_command(const Arguments& arguments) {
  const auto request = parse(trend_command_line(), arguments);
  if (!request) return ExitCode::pass;
  const std::vector<std::filesystem::path> folders(request->folders.begin(), request->folders.end());
  const TrendHistory history = read_history(folders);
  if (history.runs.empty())
    throw input_error("{}: no verified bundle found{}", fmt::join(request->folders, ", "),
                      history.problems.empty() ? "" : "; " + history.problems.front());
  const std::vector<TrendSeries> series = detect_trends(history, request->options);
  fmt::print("{}",
             render_trends(history, series, wants_colours(STDOUT_FILENO), screen_columns(STDOUT_FILENO)));
  if (request->svg) write_file(*request->svg, trends_svg(history, series));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
