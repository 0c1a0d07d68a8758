#include <fmt/format.h>

#include "cli/options.h"
#include "core/error.h"
#include "core/files.h"
#include "harness/gating/gate.h"
#include "harness/records/case_result.h"
#include "reports/bundle/gate_input.h"
#include "reports/exports/paper.h"
#include "reports/html/figures.h"

namespace aqbench::cli {

namespace {

struct ExportRequest {
  std::filesystem::path bundle;
  bool csv = false, latex = false, vega = false;
  std::optional<std::filesystem::path> out, svg, ply;
  double limit_mm = 2;
};

CommandLine<ExportRequest> export_command_line() {
  return {
      "aqbench export BUNDLE --csv|--latex|--vega|--svg DIR|--ply DIR [--out FILE]",
      "Writes a bundle (verified first) for papers and other programs: all values as CSV, the headline\n"
      "metrics as a LaTeX table (booktabs), a Vega-Lite chart, the report's charts as SVG files, clouds as\n"
      "PLY files coloured by signed error. CSV, LaTeX and Vega go to stdout or --out.",
      {{{.name = "csv", .help = "every value of every case, one on each line"}, into<&ExportRequest::csv>},
       {{.name = "latex", .help = "table of the headline metrics, the best of each in bold"},
        into<&ExportRequest::latex>},
       {{.name = "vega", .help = "Vega-Lite 5 chart with its data"}, into<&ExportRequest::vega>},
       {{.name = "svg", .value_name = "DIR", .help = "charts, a file each"}, into<&ExportRequest::svg>},
       {{.name = "ply", .value_name = "DIR", .help = "clouds that the bundle shows, a file each"},
        into<&ExportRequest::ply>},
       {{.name = "limit-mm", .value_name = "MM", .help = "error at the ends of the colours of --ply (2)"},
        into<&ExportRequest::limit_mm>},
       {{.name = "out", .value_name = "FILE", .help = "where to write (default: stdout)"},
        into<&ExportRequest::out>}},
      {{{.name = "BUNDLE"}, into<&ExportRequest::bundle>}}};
}

void check_request(const ExportRequest& request) {
  const int texts = request.csv + request.latex + request.vega;
  if (texts > 1) throw Error(ErrorKind::usage, "--csv, --latex and --vega: one of them at a time");
  if (texts == 0 && !request.svg && !request.ply)
    throw Error(ErrorKind::usage, "say what to export: --csv, --latex, --vega, --svg DIR or --ply DIR");
  if (!(request.limit_mm > 0)) throw Error(ErrorKind::usage, "--limit-mm: must be positive");
  if (!std::filesystem::is_directory(request.bundle))
    throw Error(ErrorKind::input, request.bundle.string() + ": no bundle: not a folder");
}

void export_clouds(const ExportRequest& request, const Results& results) {
  std::size_t written = 0;
  for (const Record& record : results.records) {
    const std::string name = file_name_of(record.case_name);
    const std::filesystem::path file = request.bundle / kViewerFolder / (name + ".bin");
    if (!std::filesystem::exists(file)) continue;
    write_file(*request.ply / (name + ".ply"),
               error_ply(decode_view(read_file(file), file.string()), request.limit_mm));
    ++written;
  }
  if (written == 0)
    throw Error(ErrorKind::input, request.bundle.string() +
                                      ": keeps no clouds (swept with --no-pictures, or nothing "
                                      "but workloads)");
}

}  // namespace

ExitCode export_command(const Arguments& arguments) {
  const auto request = parse(export_command_line(), arguments);
  if (!request) return ExitCode::pass;
  check_request(*request);
  const BundleContent content =
      read_bundle_content(request->bundle, read_gate_input(request->bundle).results);
  for (const auto& folder : {request->svg, request->ply})
    if (folder) std::filesystem::create_directories(*folder);
  if (request->svg)
    for (const auto& [name, text] : report_figures(content)) write_file(*request->svg / name, text);
  if (request->ply) export_clouds(*request, content.results);
  const std::string text = request->csv     ? results_csv(content.results)
                           : request->latex ? results_latex(content.results)
                           : request->vega  ? results_vega(content.results)
                                            : "";
  if (text.empty()) return ExitCode::pass;
  if (request->out)
    write_file(*request->out, text);
  else
    fmt::print("{}", text);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
