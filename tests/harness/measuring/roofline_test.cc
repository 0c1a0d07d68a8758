#include "harness/measuring/roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

constexpr double kFlops = 8e9, kBytes = 1e9;
const Roofline kRoof{.flops_per_s = 100e9, .bytes_per_s = 10e9};

double named(const Figures& figures, std::string_view name) {
  for (const auto& [known, value] : figures)
    if (known == name) return value;
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

TEST(Roofline, ShareIsOfArithmeticOrMemoryWhicheverTakesLonger) {
  Figures figures;
  add_roofline(kRoof, kFlops, kBytes, true, figures);
  fill_roofline_share(400, figures);
  EXPECT_DOUBLE_EQ(named(figures, "gflops"), 20);
  EXPECT_DOUBLE_EQ(named(figures, "roofline_share"), 0.25);  // memory: 0.1 s, arithmetic: 0.08 s
  Figures in_double;
  add_roofline(kRoof, kFlops, kBytes, false, in_double);
  fill_roofline_share(400, in_double);
  EXPECT_DOUBLE_EQ(named(in_double, "roofline_share"), 0.4);  // arithmetic: 0.16 s
}

TEST(Roofline, ADisturbedMeasurementGivesWayToAnotherProcess) {
  Figures disturbed, figures;
  add_roofline({20e9, 1e9}, kFlops, kBytes, true, disturbed);
  add_roofline(kRoof, kFlops, kBytes, true, figures);
  take_higher_roof(disturbed, figures);
  fill_roofline_share(400, disturbed);
  EXPECT_DOUBLE_EQ(named(disturbed, "roofline_share"), 0.25);
}

TEST(Roofline, WithoutARoofThereIsNoShare) {
  Figures figures = {{"load_ms", 3}};
  fill_roofline_share(400, figures);
  EXPECT_THAT(figures, testing::ElementsAre(testing::Pair("load_ms", 3.0)));
  Figures part = {{"gflop", 8}, {"peak_gflops", 100}};
  fill_roofline_share(400, part);
  EXPECT_EQ(part.size(), 2u);
}

TEST(Roofline, MeasuredRoofIsOfAProcessorNotOfNothing) {
  const Roofline roof = measure_roofline(1);
  EXPECT_GT(roof.flops_per_s, 1e8);
  EXPECT_GT(roof.bytes_per_s, 1e7);
}

}  // namespace
}  // namespace aqbench
