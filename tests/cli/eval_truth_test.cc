// `aqbench eval` against truths that are files: scans in another unit, partial ones, other frames and sizes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <string>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using EvalTruth = Folder;

// Points of the plane z = 1 over x from 0 to x_high, y from 0 to 0.3, with noise along z, in some unit.
std::string plane_text(int count, double x_high, double sigma, double per_metre, unsigned seed,
                       const char* separator) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> x(0, x_high), y(0, 0.3);
  std::normal_distribution<double> noise(0, 1);
  std::string text;
  char line[128];
  for (int i = 0; i < count; ++i) {
    std::snprintf(line, sizeof line, "%.17g%s%.17g%s%.17g\n", per_metre * x(generator), separator,
                  per_metre * y(generator), separator, per_metre * (1 + sigma * noise(generator)));
    text += line;
  }
  return text;
}

// The truth is the left half, in millimetres, the cloud metres: mean |error| is 0.798 sigma.
TEST_F(EvalTruth, APartialScanInMillimetres) {
  write("truth.csv", "x;y;z\n" + plane_text(10000, 0.2, 0, 1000, 1, ";"));
  write("cloud.xyz", plane_text(60000, 0.4, 0.001, 1, 2, " "));
  const Arguments command = words(
      "eval cloud.xyz --truth-cloud truth.csv --truth-unit mm --max-distance 20mm --thresholds 3mm,1cm "
      "--outlier 50mm");
  const json document = document_of(run(with(command, {"--json"})));
  EXPECT_NEAR(metric_of(document, "accuracy_mean_mm"), std::sqrt(2 / std::numbers::pi), 0.01 * 0.798);
  EXPECT_NEAR(metric_of(document, "points_left_out_pct"), 50, 2);
  EXPECT_NEAR(metric_of(document, "precision_3mm_pct"), 100 * std::erf(3 / std::numbers::sqrt2), 0.1);
  EXPECT_EQ(metric_of(document, "outlier_ratio_50mm_pct"), 0);
  const json& effective = document.at("run").at("effective");
  EXPECT_EQ(effective.at("scoring").at("border"), "leave-out");
  EXPECT_EQ(effective.at("scoring").at("distance"), "plane");
  EXPECT_EQ(effective.at("scoring").at("max_distance_m"), 0.02);
  EXPECT_GT(effective.at("left_out").at("beyond_border"), 27000);
  EXPECT_EQ(effective.at("definitions").at("precision_3mm_pct"), "scored points with |error| <= 3 mm");
  EXPECT_EQ(effective.at("definitions").at("outlier_ratio_50mm_pct"),
            "scored points with |error| > 50 mm (gross outliers)");
  const ProgramResult shown = run(command);
  EXPECT_THAT(shown.out, HasSubstr("left out: "));
  EXPECT_THAT(shown.out, HasSubstr("beyond a border of the truth"));
}

TEST_F(EvalTruth, ACropAndAMeshOfAnotherFormat) {
  write("truth.obj", "v 0 0 1\nv 0.4 0 1\nv 0.4 0.3 1\nv 0 0.3 1\nf 1 2 3 4\n");
  write("cloud.xyz", plane_text(2000, 0.4, 0.001, 1, 2, " "));
  const json document = document_of(
      run({"eval", "cloud.xyz", "--truth", "truth.obj", "--crop", "box:0,0,0,0.1,0.3,2", "--json"}));
  EXPECT_NEAR(metric_of(document, "points_outside_crop"), 1500, 100);
  EXPECT_NEAR(metric_of(document, "points_left_out_pct"), metric_of(document, "points_outside_crop") / 20,
              1e-9);
  EXPECT_GT(metric_of(document, "completeness_10mm_pct"), 90);
}

// A room of 100 m and a chip of 5 mm, of the same shape.
TEST_F(EvalTruth, LargeAndSmall) {
  for (const double size : {100.0, 0.005}) {
    write("cloud.xyz", plane_text(2000, 0.4, 0.001, size, 2, " "));
    char corners[256];
    std::snprintf(corners, sizeof corners, "v 0 0 %g\nv %g 0 %g\nv %g %g %g\nv 0 %g %g\nf 1 2 3 4\n", size,
                  0.4 * size, size, 0.4 * size, 0.3 * size, size, 0.3 * size, size);
    write("truth.obj", corners);
    const json document = document_of(run("eval cloud.xyz --truth truth.obj --json"));
    EXPECT_NEAR(metric_of(document, "accuracy_mean_mm"), 1000 * size * 0.001 * 0.798,
                1000 * size * 0.001 * 0.05);
  }
}

