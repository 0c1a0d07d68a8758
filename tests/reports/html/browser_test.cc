// What the scripts of report.html do, in a real browser: headless Chromium with software WebGL.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>
#include <unistd.h>

#include <cmath>

#include "core/files.h"
#include "core/processes/process.h"
#include "harness/viewing/make_view.h"
#include "reports/html/report.h"
#include "scenes/surfaces/plane.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

std::string browser() {
  for (const char* const name : {"chromium", "chromium-browser", "google-chrome"})
    if (const std::string found = find_in_path(name); found != name) return found;
  return "";
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
  return encode_view(make_view(made, *truth, nullptr, holes, views, {.points = 100'000}));
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
  pictures.profiles[results.records[0].case_name] = {
      R"({"traceEvents":[{"ph":"X","tid":0,"ts":5000,"dur":20000,"name":"matching"},)"
      R"({"ph":"C","ts":5000,"name":"tensor memory","args":{"MB":3}}]})",
      "main;hot 40\nmain;rest 10\n"};
  pictures.profiles[results.records[1].case_name] = {"", "main;hot 50\nmain;rest 50\n"};
  std::string page = render_html_report(content_of(results), pictures);
  const std::size_t policy = page.find("<meta http-equiv");
  page.erase(policy, page.find('>', policy) + 1 - policy);
  const std::string checks =
      read_file(std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/reports/html/page_checks.js");
  page.insert(page.find("</body>"), "<script>" + checks + "</script>");
  return page;
}

TEST(ReportInABrowser, TablesCurvesAndCloudsDoWhatTheySay) {
  const std::string program = browser();
  if (program.empty()) GTEST_SKIP() << "no chromium in PATH: apt-get install chromium";
  const TemporaryDirectory folder;
  write_file(folder / "page.html", page_with_checks());
  std::vector<std::string> command = {program,
                                      "--headless=new",
                                      "--disable-gpu-sandbox",
                                      "--use-angle=swiftshader",
                                      "--enable-unsafe-swiftshader",
                                      "--ignore-gpu-blocklist",
                                      "--no-first-run",
                                      "--window-size=1000,800",
                                      "--user-data-dir=" + (folder / "profile").string()};
  if (::geteuid() == 0) command.emplace_back("--no-sandbox");
  command.emplace_back("--dump-dom");
  command.push_back("file://" + (folder / "page.html").string());
  const ProgramAnswer answer = ask_program(command, 120);
  ASSERT_TRUE(answer.ok) << answer.problem;
  const std::size_t begin = answer.output.rfind("<pre id=\"checks\">");
  ASSERT_NE(begin, std::string::npos) << "the scripts of the page did not run to their end";
  const std::string checks = answer.output.substr(begin, answer.output.find("</pre>", begin) - begin);
  EXPECT_THAT(checks, ::testing::Not(::testing::HasSubstr("FAIL")));
  for (const char* const how : {"by WebGL2", "without a device"})
    EXPECT_THAT(
        checks,
        ::testing::AllOf(
            ::testing::HasSubstr(std::string("ok the dent stands at its place with its colour, ") + how),
            ::testing::HasSubstr(std::string("ok points have the colours of their program, ") + how)));
}

}  // namespace
}  // namespace aqbench
