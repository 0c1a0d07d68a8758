#include "reports/html/flamegraph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/reports/xml_check.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Frames by title: share of all samples, place, colour.
struct Frame {
  double share = 0, x = 0;
  std::string fill;
};

std::string attribute(const std::string& element, const std::string& name) {
  const std::size_t begin = element.find(name + "=\"");
  if (begin == std::string::npos) return {};
  const std::size_t value = begin + name.size() + 2;
  return element.substr(value, element.find('"', value) - value);
}

std::map<std::string, Frame> frames_of(const std::string& svg) {
  std::map<std::string, Frame> frames;
  for (std::size_t at = svg.find("<g class=\"f\""); at != std::string::npos;
       at = svg.find("<g class=\"f\"", at + 1)) {
    const std::string element = svg.substr(at, svg.find("</g>", at) - at);
    const std::size_t title = element.find("<title>") + 7;
    const std::string name = element.substr(title, element.find(" (", title) - title);
    frames[name] = {std::atof(attribute(element, "data-w").c_str()),
                    std::atof(attribute(element, "data-x").c_str()), attribute(element, "fill")};
  }
  return frames;
}

const FoldedStacks kStacks = {{"stage depth;main;planted_hot_function", 70},
                              {"stage depth;main;other", 20},
                              {"stage depth;main", 5},
                              {"stage fusion;main", 5}};

TEST(Flamegraph, WidthsAreSharesAndChildrenLieWithinTheirParents) {
  const std::string svg = flamegraph_svg({{"a;b", 60}, {"a;c", 20}, {"d", 20}}, {"t", "s"});
  const auto frames = frames_of(svg);
  ASSERT_EQ(frames.size(), 5U);
  EXPECT_DOUBLE_EQ(frames.at("all").share, 1);
  EXPECT_DOUBLE_EQ(frames.at("a").share, 0.8);
  EXPECT_DOUBLE_EQ(frames.at("b").share, 0.6);
  EXPECT_DOUBLE_EQ(frames.at("c").x, frames.at("b").x + 0.6);
  EXPECT_DOUBLE_EQ(frames.at("d").x, 0.8);
}

TEST(Flamegraph, ThePlantedFunctionIsTheWidestOfThoseThatWork) {
  const auto frames = frames_of(flamegraph_svg(kStacks, {"t", "s"}));
  EXPECT_DOUBLE_EQ(frames.at("planted_hot_function").share, 0.7);
  EXPECT_GT(frames.at("planted_hot_function").share, frames.at("other").share);
}

TEST(Flamegraph, IsWellFormedWhateverTheNames) {
  const FoldedStacks odd = {{"operator<(A&, \"b\");std::vector<int>]]>", 3},
                            {std::string("broken \xFF\x01 utf8;[lib.so]"), 2},
                            {"</title></svg><script>alert(1)</script>", 1}};
  const std::string svg = flamegraph_svg(odd, {"<title> & \"more\"", "s"});
  EXPECT_NO_THROW(xml_testing::parse_xml(svg));
  EXPECT_THAT(svg, Not(HasSubstr("<script>alert")));
  EXPECT_NO_THROW(xml_testing::parse_xml(flamegraph_svg({}, {"empty", ""})));
  EXPECT_NO_THROW(xml_testing::parse_xml(differential_flamegraph_svg(kStacks, odd, {"t", "s"})));
  EXPECT_THAT(svg, Not(HasSubstr("http://www.w3.org/1999/xlink"))) << "it needs no other file";
}

TEST(Flamegraph, ADifferenceIsRedWhereTheShareGrew) {
  // Twice as many samples: shares count, not numbers.
  const FoldedStacks before = {{"main;a", 50}, {"main;b", 50}}, after = {{"main;a", 150}, {"main;b", 50}};
  const std::string svg = differential_flamegraph_svg(before, after, {"t", "s"});
  const auto frames = frames_of(svg);
  EXPECT_THAT(frames.at("a").fill, ::testing::StartsWith("rgb(255,"));
  EXPECT_THAT(frames.at("b").fill, ::testing::EndsWith(",255)"));
  EXPECT_EQ(frames.at("main").fill, "rgb(255,255,255)");
  for (const char* const part : {"+25.00 points", "-25.00 points"}) EXPECT_THAT(svg, HasSubstr(part));
}

}  // namespace
}  // namespace aqbench