TEST_F(EvalTruth, AlignedByCamerasInAnotherFrame) {
  // The cloud's frame: turned by 90 degrees about z, half as large, shifted.
  std::string cloud, ours, theirs = "# TUM\n";
  for (int i = 0; i < 300; ++i) {
    const double x = 0.4 * ((i * 37) % 101) / 101, y = 0.3 * ((i * 53) % 97) / 97;
    cloud += std::to_string(y / 2 + 3) + " " + std::to_string(-x / 2) + " 0.5\n";
  }
  for (int i = 0; i < 8; ++i) {
    const double x = 0.1 * i, y = 0.02 * i * i, z = i % 2;
    theirs += std::to_string(i) + " " + std::to_string(x) + " " + std::to_string(y) + " " +
              std::to_string(z) + " 0 0 0 1\n";
    ours += std::to_string(i) + "," + std::to_string(y / 2 + 3) + "," + std::to_string(-x / 2) + "," +
            std::to_string(z / 2) + "\n";
  }
  write("cloud.xyz", cloud);
  write("ours.csv", ours);
  write("theirs.txt", theirs);
  write("truth.off", "OFF\n4 1 0\n0 0 1\n0.4 0 1\n0.4 0.3 1\n0 0.3 1\n4 0 1 2 3\n");
  const Arguments command = words(
      "eval cloud.xyz --truth truth.off --align cameras --cameras ours.csv --json --truth-cameras "
      "theirs.txt");
  const json document = document_of(run(command));
  EXPECT_LT(metric_of(document, "accuracy_max_mm"), 0.01);
  const json& aligned = document.at("run").at("effective").at("transforms").at("cameras");
  EXPECT_NEAR(aligned.at("scale").get<double>(), 2, 1e-5);
  EXPECT_NEAR(aligned.at("rotation_deg").get<double>(), 90, 1e-3);
  EXPECT_EQ(aligned.at("agreeing_cameras"), 8);
  // A matrix as text does the same.
  write("t.txt", "0 -2 0 0\n2 0 0 -6\n0 0 2 0\n0 0 0 1\n");
  const json by_file = document_of(run("eval cloud.xyz --truth truth.off --align file:t.txt --json"));
  EXPECT_LT(metric_of(by_file, "accuracy_max_mm"), 0.01);
  // Each of two steps of one kind stands in the result.
  write("back.txt", "0 1 0 3\n-1 0 0 0\n0 0 1 0\n0 0 0 1\n");
  write("twice.txt", "0 -1 0 0\n1 0 0 -3\n0 0 1 0\n0 0 0 1\n");
  const json by_three = document_of(
      run("eval cloud.xyz --truth truth.off --align file:t.txt,file:back.txt,file:twice.txt --json"));
  EXPECT_LT(metric_of(by_three, "accuracy_max_mm"), 0.01);
  const json& noted = by_three.at("run").at("effective").at("transforms");
  EXPECT_EQ(noted.at("file").at("scale"), 2);
  EXPECT_EQ(noted.at("file_2").at("matrix").at(0).at(3), 3);
  EXPECT_EQ(noted.at("file_3").at("matrix").at(1).at(3), -3);
}

// Truth and cloud have the same points; the cloud is turned by 90 degrees about z, half as large, and
// shifted.
TEST_F(EvalTruth, RegisteredAsTanksAndTemplesDo) {
  const auto line = [](double x, double y, double z) {
    return std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z) + "\n";
  };
  std::string cloud, truth, ours, theirs;
  for (int i = 0; i < 2000; ++i) {
    const double x = 0.8 * ((i * 37) % 1009) / 1009, y = 0.6 * ((i * 53) % 997) / 997;
    const double z = 1 + 0.1 * std::sin(9 * x) * std::cos(7 * y);
    truth += line(x, y, z);
    cloud += line(y / 2 + 3, -x / 2, z / 2);
  }
  for (int i = 0; i < 12; ++i) {
    const double x = 0.1 * i, y = 0.02 * i * i, z = i % 2, wrong = i == 5 ? 0.7 : 0;
    theirs += "view" + std::to_string(i) + " " + line(x, y, z);
    ours += "view" + std::to_string(i) + " " + line(y / 2 + 3, -x / 2 + wrong, z / 2);
  }
  write("cloud.xyz", cloud);
  write("truth.xyz", truth);
  write("ours.txt", ours);
  write("theirs.txt", theirs);
  Arguments command = words(
      "eval cloud.xyz --truth truth.xyz --align tanks-and-temples --cameras ours.txt --crop "
      "box:-1,-1,-1,2,2,2 --truth-cameras theirs.txt");
  const ProgramResult shown = run(command);
  EXPECT_THAT(shown.out,
              HasSubstr("registered as Tanks and Temples do, tau 5 mm: 11 of 12 camera centres agree"))
      << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("ICP in voxels of 2.5 mm, partners within 100 mm: fitness 1,"));
  command = with(command, {"--json", "--thresholds", "4mm,8mm"});
  const json document = document_of(run(command));
  EXPECT_LT(metric_of(document, "accuracy_max_mm"), 0.01);
  const json& found = document.at("run").at("effective").at("transforms").at("tanks-and-temples");
  EXPECT_NEAR(found.at("scale").get<double>(), 2, 1e-4);
  EXPECT_NEAR(found.at("rotation_deg").get<double>(), 90, 1e-2);
  EXPECT_NEAR(found.at("shift_m").get<double>(), 6, 1e-3);
  EXPECT_EQ(found.at("tau_m"), 0.004);
  EXPECT_EQ(found.at("agreeing_cameras"), 11);
  EXPECT_EQ(found.at("icp").size(), 3U);
  EXPECT_EQ(found.at("icp").at(2).at("fitness"), 1);
  EXPECT_LT(found.at("icp").at(2).at("inlier_rmse_m"), 1e-5);
  command = with(command, {"--protocol", "tanks-and-temples"});
  const ProgramResult protocol = run(command);
  EXPECT_EQ(json::parse(protocol.out).at("inputs").at("transforms").at("tanks-and-temples"), found)
      << protocol.err;
  write("ours.txt", ours.substr(0, ours.find("view2")));
  expect_refused(run(command), "2 pairs do not determine a similarity");
}

