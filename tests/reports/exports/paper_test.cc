#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/drawing/colour_map.h"
#include "core/drawing/drawing.h"
#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/processes/process.h"
#include "harness/viewing/make_view.h"
#include "reports/content/charts.h"
#include "reports/exports/paper.h"
#include "scenes/cloud/ply.h"
#include "scenes/surfaces/shapes.h"
#include "tests/reports/synthetic.h"
#include "tests/reports/xml_check.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

TEST(PaperExports, CsvHasEveryValueUnrounded) {
  Results results = synthetic_results();
  results.records[0].case_name = "a,\"b\"";
  Metric& metric = metric_of(results.records[1], "accuracy_mean_mm");
  metric.value = 1.0 / 3;
  const std::string csv = results_csv(results);
  EXPECT_THAT(csv,
              HasSubstr("\"a,\"\"b\"\"\",flat_plane,lightglue_like,ok,accuracy_mean_mm,1.53,mm,lower,\r\n"));
  EXPECT_THAT(csv, HasSubstr("accuracy_mean_mm,0.3333333333333333,mm,lower,\r\n"));
  metric.value.reset();
  metric.reason = "the cloud is empty, all of it";
  EXPECT_THAT(results_csv(results),
              HasSubstr("accuracy_mean_mm,,mm,lower,\"the cloud is empty, all of it\"\r\n"));
}

TEST(PaperExports, CsvHasNoFormulas) {
  Results results = synthetic_results();
  results.records[0].case_name = "=HYPERLINK(1)";
  results.records[0].scene = "+a";
  results.records[0].method = "-b";
  Metric& metric = metric_of(results.records[0], "accuracy_mean_mm");
  metric.value.reset();
  metric.reason = "@c";
  EXPECT_THAT(results_csv(results),
              HasSubstr("\n'=HYPERLINK(1),'+a,'-b,ok,accuracy_mean_mm,,mm,lower,'@c\r\n"));
}

TEST(PaperExports, LatexMarksTheBestAndEscapes) {
  const LatexOptions options{{"accuracy_mean_mm"}, {{"roma_like", "RoMa & co"}, {"undulating", "Waves"}}};
  const std::string latex = results_latex(synthetic_results(), options);
  // Means over the scenes of 1.53 and 1.6, of 0.793 and 0.8.
  for (const char* const part :
       {"\\begin{tabular}{lS[table-format=1.3]S[table-format=1.3]S[table-format=1.3]}\n\\toprule\nmethod & "
        "{flat\\_plane} & {Waves} & {mean} \\\\\n\\midrule\n",
        "\nlightglue\\_like & {\\underline{\\num{1.53}}} & {\\underline{\\num{1.60}}} & "
        "{\\underline{\\num{1.56}}} \\\\\n",
        "\nRoMa \\& co & \\bfseries 0.793 & \\bfseries 0.800 & \\bfseries 0.796 \\\\\n\\bottomrule"})
    EXPECT_THAT(latex, HasSubstr(part));
  EXPECT_THROW(results_latex(synthetic_results(), {{"accuracy"}, {}}), Error);
  // Of one scene: methods and metrics.
  Results one = synthetic_results();
  std::erase_if(one.records, [](const Record& record) { return record.scene != "flat_plane"; });
  EXPECT_THAT(results_latex(one, {{"accuracy_mean_mm", "fscore_2mm_pct"}, {}}),
              HasSubstr("method & {\\shortstack{mean error\\\\mm}} & "));
  // A number of a protocol, which is no column of the tables beside errors of clouds.
  for (Record& record : one.records)
    record.metrics.emplace_back("dtu_overall_mm", Metric{0.25, "mm", Better::lower, {}});
  EXPECT_THAT(results_latex(one, {{"dtu_overall_mm"}, {}}), HasSubstr("dtu\\_overall\\_mm"));
}

