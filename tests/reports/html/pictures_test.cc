#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/files.h"
#include "core/text.h"
#include "harness/records/case_result.h"
#include "harness/viewing/cloud_view.h"
#include "reports/html/report.h"
#include "scenes/images/image_file.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportPictures, AreListedAndALineThatIsNoneIsNamed) {
  const std::string header = "file,kind,camera,unit,low,high,every_px,filled_pct,beyond_pct\n";
  const auto pictures = parse_picture_list(header + "depth.png,depth,cam00,m,0.2,0.3,2,80,\n");
  ASSERT_EQ(pictures.size(), 1u);
  EXPECT_EQ(pictures[0].file, "depth.png");
  EXPECT_EQ(pictures[0].camera, "cam00");
  EXPECT_EQ(pictures[0].high, 0.3);
  EXPECT_EQ(pictures[0].every_px, 2);
  EXPECT_TRUE(std::isnan(pictures[0].beyond_pct));
  const auto photographs = parse_picture_list(header + "photograph_1.jpg,photograph,cam01,,0,255,3,,\n");
  ASSERT_EQ(photographs.size(), 1u);
  EXPECT_EQ(photographs[0].every_px, 3);
  for (const char* const line :
       {"../../x.png,depth,c,m,0,1,1,1,1", "/etc/x.png,depth,c,m,0,1,1,1,1", ".x.png,depth,c,m,0,1,1,1,1",
        "x.svg,depth,c,m,0,1,1,1,1", "x.png,depth,c,m,nan,1,1,1,1", "x.png,depth,c,m,0,1,1e9,1,1",
        "x.png,depth,c,m,,1,1,1,1", "x.jpg,depth,c,m,0,1,1,1,1", "x.png,photograph,c,,0,255,2,,",
        "../x.jpg,photograph,c,,0,255,2,,", "x.png,depth,c,m,0,1,1,1", "x.png,depth,c,m,0,1y,1,1,1"})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { parse_picture_list(header + line, "b/pictures.csv"); }),
                HasSubstr(std::string("b/pictures.csv: line 2: is no row of this table: '") + line))
        << line;
}

TEST(ReportTiles, AreReadAndALineThatIsNoneIsNamed) {
  const std::string header = "column,row,..\n";
  const auto tiles = parse_tiles_csv(header + "0,1,0,0,3,-1.5,0.1,50,9,9\n2,0,0,0,0,,,,9,9\n");
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].row, 1);
  EXPECT_EQ(tiles[0].signed_mean_mm, -1.5);
  EXPECT_TRUE(std::isnan(tiles[1].completeness_pct));
  for (const char* const line :
       {"1e9,0,0,0,1,1,1,1,9,9", "-1,0,0,0,1,1,1,1,9,9", "0,0,0,0,1,x,1,1,9,9", "0,0,0,0,1,1,1,1,9,9,1",
        "0,0", "0,0,0,0,1,1,1,1,0,9", "0,0,0,0,1,1,1,1,,9", "column,row,.."})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { parse_tiles_csv(header + line, "b/tiles/x.csv"); }),
                HasSubstr(std::string("b/tiles/x.csv: line 2: is no row of this table: '") + line))
        << line;
  EXPECT_THAT(error_of(ErrorKind::input, [&] { parse_tiles_csv(header, "b/tiles/x.csv"); }),
              HasSubstr("b/tiles/x.csv: has no row"));
}

// Of a bundle: the whole name stands in the error.
TEST(ReportPictures, OfABundleNameTheirFile) {
  const TemporaryDirectory folder;
  const Results results = synthetic_results();
  const std::string name = results.records[0].case_name;
  for (const std::string& file : {case_file("tiles", name, ".csv"), case_file("viewer", name, ".bin"),
                                  "pictures/" + file_name_of(name) + "/pictures.csv"}) {
    const std::filesystem::path path = folder.path() / "bundle" / file;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, "garbage\n");
    EXPECT_THAT(error_of(ErrorKind::input, [&] { read_report_pictures(folder.path() / "bundle", results); }),
                HasSubstr(path.string()));
    std::filesystem::remove(path);
  }
}

// A JPEG of noise, 640 pixels wide, of about 300 kB.
std::string noise_jpeg(std::uint32_t state) {
  RgbImage noise{640, 480, false, {}};
  for (int i = 0; i < 3 * 640 * 480; ++i) {
    state = 1664525 * state + 1013904223;
    noise.bytes.push_back(static_cast<unsigned char>(state >> 24));
  }
  return encode_jpeg(noise, 95);
}

