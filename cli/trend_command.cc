
#include <fmt/format.h>
#include <unistd.h>

#include "cli/options.h"
#include "core/files.h"
#include "core/table.h"
#include "reports/history/trend_text.h"

namespace aqbench::cli {

ExitCode run_trend(const Arguments& arguments) {
  CommandLine line{
      "aqbench trend DIR... [--metric M] [--pin RUN] [--svg FILE]",
      "Reads every bundle below the folders (each is verified) as a history and finds where a value changed "
      "its\n"
      "level: change points as in Hunter (window 50, candidates p <= .01, merged until p <= .001 and 5 %).\n"
      "Accuracy and tensor memory over all runs, times over runs of one machine key. A trend is no gate: "
      "exit 0\n"
      "whatever it finds.",
      make_options(),
      {},
      "",
      "DIR"};
  line.options.add_options()("metric", po::value<std::string>()->value_name("M"),
                             "one metric: a name as in records, time_ms, or stage:NAME")(
      "pin", po::value<std::string>()->value_name("RUN"),
      "also compare the newest level with that of this run: its id or commit, or the beginning of one")(
      "svg", po::value<std::string>()->value_name("FILE"), "write the charts to this file");
  const auto values = parse(line, arguments);
  if (!values) return ExitCode::pass;
  TrendOptions options;
  if (values->count("metric") != 0) options.metric = (*values)["metric"].as<std::string>();
  if (values->count("pin") != 0) options.pinned = (*values)["pin"].as<std::string>();
  std::vector<std::filesystem::path> folders;
  for (const std::string& folder : strings(*values, "DIR")) folders.emplace_back(folder);
  const TrendHistory history = read_history(folders);
  const std::vector<TrendSeries> series = detect_trends(history, options);
  fmt::print("{}", render_trends(history, series, wants_colours(STDOUT_FILENO)));
  if (values->count("svg") != 0) write_file((*values)["svg"].as<std::string>(), trends_svg(history, series));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
