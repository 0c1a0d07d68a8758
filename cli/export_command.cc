#include <fmt/format.h>

#include "cli/options.h"
#include "core/files.h"
#include "harness/records/case_result.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/case_columns.h"
#include "reports/content/charts.h"
#include "reports/exports/paper.h"
#include "reports/text/ab_summary.h"

namespace aqbench::cli {

namespace {

struct ExportRequest {
  std::filesystem::path bundle;
  bool csv = false, latex = false;
  std::vector<std::string> metrics, renames;
  std::optional<std::filesystem::path> out, svg, ply;
  double limit_mm = 2;
};

CommandLine<ExportRequest> export_command_line() {
  return {
      "aqbench export BUNDLE [--csv|--latex] [--out FILE] [--svg|--ply DIR]",
      "Writes a bundle (verified first) for papers and other programs: all values as CSV; methods and\n"
      "scenes as LaTeX tables (booktabs), one for each metric; the report's charts as SVG files; clouds as\n"
      "PLY files in the method's own colours, else by signed error or, without a truth, by the agreement\n"
      "of images. Positions are in metres in the world frame, where the scale is free in the method's own\n"
      "unit. CSV and LaTeX go to stdout or --out.",
      {{"csv", nullptr, "every value of every case, one on each line", into<&ExportRequest::csv>},
       {"latex", nullptr, "methods x scenes and their mean, the best in bold, the second underlined",
        into<&ExportRequest::latex>},
       {"metric", "NAME", "of --latex: this metric instead of all; may be repeated",
        into<&ExportRequest::metrics>, repeated()},
       {"rename", "NAME=VALUE", "of --latex: another name of a method or scene; may be repeated",
        into<&ExportRequest::renames>, repeated()},
       {"svg", "DIR", "charts, a file each", into<&ExportRequest::svg>},
       {"ply", "DIR", "clouds that the bundle shows, a file each", into<&ExportRequest::ply>},
       {"limit-mm", "MM", "error at the ends of the colours of --ply (2)", into<&ExportRequest::limit_mm>},
       {"out", "FILE", "output file (default: stdout)", into<&ExportRequest::out>}},
      {{{.name = "BUNDLE"}, into<&ExportRequest::bundle>}}};
}

void check_request(const ExportRequest& request) {
  if (request.csv && request.latex) throw usage_error("--csv and --latex exclude each other");
  if (!request.csv && !request.latex && !request.svg && !request.ply)
    throw usage_error("say what to export: --csv, --latex, --svg DIR or --ply DIR");
  if (!request.latex && !(request.metrics.empty() && request.renames.empty()))
    throw usage_error("--metric, --rename: belong to --latex");
  if (!(request.limit_mm > 0)) throw usage_error("--limit-mm: must be positive");
  require_bundle_folder(request.bundle);
}

// Of a comparison the intervals of its changes.
void export_charts(const std::filesystem::path& folder, Results results) {
  std::vector<std::pair<std::string, Chart>> charts;
  if (const auto judged = take_comparison(results)) {
    for (Chart& chart : interval_charts(judged->report))
      charts.emplace_back(charts.empty() ? "intervals" : fmt::format("intervals{}", charts.size() + 1),
                          std::move(chart));
  } else {
    charts = run_charts(results);
  }
  for (const auto& [name, chart] : charts)
    write_file(folder / (name + ".svg"), svg_document(drawing_of(chart)));
}

void export_clouds(const ExportRequest& request, const Results& results) {
  std::vector<std::string> names;
  for (const Record& record : results.records) names.push_back(record.case_name);
  std::size_t written = 0;
  for (const auto& [name, file] : readable_file_names(names)) {
    const std::filesystem::path view = request.bundle / case_file(kViewerFolder, name, ".bin");
    if (!std::filesystem::exists(view)) continue;
    write_file(*request.ply / (file + ".ply"),
               error_ply(decode_view(read_file(view), view.string()), request.limit_mm));
    ++written;
  }
  if (written == 0)
    throw input_error(
        "{}: contains no clouds (swept with --no-pictures, by an older version without a truth, "
        "or only workloads)",
        request.bundle.string());
}

LatexOptions latex_options(const ExportRequest& request) {
  LatexOptions options{request.metrics, {}};
  for (const std::string& rename : request.renames) {
    const std::size_t end = rename.rfind('=');
    if (end == 0 || end == std::string::npos)
      throw usage_error("--rename {}: expected NAME=VALUE", printable(rename));
    options.names[rename.substr(0, end)] = rename.substr(end + 1);
  }
  return options;
}

}  // namespace

ExitCode export_command(const Arguments& arguments) {
  const auto request = parse(export_command_line(), arguments);
  check_request(request);
  const BundleContent content = read_bundle_content(request.bundle, read_gate_input(request.bundle).results);
  for (const auto& folder : {request.svg, request.ply})
    if (folder) std::filesystem::create_directories(*folder);
  if (request.svg) export_charts(*request.svg, content.results);
  if (request.ply) export_clouds(request, content.results);
  const std::string text = request.csv     ? results_csv(content.results)
                           : request.latex ? results_latex(content.results, latex_options(request))
                                           : "";
  if (text.empty()) return ExitCode::pass;
  if (request.out)
    write_file(*request.out, text);
  else
    fmt::print("{}", text);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