// Two cases of one dataset share its photographs; the last ones become smaller, and what has no room is
// counted.
TEST(ReportPictures, HaveEqualPhotographsOnceInTheirOwnRoom) {
  const TemporaryDirectory folder;
  const Results results = synthetic_results();
  const auto name = [&](std::size_t i) { return results.records[i].case_name; };
  for (const std::size_t i : {0, 1}) {
    const auto at = folder / "pictures" / file_name_of(name(i));
    std::filesystem::create_directories(at);
    write_file(at / "depth.png", std::string(700'000, 'd'));
    std::string list = "depth.png,depth,a,m,0,1,1,1,1\n";
    for (const char* const camera : {"a", "b", "c"}) {
      const bool too_large = *camera == 'c';
      write_file(at / (std::string(camera) + ".jpg"),
                 too_large ? std::string(600'000, 'c') : noise_jpeg(*camera));
      list += fmt::format("{0}.jpg,photograph,{0},,0,255,2,,\n", camera);
    }
    write_file(at / "pictures.csv", list);
  }
  ReportPictures pictures = read_report_pictures(folder.path(), results);
  EXPECT_EQ(pictures.photographs_left_out, 2u);  // camera c of both cases
  EXPECT_EQ(pictures.kinds.at(name(0)), std::set<std::string>{"depth"});
  for (const std::size_t i : {0, 1}) {
    const std::vector<ReportPhotograph>& photographs = pictures.photographs.at(name(i));
    ASSERT_EQ(photographs.size(), 2u);
    EXPECT_EQ(photographs[0].image->jpeg, noise_jpeg('a'));
    EXPECT_EQ(photographs[1].camera, "b");
    EXPECT_EQ(photographs[1].image->every_px, 2);
    EXPECT_EQ(decode_rgb_jpeg(photographs[1].image->jpeg, "b.jpg").width, 320);
  }
  CloudView view;
  view.points = {{0, 0, 0}};
  view.errors = {0};
  view.marks = {0xFF};
  pictures.views[name(0)] = encode_view(view);
  const std::string page = render_html_report(content_of(results), pictures);
  EXPECT_THAT(page, HasSubstr("There is no room for 2 photographs in pictures/."));
  EXPECT_THAT(page, HasSubstr(":{\"a\":[0,2],\"b\":[1,4]}"));
  EXPECT_THAT(page, HasSubstr("id=\"photograph-1\">/9j/"));
  EXPECT_THAT(page, Not(HasSubstr("id=\"photograph-2\"")));
  EXPECT_LT(page.size(), 3'000'000u);
}

// Colours take two bytes a point: of a million fewer points are shown, and the page stays as small.
TEST(PageViews, AMillionColouredPointsStayBelowTenMegabytes) {
  CloudView view;
  view.scored = 1'000'000;
  for (int i = 0; i < 1'000'000; ++i) {
    view.points.push_back({(i % 1000) * 25, (i / 1000) * 15, (i % 1000 * 7919) % 60});
    view.errors.push_back(static_cast<std::int8_t>(i % 50));
    view.marks.push_back(0x73);
    view.colours.push_back(static_cast<std::uint16_t>(i % 4096 * 31));
  }
  const Results results = synthetic_results();
  const std::string name = results.records[1].case_name;
  ReportPictures pictures;
  pictures.views[name] = encode_view(view);
  EXPECT_LT(render_html_report(content_of(results), pictures).size(), 10'000'000u);
  const CloudView shown = decode_view(fit_views(pictures.views, results, 7'000'000).at(0).second, "page");
  EXPECT_GE(shown.points.size(), 500'000u);
  ASSERT_EQ(shown.colours.size(), shown.points.size());
  const std::size_t every = 1'000'000 / shown.points.size();
  EXPECT_EQ(shown.colours[1000], view.colours[1000 * every]);
}

TEST(PageViews, CloudsFitIntoTheRoomThatThereIs) {
  CloudView view;
  view.scored = 4000;
  for (int i = 0; i < 4000; ++i) {
    view.points.push_back({i * 7, (i * 7919) % 1000, i % 50});
    view.errors.push_back(error_code(0.001 * i));
    view.marks.push_back(0xFF);
  }
  const Results results = synthetic_results();
  const std::string bytes = encode_view(view), name = results.records[1].case_name;
  const auto whole = fit_views({{name, bytes}, {"unknown_case", bytes}}, results, 1 << 20);
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0], std::pair(std::string("cloud-1"), bytes));
  const auto thin = fit_views({{name, bytes}}, results, 10'000);
  ASSERT_LE(thin.at(0).second.size(), 10'000u);
  const CloudView shown = decode_view(thin[0].second, "page");
  EXPECT_GT(shown.points.size(), 400u);
  EXPECT_EQ(shown.scored, 4000u);
  EXPECT_TRUE(fit_views({{name, bytes}}, results, 100).empty());
  for (const std::size_t nodes : {100u, 10'000u}) {
    CloudView rig = view;
    for (std::size_t i = 0; i < nodes; ++i) rig.rays.push_back({static_cast<std::int32_t>(i) * 999, 0, 0});
    const auto fitted = fit_views({{name, encode_view(rig)}}, results, 10'000);
    ASSERT_EQ(fitted.size(), 1u);
    EXPECT_EQ(decode_view(fitted[0].second, "page").rays.size(), nodes == 100 ? nodes : 0);
  }
  ReportPictures pictures;
  pictures.views[name] = bytes;
  const std::string page = render_html_report(content_of(results), pictures);
  EXPECT_THAT(page, HasSubstr("id=\"cloud-1\">" + base64_text(bytes)));
  EXPECT_EQ(page, render_html_report(content_of(results), pictures));
}

}  // namespace

}  // namespace aqbench
