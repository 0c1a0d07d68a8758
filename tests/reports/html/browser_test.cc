// Pages in a real browser, headless Chromium: what the scripts of report.html do, and
// what a reader sees of a page before scrolling: the answer to the question he came with.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>

#include "core/files.h"
#include "core/processes/process.h"
#include "harness/viewing/make_view.h"
#include "reports/history/compare.h"
#include "reports/html/report.h"
#include "reports/site/site.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/shapes.h"
#include "tests/harness/ab/documents.h"
#include "tests/reports/html/browser.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

// Two cameras 1 m above the plane, of 401 x 301 pixels; the second one, 0.4 m aside, does not show the dent.
Rig two_cameras() {
  Camera camera;
  camera.name = "cam00";
  camera.intrinsics.width_px = 401;
  camera.intrinsics.height_px = 301;
  camera.intrinsics.K << 500, 0, 200, 0, 500, 150, 0, 0, 1;
  camera.camera_from_world.translation_m = Vec3(0, 0, 1 - PlaneShape{}.depth_m);
  Rig rig{{camera, camera}};
  rig.cameras[1].name = "cam01";
  rig.cameras[1].camera_from_world.translation_m.x() = 0.4;
  return rig;
}

// A plane with a dent of 3 mm towards the cameras, 20 mm around (0.1, 0.05), and holes there. Its colours:
// red, and a green of 130 where x is positive.
std::string dented_view(const ViewHoles& holes = {}, bool coloured = false) {
  const auto truth = make_plane(PlaneShape{}, Patch{});
  const double depth_m = truth->jet(0, 0).z;
  Reconstruction made;
  for (double y = -0.149; y < 0.15; y += 0.002)
    for (double x = -0.249; x < 0.25; x += 0.002) {
      made.cloud.points_m.emplace_back(x, y, depth_m - (std::hypot(x - 0.1, y - 0.05) < 0.02 ? 0.003 : 0));
      made.cloud.confidence.push_back(0.5F);
      if (coloured) made.cloud.colours.push_back(x > 0 ? Rgb{0, 130, 0} : Rgb{255, 0, 0});
    }
  const auto views = [](std::span<const Vec3> places) { return std::vector<int>(places.size(), 3); };
  const Rig rig = two_cameras();
  return encode_view(make_view(made, *truth, &rig, holes, views, {.points = 100'000}));
}

std::string one_pixel_png() {
  const std::uint8_t grey = 128;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = image.height = 1;
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  png_image_write_to_memory(&image, bytes.data(), &size, 0, &grey, 0, nullptr);
  bytes.resize(size);
  return bytes;
}

// The page with the checks in place of its policy, which would not let them in.
std::string page_with_checks() {
  Results results = synthetic_results();
  for (std::size_t i = 0; i < results.records.size(); ++i)
    for (int run = 0; run < 12; ++run)
      results.records[i].timing.warm_ms.push_back(10 +
                                                  static_cast<double>((run * 7 + static_cast<int>(i)) % 5));
  ReportPictures pictures;
  pictures.views[results.records[0].case_name] = dented_view({}, true);
  pictures.views[results.records[1].case_name] = dented_view({{Vec3(-0.1, 0.05, PlaneShape{}.depth_m)}, {4}});
  // The dent as tiles have it: 50 x 30 of them, that of (0.1, 0.05) in column 35 and row 20.
  pictures.tiles[results.records[0].case_name] = parse_tiles_csv(
      "0,0,-250,-150,9,0,0,100,-240,-140\n35,20,100,50,9,3,0,100,110,60\n"
      "49,29,240,140,9,0,0,100,250,150\n");
  // One case has two cameras, another one; a PNG of one pixel serves.
  const std::string pixel = one_pixel_png();
  for (const char* const camera : {"cam00", "cam01"})
    pictures.pictures[results.records[0].case_name].push_back(
        {"x.png", "depth_error", camera, "mm", -1, 1, 1, 50, 0, pixel});
  pictures.pictures[results.records[1].case_name].push_back(
      {"x.png", "depth_error", "cam00", "mm", -1, 1, 1, 50, 0, pixel});
  const auto photograph = [](unsigned char grey) {
    const RgbImage image{200, 150, false, std::vector<unsigned char>(90'000, grey)};
    return std::make_shared<SmallPhotograph>(SmallPhotograph{encode_jpeg(image, 75), 1});
  };
  pictures.photographs[results.records[0].case_name] = {{"cam00", 2, photograph(99)},
                                                        {"cam01", 2, photograph(50)}};
  pictures.stacks[results.records[0].case_name] = "main;hot 40\nmain;rest 10\n";
  pictures.stacks[results.records[1].case_name] = "main;hot 50\nmain;rest 50\n";
  std::string page = render_html_report(content_of(results), pictures);
  const std::size_t policy = page.find("<meta http-equiv");
  page.erase(policy, page.find('>', policy) + 1 - policy);
  const std::string checks =
      read_file(std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/reports/html/page_checks.js");
  page.insert(page.find("</body>"), "<script>" + checks + "</script>");
  return page;
}

TEST_F(Browser, TablesCurvesAndCloudsDoWhatTheySay) {
  write_file(folder_ / "page.html", page_with_checks());
  const std::string page = opened("page.html", {"--dump-dom", "--disable-gpu", "--window-size=1000,800"});
  const std::size_t begin = page.rfind("<pre id=\"checks\">");
  ASSERT_NE(begin, std::string::npos) << "the scripts of the page did not run to their end";
  const std::string checks = page.substr(begin, page.find("</pre>", begin) - begin);
  EXPECT_THAT(checks, Not(HasSubstr("FAIL")));
  EXPECT_THAT(checks, AllOf(HasSubstr("ok the dent stands at its place with its colour"),
                            HasSubstr("ok points have the colours of their program")));
}

// Printed by the browser, and read back: every number of the tables is whole, folds are open, and there is
// nothing to press.
TEST_F(Browser, PaperHasWholeNumbersOpenFoldsAndNoButtons) {
  const std::string reader = find_in_path("pdftotext");
  if (reader == "pdftotext") GTEST_SKIP() << "no pdftotext in PATH: apt-get install poppler-utils";
  BundleContent content = content_of(synthetic_results());
  const Baseline baseline = synthetic_baseline(content.results);
  *metric_of(content.results.records[1], "accuracy_mean_mm").value = 1234.5678;
  set_baseline(content, baseline);
  const std::string page = render_html_report(content, {});
  write_file(folder_ / "page.html", page);
  const std::string pdf = (folder_ / "page.pdf").string();
  opened("page.html", {"--disable-gpu", "--no-pdf-header-footer", "--print-to-pdf=" + pdf});
  const ProgramAnswer read = ask_program({reader, "-layout", pdf, "-"}, 60);
  ASSERT_TRUE(read.ok) << read.problem;
  std::size_t numbers = 0;
  const std::string metric = " data-metric=\"";
  for (std::size_t at = 0; (at = page.find(metric, at)) != std::string::npos; ++at, ++numbers) {
    const std::size_t begin = page.find('>', at) + 1;
    EXPECT_THAT(read.output, HasSubstr(" " + page.substr(begin, page.find('<', begin) - begin)));
  }
  EXPECT_GE(numbers, 30u);
  EXPECT_THAT(read.output, HasSubstr("root digest: "));
  for (const char* const button : {"show where", "filter", "copy", "columns"})
    EXPECT_THAT(read.output, Not(HasSubstr(button)));
}

// Loads the page in frames 400 and 1300 px wide and prints the texts whose boxes lie within the first 700 or
// 500 px, and [picture] for each picture.
constexpr const char* kFrames = R"html(<!doctype html><body style="margin:0">
<iframe src="page.html" style="border:0" width="400" height="800"></iframe>
<iframe src="page.html" style="border:0" width="1300" height="800"></iframe>
<script>
onload = () => {
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument, range = page.createRange(), seen = [];
    const inside = (box) => box.width > 0 && box.top >= 0 && box.bottom <= (frame.width > 700 ? 500 : 700) &&
      box.left >= 0 && box.right <= frame.width + 1;
    for (const picture of page.querySelectorAll('figure > svg, figure > img'))
      if (inside(picture.getBoundingClientRect())) seen.push('[picture]');
    const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (inside(box) && !node.parentElement.closest('script,style')) seen.push(node.data);
    }
    const out = document.createElement('pre');
    out.className = 'seen';
    out.textContent = seen.join(' ').replace(/\s+/g, ' ');
    document.body.append(out);
  }
};
</script>)html";

class FirstScreen : public Browser {
 protected:
  // The texts in the narrow and in the wide frame.
  std::vector<std::string> seen(const std::string& page) {
    write_file(folder_ / "page.html", page);
    return seen_at("page.html");
  }

  // Of a page in the folder of the test.
  std::vector<std::string> seen_at(const std::string& file) {
    std::string frames = kFrames;
    for (std::size_t at = 0; (at = frames.find("page.html", at)) != std::string::npos; at += file.size())
      frames.replace(at, std::string("page.html").size(), file);
    write_file(folder_ / "frame.html", frames);
    const std::string page =
        opened("frame.html",
               {"--dump-dom", "--disable-gpu", "--allow-file-access-from-files", "--window-size=1900,1000"});
    std::vector<std::string> texts;
    const std::string lead = "<pre class=\"seen\">";
    for (std::size_t at = 0; (at = page.find(lead, at)) != std::string::npos; at += lead.size())
      texts.push_back(page.substr(at, page.find("</pre>", at) - at));
    EXPECT_EQ(texts.size(), 2u) << page;
    return texts;
  }
};

TEST_F(FirstScreen, OfAFailedGateNamesCaseValueAndAcceptedRun) {
  BundleContent content = content_of(synthetic_results());
  const Baseline baseline = synthetic_baseline(content.results);
  *metric_of(content.results.records[1], "accuracy_mean_mm").value *= 5.7;
  set_baseline(content, baseline);
  ReportPictures pictures;
  pictures.tiles[content.results.records[1].case_name] =
      parse_tiles_csv("0,0,-250,-150,9,4,0,100,0,0\n1,1,0,0,9,4,0,100,250,150\n");
  EXPECT_THAT(
      seen(render_html_report(content, pictures)),
      Each(AllOf(HasSubstr("[picture]"), HasSubstr("FAIL 1 of 4 cases worse"),
                 HasSubstr("flat_plane/roma_like: "), HasSubstr("0.793 -&gt; 4.52 mm (5.7 x, allowed ± 5 %)"),
                 HasSubstr("accepted in run 20250101T000000Z"))));
}

TEST_F(FirstScreen, OfASweepWithoutABaselineSaysSo) {
  BundleContent content = content_of(synthetic_results());
  EXPECT_THAT(seen(render_html_report(content, {})),
              Each(HasSubstr("4 of 4 cases ran; no baseline: nothing to compare")));
}

TEST_F(FirstScreen, OfARecordingWithoutATruthSaysThatItsNumbersAreNoAccuracy) {
  BundleContent content = content_of(synthetic_results());
  for (Record& record : content.results.records)
    record.metrics = {{"photometric_zncc_median", {0.9, "1", Better::higher, ""}},
                      {"photometric_coverage_pct", {40, "%", Better::higher, ""}}};
  EXPECT_THAT(
      seen(render_html_report(content, {})),
      Each(HasSubstr("4 cases without a true surface: agreement, reprojection and scale are no accuracy")));
}

// The least accurate case is that of record 2; all of its cameras are 2 mm too deep.
TEST_F(FirstScreen, OfAWrongCalibrationNamesTheCommonBias) {
  const BundleContent content = content_of(synthetic_results());
  ReportPictures pictures;
  for (const Record& record : content.results.records) {
    const bool worst = record.case_name.starts_with("undulating/lightglue");
    pictures.biases_mm[record.case_name] = worst ? std::vector<double>{-2, -2, -2} : std::vector{0.1, -0.1};
    if (worst) pictures.tiles[record.case_name] = parse_tiles_csv("0,0,0,0,9,-2,0,100,10,6\n");
  }
  EXPECT_THAT(seen(render_html_report(content, pictures)),
              Each(AllOf(HasSubstr("[picture]"), HasSubstr("Least accurate: undulating/lightglue_like"),
                         HasSubstr("a common bias: all 3 cameras are 2.00 mm too deep"))));
}

TEST_F(FirstScreen, OfAnOpenComparisonShowsItsInterval) {
  const AbDocument document = document_of(timed_samples(10, 1.02));
  const AbReport report = judge_ab(document);
  ASSERT_EQ(report.cases[0].verdict, AbVerdict::inconclusive);
  EXPECT_THAT(seen(ab_page(document, report)),
              Each(AllOf(HasSubstr("INCONCLUSIVE"), HasSubstr(report.verdicts.rows[0].change),
                         HasSubstr("% better"), HasSubstr("% worse"))));
}

TEST_F(FirstScreen, OfATradeNamesBothSidesOfIt) {
  AbDocument document = document_of(timed_samples(40, 1 / 3.1));
  give_outputs(document.samples, 0.8, 1.6);
  EXPECT_THAT(seen(ab_page(document, judge_ab(document))),
              Each(AllOf(HasSubstr("WORSE new is 3.1 x faster ("),
                         HasSubstr("2 x worse: faster but less accurate"))));
}

TEST_F(FirstScreen, OfTwoCommitsSaysWhatGotWorseAndWhere) {
  const Results a = synthetic_results();
  Results b = a;
  metric_of(b.records[1], "accuracy_mean_mm").value = 10;
  EXPECT_THAT(seen(compare_page(compare_results(a, b), {&a, ""}, {&b, ""})),
              Each(AllOf(HasSubstr("WORSE 1 of 4 cases worse"), HasSubstr("flat_plane/roma_like: "),
                         HasSubstr("0.793 -&gt; 10 mm (13 x)"))));
}

// 20 runs of a suite; from the eleventh on one value is 1.5 times as large.
TEST_F(FirstScreen, OfASiteNamesTheNewestChangeForTheWorse) {
  for (int i = 0; i < 20; ++i) {
    Results run = synthetic_results();
    set_day(run, fmt::format("{:02}", i + 1));
    if (i >= 10) *metric_of(run.records[1], "accuracy_mean_mm").value *= 1.5;
    synthetic_bundle(folder_ / "out", run);
  }
  write_site({{folder_ / "out"}, folder_ / "site"});
  EXPECT_THAT(seen_at("site/index.html"),
              Each(AllOf(HasSubstr("WORSE 1 of 4 cases worse"), HasSubstr("flat_plane/roma_like"),
                         HasSubstr("-10.6 points"), HasSubstr("20250511T101112Z"))));
}

}  // namespace
}  // namespace aqbench
