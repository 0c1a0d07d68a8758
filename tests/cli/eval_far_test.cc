// `aqbench eval` of coordinates as maps have them, far from the origin.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using Places = std::vector<std::array<double, 3>>;

void put_text(const std::filesystem::path& path, const std::string& text) { std::ofstream(path) << text; }

double worst_error_mm(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json metrics = json::parse(result.out).at("records").at(0).at("metrics");
  return metrics.at("accuracy_max_mm").at("value").get<double>();
}

// Rows of numbers as "x y z", one for each place.
std::string lines_of(const Places& places, const char* separator = " ") {
  std::string text;
  for (const auto& [x, y, z] : places) text += fmt::format("{}{}{}{}{}\n", x, separator, y, separator, z);
  return text;
}

// A file of 32 bits at the coordinates of UTM has steps of 0.5 m there.
TEST(EvalFarFromTheOrigin, StepsOfNumbersOf32BitsAreSaid) {
  const TemporaryDir dir;
  Places exact, rounded;
  for (int i = 0; i < 400; ++i) {
    exact.push_back({500000.501 + i % 20, 4500000.501 + i / 20, 12.001});
    rounded.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) rounded.back()[k] = static_cast<float>(exact.back()[k]);
  }
  put_text(dir / "exact.xyz", lines_of(exact));
  put_text(dir / "rounded.xyz", lines_of(rounded));
  const ProgramResult quiet =
      run_program({"eval", dir / "exact.xyz", "--truth", dir / "exact.xyz", "--json"});
  EXPECT_EQ(quiet.err, "");
  EXPECT_LT(worst_error_mm(quiet), 1e-5);
  for (const auto& [cloud, truth] : {std::pair("rounded.xyz", "exact.xyz"), {"exact.xyz", "rounded.xyz"}}) {
    const ProgramResult warned = run_program({"eval", dir / cloud, "--truth", dir / truth});
    EXPECT_NE(
        warned.err.find("rounded.xyz: its coordinates are numbers of 32 bits, which have steps of 0.5 m at "
                        "4.5e+06 m"),
        std::string::npos)
        << warned.err;
  }
}

// The truth is turned by a milliradian about a far origin: the matrix as it is printed brings the cloud
// there.
TEST(EvalFarFromTheOrigin, PrintedMatricesHaveTheDigitsOfFarCoordinates) {
  const TemporaryDir dir;
  const auto turned = [](const Places& places) {
    auto result = places;
    for (auto& [x, y, z] : result)
      std::tie(x, y) =
          std::pair(std::cos(1e-3) * x - std::sin(1e-3) * y, std::sin(1e-3) * x + std::cos(1e-3) * y);
    return result;
  };
  Places cloud,
      cameras = {{500000, 4500000, 0}, {500005, 4500000, 0}, {500000, 4500007, 0}, {500001, 4500001, 3}};
  for (int i = 0; i < 400; ++i) cloud.push_back({500000.123 + i % 20, 4500000.321 + i / 20, 12.5});
  const auto named = [](const Places& places) {
    std::string text, name = "a camera,";
    for (const auto& place : places) text += (name += "x") + " " + lines_of({place});
    return text;
  };
  put_text(dir / "cloud.xyz", lines_of(cloud));
  put_text(dir / "truth.xyz", lines_of(turned(cloud)));
  put_text(dir / "cameras.txt", named(cameras));
  put_text(dir / "true_cameras.txt", named(turned(cameras)));
  const ProgramResult aligned =
      run_program({"eval", dir / "cloud.xyz", "--truth", dir / "truth.xyz", "--align", "cameras", "--cameras",
                   dir / "cameras.txt", "--truth-cameras", dir / "true_cameras.txt"});
  ASSERT_EQ(aligned.exit_code, 0) << aligned.err;
  std::string matrix;
  std::istringstream out(aligned.out);
  for (std::string line; std::getline(out, line);)
    if (line.starts_with("  [")) matrix += line.substr(3, line.size() - 4) + "\n";
  put_text(dir / "t.txt", matrix);
  EXPECT_LT(worst_error_mm(run_program({"eval", dir / "cloud.xyz", "--truth", dir / "truth.xyz",
                                        "--transform", dir / "t.txt", "--json"})),
            1e-3)
      << matrix;
}

}  // namespace
}  // namespace aqbench::testing
