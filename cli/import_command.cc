#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/unplanned_bundle.h"
#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/records/numbers.h"
#include "harness/records/one_case.h"
#include "reports/bundle/bundle.h"
#include "reports/text/tables.h"
#include "scenes/dataset/dataset.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxTableBytes = std::uintmax_t{256} << 20;

struct ImportRequest {
  NumbersRequest numbers;
  Strings metrics;
  std::string unit, better;
  std::optional<fs::path> out;
  bool json = false, no_report = false;
};

CommandLine<ImportRequest> import_command_line() {
  return {
      "aqbench import FILE [--columns NAME,...] --metric NAME[:UNIT:BETTER]... [OPTION]...",
      "Reads numbers that another harness computed, CSV or JSON lines, as results that compare, ab, gate,\n"
      "accept, trend, report, export and site read. Nothing runs. Columns are scene and method (or case:\n"
      "SCENE/METHOD), seed, and one for each metric; or value, with a column metric. An empty cell is an\n"
      "undefined value; a cell that is no number is refused with its line.\n\n"
      "  aqbench import scores.csv --metric psnr:dB:higher --metric lpips:1:lower --out b\n"
      "  aqbench import scores.csv --columns scene=dataset,method=model,seed=run,psnr=PSNR\n"
      "                 --metric psnr:dB:higher --out b\n"
      "  aqbench import scores.csv --columns case,seed,value --metric auc --unit % --better higher --json\n"
      "  aqbench ab --bundle-a b --method-a base --metric psnr --paired-over scenes\n\n"
      "Exit 0 imported, 2 usage or a table that cannot be read, 6 disk full or unreadable.",
      {{"columns", "NAME,...",
        "what the columns are: case, scene, method, seed, metric, value, unit, better, or a metric; each the "
        "column of that header, or of another one (scene=dataset), or in the order of the file (-: none)",
        [](ImportRequest& r, const FlagValue& v) {
          for (const std::string_view one : split_at(v.text, ',')) r.numbers.columns.emplace_back(one);
        }},
       {"metric", "NAME[:UNIT:BETTER]",
        "a metric with its unit (1: none) and whether lower or higher is better; may be repeated",
        into<&ImportRequest::metrics>, repeated()},
       {"unit", "UNIT", "the unit of metrics that name none", into<&ImportRequest::unit>},
       {"better", "lower|higher", "the direction of metrics that name none", into<&ImportRequest::better>},
       {"method", "NAME", "the method of all lines, where no column names one",
        into<&ImportRequest::numbers, &NumbersRequest::method>},
       {"out", "DIR", "leave a bundle in this folder, new or empty; or write results to FILE.json",
        into<&ImportRequest::out>},
       {"no-report", nullptr, "write no report.html; aqbench report BUNDLE makes it later",
        into<&ImportRequest::no_report>},
       {"json", nullptr, "print results.json to stdout instead of the table", into<&ImportRequest::json>}},
      {{{.name = "FILE"}, into<&ImportRequest::numbers, &NumbersRequest::file>}}};
}

// Adds --unit and --better to metrics without.
void complete_metrics(ImportRequest& request) {
  for (const std::string& text : request.metrics) {
    auto parts = split_at(text, ':');
    parts.resize(std::max<std::size_t>(parts.size(), 3));
    if (parts[1].empty()) parts[1] = request.unit;
    if (parts[2].empty()) parts[2] = request.better;
    request.numbers.metrics.push_back(fmt::format("{}", fmt::join(parts, ":")));
  }
}

// The program that read the table, and no machine: where the numbers were computed is unknown.
Json environment_of_reader() {
  const BuildInfo& build = build_info();
  return {{"build", {{"version", build.version}, {"commit", build.commit}, {"dirty", build.dirty}}}};
}

}  // namespace

ExitCode import_command(const Arguments& arguments) {
  ImportRequest request = parse(import_command_line(), arguments);
  complete_metrics(request);
  const bool to_file = request.out && request.out->extension() == ".json";
  if (request.out && !to_file) require_free_folder(*request.out);
  const std::string text = read_text_file(request.numbers.file, kMaxTableBytes);
  request.numbers.sha256 = sha256_hex(text);
  ImportedNumbers numbers = read_numbers(text, request.numbers);
  for (const std::string& note : numbers.notes) fmt::print(stderr, "aqbench: note: {}\n", printable(note));
  Json effective = effective_json(numbers, request.numbers);
  Results results =
      results_of_records(std::move(numbers.records), {.started_utc = utc_now(),
                                                      .requested = requested_json(request.numbers),
                                                      .effective = std::move(effective),
                                                      .environment = environment_of_reader()});
  if (request.json)
    write_results_text(results, print_json);
  else
    fmt::print("{}", render_sweep_table(results, screen_of(STDOUT_FILENO)));
  if (request.out && !to_file)
    return write_unplanned_bundle({.command = "import",
                                   .arguments = arguments,
                                   .out = {},
                                   .resumable = false,
                                   .with_page = !request.no_report,
                                   .bundle = request.out},
                                  std::move(results), {{kNumbersName, text}}, request.json ? stderr : stdout);
  if (to_file) write_file(*request.out, results_text(results));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