// Cameras stand where the file has them: steps before move them with the cloud.
TEST_F(EvalTruth, CamerasFollowTheStepsBefore) {
  std::string points, cameras;
  for (int i = 0; i < 300; ++i)
    points += std::to_string(0.4 * ((i * 37) % 101) / 101) + " " +
              std::to_string(0.3 * ((i * 53) % 97) / 97) + " 1\n";
  for (int i = 0; i < 8; ++i)
    cameras += "c" + std::to_string(i) + " " + std::to_string(0.1 * i) + " " + std::to_string(0.02 * i * i) +
               " " + std::to_string(i % 2) + "\n";
  write("cloud.xyz", points);
  write("cameras.txt", cameras);
  write("truth.off", "OFF\n4 1 0\n0 0 1\n0.4 0 1\n0.4 0.3 1\n0 0.3 1\n4 0 1 2 3\n");
  write("t.txt", "0 -2 0 0\n2 0 0 -6\n0 0 2 0\n0 0 0 1\n");
  const json document =
      document_of(run({"eval", "cloud.xyz", "--truth", "truth.off", "--transform", "t.txt", "--align",
                       "cameras", "--cameras", "cameras.txt", "--truth-cameras", "cameras.txt", "--json"}));
  EXPECT_LT(metric_of(document, "accuracy_max_mm"), 0.01);
  EXPECT_NEAR(document.at("run").at("effective").at("transforms").at("cameras").at("scale").get<double>(),
              0.5, 1e-9);
}

// Points 3 mm above a plane, with their numbers in front.
TEST_F(EvalTruth, ColumnsAreSaidWhereTheFileDoesNot) {
  std::string cloud, truth;
  for (int i = 0; i < 2500; ++i) {
    const std::string place = std::to_string(0.008 * (i % 50)) + " " + std::to_string(0.008 * (i / 50)) + " ";
    cloud += std::to_string(i) + " " + place + "0.997\n";
    truth += std::to_string(i + 1) + " " + place + "1\n";
  }
  write("cloud.txt", cloud);
  write("truth.txt", truth);
  write("named.txt", "# id x y z\n" + cloud);
  const auto score = [&](const char* file, const char* more) {
    return run(with(words("eval {} --truth truth.txt --json", file), words(more)));
  };
  const auto refused = score("cloud.txt", "--truth-columns 2,3,4");
  expect_mistake(refused, "counts the points from 0");
  EXPECT_THAT(refused.err, HasSubstr("--columns 2,3,4"));
  EXPECT_EQ(score("cloud.txt", "--columns 2,3,4").exit_code, 2) << "the truth counts, too";
  EXPECT_NEAR(
      metric_of(document_of(score("cloud.txt", "--columns 2,3,4 --truth-columns 2,3,4")), "accuracy_mean_mm"),
      3, 1e-6);
  EXPECT_NEAR(metric_of(document_of(score("named.txt", "--truth-columns 2,3,4")), "accuracy_mean_mm"), 3,
              1e-6);
  EXPECT_THAT(score("cloud.txt", "--columns 2,3,3").err, HasSubstr("expected the columns of x, y and z"));
}

TEST_F(EvalTruth, FlagsThatDoNotFitAreNamed) {
  write("a.xyz", "0 0 0\n1 0 0\n0 1 0\n1 1 0\n");
  const Arguments base = {"eval", "a.xyz", "--truth-cloud", "a.xyz"};
  const auto refused = [&](const Arguments& more, const std::string& flag) {
    expect_refused(run(with(base, more)), flag);
  };
  refused({"--scene", "flat_plane"}, "give one of --scene");
  refused({"--thresholds", "2"}, "--thresholds");
  refused({"--outlier", "-3mm"}, "--outlier");
  refused({"--max-distance", "3ft"}, "--max-distance");
  refused({"--align", "cameras"}, "--cameras");
  refused({"--align", "tanks-and-temples"}, "--align tanks-and-temples: needs --cameras");
  refused({"--cameras", "x"}, "--align cameras");
  refused({"--align", "magic"}, "--align");
  refused({"--crop", "box:1"}, "crop 'box:1'");
  refused({"--crop", "z:5,6"},
          "none of its 4 points is scored: 0 outside the scene's patch, 4 outside the crop");
  refused({"--scanner", "1,2"}, "--scanner");
  refused(words("--scanner 1,2,3 --scanner 1,2,3"), "--scanner");
  EXPECT_EQ(run("eval a.xyz --scene flat_plane --border score").exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
