#include "tests/architecture/include_rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kSmallTable =
    "# Architecture\n| folder | holds | may use |\n|---|---|---|\n| `core/` | | nothing |\n"
    "| `scenes/surfaces/` | | `core/` |\n| `scenes/optics/` | | `core/` |\n"
    "| `scenes/` | | `core/`, `scenes/surfaces/` |\n"
    "| `scenes/dataset/` | | `core/`, `scenes/` |\n"
    "| `metrics/` | | `core/`, `scenes/`, `scenes/surfaces/`, `scenes/optics/` |\n"
    "| `pipeline/method/` | | `scenes/dataset/` |\n"
    "| `pipeline/sweep/` | | `pipeline/method/`, `scenes/surfaces/` |\n"
    "| `pipeline/simulated/` | | `pipeline/method/`, `scenes/` |\n"
    "| `pipeline/` | | `pipeline/method/`, `pipeline/sweep/`, `scenes/` |\n"
    "| `harness/` | | `metrics/`, `pipeline/method/`, `pipeline/sweep/` |\n| `reports/` | | `harness/` |\n"
    "| `cli/` | | all above |\n\n| word | means |\n|---|---|\n| `case` | one point |\n";

// A small project that keeps every rule.
std::vector<SourceFile> small_project() {
  return {
      {"core/error.h", {{"string", false, 3}}},
      {"core/error.cc", {{"core/error.h", true, 1}, {"nlohmann/json.hpp", false, 3}}},
      {"scenes/surfaces/surface.h", {{"core/error.h", true, 2}}},
      {"scenes/optics/ray.h", {{"core/error.h", true, 2}}},
      {"scenes/scene.h", {{"scenes/surfaces/surface.h", true, 2}}},
      {"scenes/dataset/observation.h", {{"filesystem", false, 2}}},
      {"metrics/score.h", {{"scenes/scene.h", true, 2}}},
      {"pipeline/method/method.h", {{"scenes/dataset/observation.h", true, 2}}},
      {"pipeline/sweep/kernels.h", {{"ATen/core/Tensor.h", false, 2}}},
      {"pipeline/sweep/sweep.cc",
       {{"pipeline/sweep/kernels.h", true, 1}, {"pipeline/method/method.h", true, 2}}},
      {"pipeline/simulated/simulated.cc", {{"scenes/scene.h", true, 1}}},
      {"pipeline/registry.cc", {{"scenes/scene.h", true, 1}}},
      {"harness/record.h", {{"metrics/score.h", true, 2}, {"pipeline/method/method.h", true, 3}}},
      {"reports/table.h", {{"harness/record.h", true, 2}}},
      {"cli/options.h", {{"reports/table.h", true, 3}}},
  };
}

std::vector<std::string> violations(const std::vector<SourceFile>& files) {
  return include_violations(files, parse_folder_table(kSmallTable));
}

// The violations of the small project with one more include in one of its files.
std::vector<std::string> with_include(const std::string& file, const Include& include) {
  auto files = small_project();
  for (SourceFile& candidate : files)
    if (candidate.path == file) candidate.includes.push_back(include);
  return violations(files);
}

TEST(IncludeRules, AProjectThatKeepsThemHasNoViolations) {
  EXPECT_THAT(violations(small_project()), IsEmpty());
}

TEST(IncludeRules, IncludesAgainstTheTableAreFound) {
  const auto refused = [](const std::string& file, const std::string& path) {
    const auto folder = [](const std::string& of) { return of.substr(0, of.rfind('/') + 1); };
    std::vector<std::string> found = with_include(file, {path, true, 9});
    EXPECT_THAT(found, testing::Contains(
                           fmt::format("{}:9: {} may not use {} (table of docs/architecture.md): \"{}\"",
                                       file, folder(file), folder(path), path)));
    return found;
  };
  EXPECT_EQ(refused("scenes/optics/ray.h", "scenes/surfaces/surface.h").size(), 1U);
  EXPECT_EQ(refused("metrics/score.h", "pipeline/method/method.h").size(), 1U);
  EXPECT_EQ(refused("reports/table.h", "scenes/optics/ray.h").size(), 1U);
  refused("harness/record.h", "reports/table.h");
}

