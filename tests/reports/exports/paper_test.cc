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
#include "harness/viewing/make_view.h"
#include "reports/content/charts.h"
#include "reports/exports/figures.h"
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
       {"\\begin{tabular}{lrrr}\n\\toprule\nmethod & flat\\_plane & Waves & mean \\\\\n\\midrule\n",
        "\nlightglue\\_like & \\underline{1.53} & \\underline{1.60} & \\underline{1.56} \\\\\n",
        "\nRoMa \\& co & \\textbf{0.793} & \\textbf{0.800} & \\textbf{0.796} \\\\\n\\bottomrule"})
    EXPECT_THAT(latex, HasSubstr(part));
  EXPECT_THROW(results_latex(synthetic_results(), {{"accuracy"}, {}}), Error);
  // Of one scene: methods and metrics.
  Results one = synthetic_results();
  std::erase_if(one.records, [](const Record& record) { return record.scene != "flat_plane"; });
  EXPECT_THAT(results_latex(one, {{"accuracy_mean_mm", "fscore_2mm_pct"}, {}}),
              HasSubstr("method & mean error [mm] & "));
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
  EXPECT_EQ(figures[0].first, "accuracy");
  for (const auto& [name, chart] : figures) {
    const std::string text = svg_document(drawing_of(chart));
    EXPECT_NO_THROW(xml_testing::parse_xml(R"(<?xml version="1.0" encoding="UTF-8"?>)" + text)) << name;
    EXPECT_THAT(text, HasSubstr("<style>svg{background"));
  }
}

// Two cameras of 640 x 480 pixels; the second is turned by a quarter around its axis and by 0.2 rad towards
// x.
Rig two_cameras() {
  Rig rig;
  for (const char* const name : {"left", "right"}) {
    Camera camera;
    camera.name = name;
    camera.intrinsics.width_px = 640;
    camera.intrinsics.height_px = 480;
    camera.intrinsics.K << 500, 0, 330, 0, 510, 235, 0, 0, 1;
    camera.camera_from_world.rotation.setIdentity();
    rig.cameras.push_back(camera);
  }
  const Eigen::Matrix3d turned = (Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitY()) *
                                  Eigen::AngleAxisd(EIGEN_PI / 2, Eigen::Vector3d::UnitZ()))
                                     .toRotationMatrix();  // world from camera
  rig.cameras[1].camera_from_world.rotation = turned.transpose();
  rig.cameras[1].camera_from_world.translation_m = -turned.transpose() * Eigen::Vector3d(0.1, -0.05, 0.2);
  return rig;
}

CloudView view_of(const Rig* rig) {
  const auto truth = make_plane(PlaneShape{}, Patch{});
  Reconstruction made;
  made.cloud.points_m.emplace_back(0, 0, truth->jet(0, 0).z);
  return make_view(made, *truth, rig, {}, {});
}

TEST(CameraExports, PosesAreThoseOfTheRig) {
  const Rig rig = two_cameras();
  std::istringstream lines(cameras_tum(view_of(&rig), "x"));
  std::string line;
  std::vector<std::string> comments;
  for (const Camera& camera : rig.cameras) {
    while (std::getline(lines, line) && line.starts_with('#')) comments.push_back(line);
    std::istringstream numbers(line);
    double index, x, y, z;
    Eigen::Quaterniond q;
    numbers >> index >> x >> y >> z >> q.x() >> q.y() >> q.z() >> q.w();
    EXPECT_FALSE(numbers.fail()) << line;
    EXPECT_LT((Eigen::Vector3d(x, y, z) - camera_centre_m(camera.camera_from_world)).norm(), 2e-5);
    const Eigen::Matrix3d expected = camera.camera_from_world.rotation.transpose();
    EXPECT_LT((q.toRotationMatrix() - expected).norm(), 5e-4) << line;
  }
  EXPECT_THAT(comments, ::testing::Contains("# 1 right"));
  EXPECT_THAT(comments[0], HasSubstr("metres, world frame"));
}

TEST(CameraExports, WireFramesBeginAtTheCentres) {
  const Rig rig = two_cameras();
  const std::string ply = cameras_ply(view_of(&rig), "x");
  for (const char* const part :
       {"comment camera 1 right\n", "element vertex 10\n", "element edge 16\n",
        "end_header\n0.000000 0.000000 0.000000\n", "\n0.100000 -0.050000 0.200000\n", "\n5 6\n6 7\n"})
    EXPECT_THAT(ply, HasSubstr(part));
  // The first corner of the first camera: its pixel (0, 0) at a depth of 60 mm.
  EXPECT_THAT(ply, HasSubstr("\n-0.039600 -0.027648 0.060000\n"));
}

TEST(CameraExports, WithoutCamerasThereIsNothing) {
  EXPECT_EQ(cameras_ply(view_of(nullptr), "x"), "");
  EXPECT_EQ(cameras_tum(view_of(nullptr), "x"), "");
  CloudView wrong = view_of(nullptr);
  wrong.scene_json = R"({"cameras":[{"name":"a","centre_mm":[0,0],"corners":[]}]})";
  EXPECT_THROW(cameras_ply(wrong, "x"), Error);
}

}  // namespace

}  // namespace aqbench
