// `aqbench eval` on clouds made here with the standard library's generator, against closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <random>
#include <vector>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using Eval = Folder;

struct Xyz {
  double x, y, z;
};

// A plane at depth 1.178 m with bias and noise along z; +bias is towards the cameras, which is -z.
std::vector<Xyz> noisy_plane(int count, double bias_m, double sigma_m, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> x(-0.25, 0.25), y(-0.15, 0.15);
  std::normal_distribution<double> noise(0, 1);
  std::vector<Xyz> points;
  for (int i = 0; i < count; ++i)
    points.push_back({x(generator), y(generator), 1.178 - bias_m + sigma_m * noise(generator)});
  return points;
}

void write_binary_ply(const std::filesystem::path& path, const std::vector<Xyz>& points) {
  std::ofstream file(path, std::ios::binary);
  file << "ply\nformat binary_little_endian 1.0\nelement vertex " << points.size()
       << "\nproperty double x\nproperty double y\nproperty double z\nend_header\n";
  file.write(reinterpret_cast<const char*>(points.data()),
             static_cast<std::streamsize>(points.size() * sizeof(Xyz)));
}

double phi(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

TEST_F(Eval, BiasedNoisyPlaneWithinFourStandardErrors) {
  const int n = 200000;
  const double bias = 0.0007, sigma = 0.001;
  write_binary_ply(dir_ / "cloud.ply", noisy_plane(n, bias, sigma, 11));
  const json document = document_of(run("eval cloud.ply --scene flat_plane --json"));

  const double root_n = std::sqrt(n);
  const double mean = sigma * std::sqrt(2 / std::numbers::pi) * std::exp(-bias * bias / (2 * sigma * sigma)) +
                      bias * std::erf(bias / (sigma * std::numbers::sqrt2));
  const double square = sigma * sigma + bias * bias;
  EXPECT_NEAR(metric_of(document, "accuracy_mean_mm"), 1e3 * mean,
              4e3 * std::sqrt(square - mean * mean) / root_n);
  EXPECT_NEAR(metric_of(document, "accuracy_rmse_mm"), 1e3 * std::sqrt(square), 4e3 * sigma / root_n);
  EXPECT_NEAR(metric_of(document, "bias_mean_mm"), 1e3 * bias, 4e3 * sigma / root_n);
  EXPECT_NEAR(metric_of(document, "bias_median_mm"), 1e3 * bias, 4e3 * 1.2533 * sigma / root_n);
  EXPECT_NEAR(metric_of(document, "nmad_mm"), 1e3 * sigma, 4e3 * 1.1664 * sigma / root_n);
  for (const auto& [name, t] :
       {std::pair{"precision_0.5mm_pct", 0.0005}, std::pair{"precision_1mm_pct", 0.001},
        std::pair{"precision_2mm_pct", 0.002}}) {
    const double p = phi((t - bias) / sigma) - phi((-t - bias) / sigma);
    EXPECT_NEAR(metric_of(document, name), 100 * p, 400 * std::sqrt(p * (1 - p)) / root_n) << name;
  }
  EXPECT_EQ(metric_of(document, "points"), n);
}

TEST_F(Eval, MillimetresTakenForMetresAreNamed) {
  auto points = noisy_plane(1000, 0, 0.001, 3);
  for (Xyz& p : points) p = {1e3 * p.x, 1e3 * p.y, 1e3 * p.z};
  write_binary_ply(dir_ / "mm.ply", points);
  expect_refused(run("eval mm.ply --scene flat_plane"), "millimetres");
  const json document = document_of(run("eval mm.ply --scene flat_plane --unit mm --json"));
  EXPECT_NEAR(metric_of(document, "accuracy_rmse_mm"), 1.0, 0.1);
}

TEST_F(Eval, BadInputIsOneLineAndExitTwo) {
  write_binary_ply(dir_ / "good.ply", noisy_plane(100, 0, 0.001, 5));
  std::filesystem::copy_file(dir_ / "good.ply", dir_ / "short.ply");
  std::filesystem::resize_file(dir_ / "short.ply", std::filesystem::file_size(dir_ / "short.ply") - 7);
  write_binary_ply(dir_ / "empty.ply", {});
  write_binary_ply(dir_ / "nan.ply", {{NAN, NAN, NAN}});
  write_binary_ply(dir_ / "far.ply", {{7, 7, 7}});
  write("text.ply", "not a ply\n");
  for (const char* name : {"short.ply", "empty.ply", "nan.ply", "far.ply", "text.ply", "missing.ply"}) {
    expect_refused(run("eval {} --scene flat_plane", name), name);
  }
  for (const char* const wrong :
       {"eval good.ply", "eval good.ply --scene flat_plan", "eval good.ply --scene flat_plane --unit ft",
        "eval good.ply --scene flat_plane --set flat_plane.dept_m=1",
        "eval good.ply --scene flat_plane --align yes"})
    EXPECT_EQ(run(wrong).exit_code, 2) << wrong;
}

TEST_F(Eval, NanPointsAreCountedAndLeftOut) {
  auto points = noisy_plane(1000, 0, 0.001, 5);
  points.push_back({NAN, 0, 1.178});
  points.push_back({0, INFINITY, 1.178});
  write_binary_ply(dir_ / "c.ply", points);
  const json document = document_of(run("eval c.ply --scene flat_plane --json"));
  EXPECT_EQ(metric_of(document, "points"), 1002);
  EXPECT_NEAR(metric_of(document, "accuracy_rmse_mm"), 1, 0.1);
  EXPECT_EQ(metric_of(document, "points_non_finite"), 2);
}

TEST_F(Eval, MeshesBeyondWhatFloatsHoldAreRefused) {
  for (const char* far_m : {"1.4e8", "1e19", "1e38", "1e60"}) {
    std::ofstream(dir_ / "far.ply")
        << "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\n"
           "property double z\nelement face 2\nproperty list uchar int vertex_indices\n"
           "end_header\n-0.2 -0.1 1.178\n0.2 -0.1 1.178\n0.2 0.1 1.178\n-0.2 0.1 1.178\n"
        << far_m << " 0 1.178\n3 0 1 2\n3 0 3 4\n";
    for (const char* truth : {"--scene", "--mesh"}) {
      const std::string of = truth == std::string("--scene") ? "flat_plane" : "far.ply";
      const auto result = run({"eval", "far.ply", truth, of});
      EXPECT_EQ(result.exit_code, 2) << far_m << result.err;
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
      EXPECT_TRUE(result.err.find("mesh: spans ") != std::string::npos ||
                  result.err.find("vertex 4 is farther than ") != std::string::npos)
          << result.err;
    }
  }
}

TEST_F(Eval, AlignmentPrintsItsTransformAndUndoesAShift) {
  auto points = noisy_plane(20000, 0, 0.0005, 9);
  for (Xyz& p : points) p.z += 0.004;
  write_binary_ply(dir_ / "shifted.ply", points);
  const auto plain = document_of(run("eval shifted.ply --scene flat_plane --json"));
  EXPECT_NEAR(metric_of(plain, "bias_mean_mm"), -4, 0.02);
  const auto text = succeeded(run("eval shifted.ply --scene flat_plane --align icp"));
  EXPECT_THAT(text.out, HasSubstr("M ="));
  EXPECT_THAT(text.out, HasSubstr("bias_mean_mm"));
  EXPECT_THAT(text.out, Not(HasSubstr("nmad_mm"))) << "is no headline";
  EXPECT_THAT(text.out, HasSubstr(" more metrics: --all\n"));
  const auto all = run("eval shifted.ply --scene flat_plane --all --thresholds 3mm");
  for (const char* const name : {"bias_mean_mm", "nmad_mm", "precision_3mm_pct", "points_non_finite"})
    EXPECT_THAT(all.out, HasSubstr(name)) << name;
  const auto other = run("eval shifted.ply --scene flat_plane --thresholds 3mm");
  EXPECT_THAT(other.out, HasSubstr("completeness_3mm_pct"));
  const auto aligned = run("eval shifted.ply --scene flat_plane --align icp --json");
  EXPECT_NEAR(metric_of(document_of(aligned), "bias_mean_mm"), 0, 0.02);
  const json matrix =
      json::parse(aligned.out).at("run").at("effective").at("transforms").at("icp").at("matrix");
  EXPECT_NEAR(matrix[2][3].get<double>(), -0.004, 0.0003);
}

// Who reads the JSON alone learns what a number is: half a sum, along which direction, of which plane.
TEST_F(Eval, JsonSaysWhatItsNumbersAre) {
  auto points = noisy_plane(20000, 0.0004, 0.0005, 13);
  for (Xyz& p : points) p.z += 0.05 * p.x;  // normal (0.05, 0, -1) / 1.00125
  write_binary_ply(dir_ / "c.ply", points);
  const json document = document_of(run("eval c.ply --scene flat_plane --rig ring12 --json"));
  const json effective = document.at("run").at("effective");
  for (const auto& [name, metric] : document.at("records").at(0).at("metrics").items())
    EXPECT_GT(effective.at("definitions").at(name).get<std::string>().size(), 10u) << name;
  EXPECT_THAT(effective["definitions"]["chamfer_l1_mm"].get<std::string>(), HasSubstr("half the sum"));
  const json normal = effective.at("plane_fit").at("normal");
  EXPECT_NEAR(normal[0].get<double>(), 0.05 / 1.00125, 1e-4);
  EXPECT_NEAR(normal[2].get<double>(), -1 / 1.00125, 1e-4);
  const json height = effective.at("height_difference");
  EXPECT_NEAR(height.at("mean_mm").get<double>(), 0.4, 0.2);
  EXPECT_NEAR(height.at("rmse_mm").get<double>(), std::sqrt(0.25 + 0.16 + 2500 * 0.25 / 3 * 0.25), 0.1);
  EXPECT_GT(effective.at("reprojection").at("mean_px").get<double>(), 1);
  const json without = json::parse(run("eval c.ply --scene flat_plane --json").out);
  EXPECT_FALSE(without.at("run").at("effective").contains("reprojection"));
}

TEST_F(Eval, ThreadsChangeNoByteOfTheMetrics) {
  write_binary_ply(dir_ / "c.ply", noisy_plane(50000, 0.0003, 0.001, 21));
  const auto metrics_with = [&](const char* threads) {
    const Arguments command = words("eval c.ply --scene undulating --json --threads {}", threads);
    return document_of(run(command)).at("records").at(0).at("metrics").dump();
  };
  EXPECT_EQ(metrics_with("1"), metrics_with("3"));
}

}  // namespace
}  // namespace aqbench::testing