TEST(IncludeRules, AFolderThatTheTableLacksIsFound) {
  auto files = small_project();
  files.push_back({"harness/new/thing.h", {}});
  EXPECT_THAT(violations(files), ElementsAre("harness/new/: not in the table of docs/architecture.md"));
}

TEST(IncludeRules, ARowWithoutFilesIsFound) {
  auto files = small_project();
  std::erase_if(files, [](const SourceFile& file) { return file.path.starts_with("pipeline/simulated/"); });
  EXPECT_THAT(violations(files),
              ElementsAre("pipeline/simulated/: in the table of docs/architecture.md, but without files"));
}

TEST(IncludeRules, FilesThatUseEachOtherAreFound) {
  auto files = small_project();
  files.push_back({"core/text.h", {{"core/error.h", true, 2}}});
  EXPECT_THAT(violations(files), IsEmpty());
  // The header uses the one, the source of that uses the other: a circle of files, though not of headers.
  for (SourceFile& file : files)
    if (file.path == "core/error.cc") file.includes.push_back({"core/text.h", true, 9});
  EXPECT_THAT(violations(files),
              ElementsAre("core/error: includes in a circle: core/error -> core/text -> core/error"));
}

TEST(IncludeRules, AFileThatIsTooLongIsFound) {
  auto files = small_project();
  files.front().lines = kMaxLinesPerFile + 1;
  EXPECT_THAT(violations(files),
              ElementsAre("core/error.h: 351 lines, at most 350: give a part a file of its own"));
  files.front().lines = kMaxLinesPerFile;
  EXPECT_THAT(violations(files), IsEmpty());
}

TEST(FolderTable, RowsMayOnlyNameFoldersAboveThem) {
  const std::string head = "| folder | holds | may use |\n|---|---|---|\n";
  EXPECT_THROW(parse_folder_table(head + "| `a/` | | `b/` |\n| `b/` | | |\n"), std::runtime_error);
  EXPECT_THROW(parse_folder_table(head + "| `a/` | | `a/` |\n"), std::runtime_error);
  EXPECT_THROW(parse_folder_table(head + "| a | | |\n"), std::runtime_error);
  const FolderTable table = parse_folder_table(head + "| `a/` | x | |\n| `b/` | y | all above |\n");
  EXPECT_EQ(table, (FolderTable{{"a/", {}}, {"b/", {"a/"}}}));
}

TEST(IncludeRules, PathsNotFromTheRootOrOfMissingFilesAreFound) {
  EXPECT_THAT(with_include("core/error.cc", {"error.h", true, 9}),
              ElementsAre("core/error.cc:9: \"error.h\" is not a source file of the project"));
  EXPECT_THAT(with_include("scenes/scene.h", {"tests/helper.h", true, 9}),
              ElementsAre("scenes/scene.h:9: \"tests/helper.h\" is not a source file of the project"));
}

TEST(IncludeRules, TruthInARealMethodIsFoundThroughAnyChain) {
  EXPECT_THAT(with_include("pipeline/sweep/sweep.cc", {"scenes/surfaces/surface.h", true, 9}),
              ElementsAre("pipeline/sweep/sweep.cc:1: reaches the truth, which only pipeline/simulated/ may: "
                          "pipeline/sweep/sweep.cc -> scenes/surfaces/surface.h"));
  EXPECT_THAT(
      with_include("scenes/dataset/observation.h", {"scenes/scene.h", true, 9}),
      ElementsAre("pipeline/method/method.h:2: reaches the truth, which only pipeline/simulated/ may: "
                  "pipeline/method/method.h -> scenes/dataset/observation.h -> scenes/scene.h",
                  "pipeline/sweep/sweep.cc:1: reaches the truth, which only pipeline/simulated/ may: "
                  "pipeline/sweep/sweep.cc -> pipeline/method/method.h -> "
                  "scenes/dataset/observation.h -> scenes/scene.h"));
}

