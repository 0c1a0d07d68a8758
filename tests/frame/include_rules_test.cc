#include "tests/frame/include_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A small project that keeps every rule.
std::vector<SourceFile> small_project() {
  return {
      {"scenes/core/error.h", {{"string", false, 3}}},
      {"scenes/core/error.cc", {{"scenes/core/error.h", true, 1}, {"nlohmann/json.hpp", false, 3}}},
      {"scenes/optics/ray.h", {{"scenes/core/error.h", true, 2}}},
      {"scenes/surface.h", {{"scenes/optics/ray.h", true, 2}}},
      {"scenes/scene.h", {{"scenes/surface.h", true, 2}}},
      {"scenes/observation.h", {{"filesystem", false, 2}}},
      {"metrics/score.h", {{"scenes/scene.h", true, 2}}},
      {"pipeline/method.h", {{"scenes/observation.h", true, 2}}},
      {"pipeline/kernels.h", {{"ATen/core/Tensor.h", false, 2}}},
      {"pipeline/sweep.cc", {{"pipeline/kernels.h", true, 1}, {"pipeline/method.h", true, 2}}},
      {"pipeline/simulated.cc", {{"scenes/scene.h", true, 1}}},
      {"pipeline/registry.cc", {{"scenes/scene.h", true, 1}}},
      {"harness/record.h", {{"metrics/score.h", true, 2}, {"pipeline/method.h", true, 3}}},
      {"reports/table.h", {{"harness/record.h", true, 2}}},
      {"harness/cli/options.h", {{"boost/program_options.hpp", false, 2}, {"reports/table.h", true, 3}}},
  };
}

// The violations of the small project with one more include in one of its files.
std::vector<std::string> with_include(const std::string& file, const Include& include) {
  auto files = small_project();
  for (SourceFile& candidate : files)
    if (candidate.path == file) candidate.includes.push_back(include);
  return include_violations(files);
}

TEST(IncludeRules, AProjectThatKeepsThemHasNoViolations) {
  EXPECT_THAT(include_violations(small_project()), IsEmpty());
}

TEST(IncludeRules, IncludesAgainstTheArrowsAreFound) {
  const auto against = [](const std::string& file, const std::string& path) {
    return with_include(file, {path, true, 9});
  };
  EXPECT_THAT(against("scenes/core/error.h", "scenes/optics/ray.h"),
              ElementsAre("scenes/core/error.h:9: scenes/core/ may not use scenes/optics/: "
                          "\"scenes/optics/ray.h\""));
  EXPECT_THAT(against("scenes/optics/ray.h", "scenes/observation.h"),
              ElementsAre("scenes/optics/ray.h:9: scenes/optics/ may not use scenes/: "
                          "\"scenes/observation.h\""));
  EXPECT_THAT(against("scenes/scene.h", "metrics/score.h"),
              ElementsAre("scenes/scene.h:9: scenes/ may not use metrics/: \"metrics/score.h\""));
  EXPECT_THAT(against("metrics/score.h", "pipeline/method.h"),
              ElementsAre("metrics/score.h:9: metrics/ may not use pipeline/: \"pipeline/method.h\""));
  EXPECT_THAT(against("pipeline/simulated.cc", "metrics/score.h"),
              ElementsAre("pipeline/simulated.cc:9: pipeline/ may not use metrics/: \"metrics/score.h\""));
  EXPECT_THAT(against("harness/record.h", "reports/table.h"),
              ElementsAre("harness/record.h:9: harness/ may not use reports/: \"reports/table.h\""));
  EXPECT_THAT(against("reports/table.h", "harness/cli/options.h"),
              ElementsAre("reports/table.h:9: reports/ may not use harness/cli/: \"harness/cli/options.h\""));
}

TEST(IncludeRules, PathsNotFromTheRootOrOfMissingFilesAreFound) {
  EXPECT_THAT(with_include("scenes/core/error.cc", {"error.h", true, 9}),
              ElementsAre("scenes/core/error.cc:9: \"error.h\" is not a source file of the project"));
  EXPECT_THAT(with_include("scenes/scene.h", {"tests/helper.h", true, 9}),
              ElementsAre("scenes/scene.h:9: \"tests/helper.h\" is not a source file of the project"));
}