// Compiled: five columns with uncertainties, of several scenes and of several metrics, are not wider than the
// text of an article.
TEST(PaperExports, LatexCompilesAndFitsTheText) {
  const std::string program = find_in_path("pdflatex");
  if (program == "pdflatex" || !ask_program({"kpsewhich", "siunitx.sty"}, 60).ok)
    GTEST_SKIP() << "no pdflatex with siunitx: apt-get install texlive-science";
  Results results = synthetic_results();
  results.records.clear();
  for (const char* const scene : {"undulating", "step", "mound", "flat_plane"})
    for (const char* const method : {"plane_sweep:balanced", "dense_flow"})
      for (const std::uint64_t seed : {1, 2, 3}) {
        Record record = synthetic_record(scene, "roma_like", seed, 0.5 + 0.011 * static_cast<double>(seed));
        record.method = method;
        record.case_name = fmt::format("{}/{}/seed={}", scene, method, seed);
        if (record.method == "dense_flow") *metric_of(record, "accuracy_mean_mm").value *= 40;
        results.records.push_back(std::move(record));
      }
  Results one = results;
  std::erase_if(one.records, [](const Record& record) { return record.scene != "step"; });
  const TemporaryDirectory folder;
  write_file(folder / "t.tex",
             "\\documentclass{article}\n\\usepackage{booktabs,siunitx}\n"
             "\\sisetup{detect-weight=true,mode=text}\n\\begin{document}\n\\noindent\n" +
                 results_latex(results, {{"accuracy_mean_mm"}, {}}) + "\n\\noindent\n" +
                 results_latex(one, {{"accuracy_mean_mm", "accuracy_rmse_mm", "precision_2mm_pct",
                                      "completeness_2mm_pct", "fscore_2mm_pct"},
                                     {}}) +
                 "\\end{document}\n");
  const ProgramAnswer made =
      ask_program({program, "-interaction=nonstopmode", "-halt-on-error",
                   "-output-directory=" + folder.path().string(), (folder / "t.tex").string()},
                  120);
  const std::string log = read_file(folder / "t.log");
  EXPECT_TRUE(made.ok) << log;
  EXPECT_THAT(log, ::testing::Not(HasSubstr("Overfull"))) << log;
  EXPECT_TRUE(std::filesystem::exists(folder / "t.pdf"));
}

TEST(PaperExports, PlyIsColouredByError) {
  CloudView view;
  view.origin_mm = {100, 0, 1000};
  view.points = {{0, 0, 0}, {50, 0, -100}};
  view.errors = {error_code(-2), error_code(0)};
  view.marks = {0, 0};
  const std::string bytes = error_ply(view, 2);
  const TemporaryDirectory folder;
  write_file(folder / "a.ply", bytes);
  const GeometryFile read = read_ply(folder / "a.ply");
  ASSERT_EQ(read.cloud.points_m.size(), 2u);
  EXPECT_NEAR(read.cloud.points_m[1].x(), 0.101, 1e-7);
  EXPECT_NEAR(read.cloud.points_m[1].z(), 0.998, 1e-7);
  const std::size_t data = bytes.find("end_header\n") + 11;
  const Rgb8 low = diverging_colour(0), middle = diverging_colour(kColourSteps / 2);
  const auto colour_at = [&](std::size_t at) {
    return Rgb8{static_cast<std::uint8_t>(bytes[at]), static_cast<std::uint8_t>(bytes[at + 1]),
                static_cast<std::uint8_t>(bytes[at + 2])};
  };
  EXPECT_EQ(colour_at(data + 12), low);
  EXPECT_EQ(colour_at(data + 19 + 12), middle);
}

// A method's own colours stay; without a truth the value is the agreement of images.
TEST(PaperExports, PlyKeepsColoursAndAgreement) {
  CloudView view;
  view.points = {{0, 0, 0}, {50, 0, -100}};
  view.errors = {agreement_code(0.5), kUnknownAgreement};
  view.marks = {0, 0};
  view.is_agreement = true;
  const std::string bytes = error_ply(view, 2);
  EXPECT_THAT(bytes, HasSubstr("property float agreement\n"));
  const std::size_t data = bytes.find("end_header\n") + 11;
  EXPECT_EQ(bytes.substr(data + 19 + 12, 3), "\x80\x80\x80");
  view.colours = {colour_code({255, 0, 0}), colour_code({0, 0, 255})};
  const std::string own = error_ply(view, 2);
  EXPECT_EQ(own.substr(own.find("end_header\n") + 11 + 12, 3), std::string("\xff\0\0", 3));
}

TEST(PaperExports, FiguresStandAlone) {
  const auto figures = run_charts(synthetic_results());
  ASSERT_GE(figures.size(), 3u);
  EXPECT_EQ(figures[0].first, "accuracy_mean_mm");
  for (const auto& [name, chart] : figures) {
    const std::string text = svg_document(drawing_of(chart));
    EXPECT_NO_THROW(xml_testing::parse_xml(R"(<?xml version="1.0" encoding="UTF-8"?>)" + text)) << name;
    EXPECT_THAT(text, HasSubstr("<style>svg{background"));
  }
}

}  // namespace

}  // namespace aqbench