TEST(IncludeRules, HeavyHeadersForOtherFoldersAreFound) {
  for (const std::string heavy :
       {"torch/types.h", "ATen/core/Tensor.h", "c10/core/Device.h", "open3d/geometry/PointCloud.h",
        "embree3/rtcore.h", "opencv2/core.hpp", "nlohmann/json.hpp"})
    EXPECT_THAT(with_include("pipeline/method/method.h", {heavy, false, 9}),
                ElementsAre("harness/record.h:3: a header for other folders is heavy: "
                            "pipeline/method/method.h -> " +
                                heavy,
                            "pipeline/sweep/sweep.cc:2: a header for other folders is heavy: "
                            "pipeline/method/method.h -> " +
                                heavy));
  EXPECT_THAT(with_include("harness/record.h", {"pipeline/sweep/kernels.h", true, 9}),
              testing::Contains("harness/record.h:9: a header for other folders is heavy: "
                                "pipeline/sweep/kernels.h -> ATen/core/Tensor.h"));
  EXPECT_THAT(
      with_include("pipeline/sweep/sweep.cc", {"torch/torch.h", false, 9}),
      ElementsAre("pipeline/sweep/sweep.cc:9: <torch/torch.h> is too heavy: include a smaller header"));
  EXPECT_THAT(with_include("core/error.cc", {"open3d/Open3D.h", false, 9}),
              ElementsAre("core/error.cc:9: <open3d/Open3D.h> is too heavy: include a smaller header"));
}

TEST(IncludeRules, ProgramOptionsOutsideTheCommandLineAreFound) {
  EXPECT_THAT(with_include("reports/table.h", {"boost/program_options/options_description.hpp", false, 9}),
              ElementsAre("reports/table.h:9: Boost.Program_options outside core/command_line"));
}

TEST(IncludeRules, OwnHeaderNotFirstIsFound) {
  auto files = small_project();
  for (SourceFile& file : files)
    if (file.path == "core/error.cc") std::swap(file.includes[0], file.includes[1]);
  EXPECT_THAT(violations(files), ElementsAre("core/error.cc:1: the first include must be \"core/error.h\""));
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

TEST(IncludeRules, AnUnusedAllowanceIsFound) {
  const std::string table =
      "| folder | holds | may use |\n|---|---|---|\n| `core/` | x | |\n| `metrics/` | x | `core/` |\n"
      "| `cli/` | x | `core/`, `metrics/` |\n| `python/` | x | all above |\n";
  const std::vector<SourceFile> files = {{"metrics/a.cc", {{"core/b.h", true, 1}}, 1},
                                         {"cli/c.cc", {{"metrics/a.h", true, 1}, {"core/b.h", false, 2}}, 1}};
  EXPECT_THAT(unused_allowances(files, table), ElementsAre("cli/ may use core/, but no file does"));
}

TEST(IncludeRules, ThisProjectKeepsThem) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  const auto files = read_source_files(root);
  EXPECT_GT(files.size(), 50u) << "the source folders were not found";
  const FolderTable table = parse_folder_table(read_file(root / "docs/architecture.md"));
  EXPECT_GT(table.size(), 20u) << "the table of folders was not found";
  EXPECT_THAT(include_violations(files, table), IsEmpty())
      << "docs/architecture.md has the table of folders, tests/architecture/include_rules.h the rules";
  EXPECT_THAT(unused_allowances(files, read_file(root / "docs/architecture.md")), IsEmpty())
      << "take them out of the table of folders";
}

}  // namespace
}  // namespace aqbench