TEST(IncludeRules, TruthInARealMethodIsFoundThroughAnyChain) {
  EXPECT_THAT(with_include("pipeline/sweep.cc", {"scenes/surface.h", true, 9}),
              ElementsAre("pipeline/sweep.cc:1: a real method reaches the truth: "
                          "pipeline/sweep.cc -> scenes/surface.h"));
  EXPECT_THAT(
      with_include("scenes/observation.h", {"scenes/scene.h", true, 9}),
      ElementsAre("pipeline/method.h:2: a real method reaches the truth: "
                  "pipeline/method.h -> scenes/observation.h -> scenes/scene.h",
                  "pipeline/sweep.cc:1: a real method reaches the truth: "
                  "pipeline/sweep.cc -> pipeline/method.h -> scenes/observation.h -> scenes/scene.h"));
}

TEST(IncludeRules, HeavyHeadersForOtherFoldersAreFound) {
  for (const std::string heavy :
       {"torch/types.h", "ATen/core/Tensor.h", "c10/core/Device.h", "open3d/geometry/PointCloud.h",
        "embree3/rtcore.h", "opencv2/core.hpp", "nlohmann/json.hpp"})
    EXPECT_THAT(with_include("pipeline/method.h", {heavy, false, 9}),
                ElementsAre("harness/record.h:3: a header for other folders is heavy: pipeline/method.h -> " +
                            heavy));
  EXPECT_THAT(with_include("harness/record.h", {"pipeline/kernels.h", true, 9}),
              testing::Contains("harness/record.h:9: a header for other folders is heavy: "
                                "pipeline/kernels.h -> ATen/core/Tensor.h"));
  EXPECT_THAT(with_include("pipeline/sweep.cc", {"torch/torch.h", false, 9}),
              ElementsAre("pipeline/sweep.cc:9: <torch/torch.h> is too heavy for anybody"));
  EXPECT_THAT(with_include("scenes/core/error.cc", {"open3d/Open3D.h", false, 9}),
              ElementsAre("scenes/core/error.cc:9: <open3d/Open3D.h> is too heavy for anybody"));
}

TEST(IncludeRules, ProgramOptionsOutsideTheCommandLineAreFound) {
  EXPECT_THAT(with_include("reports/table.h", {"boost/program_options/options_description.hpp", false, 9}),
              ElementsAre("reports/table.h:9: Boost.Program_options outside harness/cli"));
}

TEST(IncludeRules, OwnHeaderNotFirstIsFound) {
  auto files = small_project();
  for (SourceFile& file : files)
    if (file.path == "scenes/core/error.cc") std::swap(file.includes[0], file.includes[1]);
  EXPECT_THAT(include_violations(files),
              ElementsAre("scenes/core/error.cc:1: the first include must be \"scenes/core/error.h\""));
}

TEST(IncludeRules, LinesAreParsedAsThePreprocessorReadsThem) {
  const auto includes = parse_includes(
      "// #include \"no.h\"\n#include \"a/b.h\"\n  #  include <vector>  // why\n"
      "const char* text = \"#include <no>\";\n#include<last>");
  ASSERT_EQ(includes.size(), 3u);
  EXPECT_EQ(includes[0].path, "a/b.h");
  EXPECT_TRUE(includes[0].quoted);
  EXPECT_EQ(includes[0].line, 2);
  EXPECT_EQ(includes[1].path, "vector");
  EXPECT_FALSE(includes[1].quoted);
  EXPECT_EQ(includes[2].path, "last");
  EXPECT_EQ(includes[2].line, 5);
}

TEST(IncludeRules, ThisProjectKeepsThem) {
  const auto files = read_source_files(AQBENCH_SOURCE_DIR);
  EXPECT_GT(files.size(), 50u) << "the source folders were not found";
  EXPECT_THAT(include_violations(files), IsEmpty());
}

}  // namespace
}  // namespace aqbench
