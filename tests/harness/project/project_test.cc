#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan.h"
#include "harness/project/project.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::string kFile = R"({
  "//": "ours",
  "version": 1,
  "datasets": {"tank": "data/tank", "quay": {"directory": "/quay", "truth": {"surface": {"file": "scan.stl", "unit": "mm"}}}},
  "methods": [
    {"name": "mine", "// command": "a, b / c",
     "command": "sh -c 'a, b / c' {dataset} {output} {window}",
     "parameters": [{"name": "window", "default": 7, "range": [3, 31]}],
     "presets": {"balanced": {"window": 7}, "fast": {"window": 5}}}
  ],
  "suites": [{"name": "ours", "scenes": ["flat_plane"], "methods": ["mine", "mine:fast"], "width": 64}],
  "gates": {"ours": "baselines/ours.json", "seed": "seed.json"}
}
)";

class ProjectFile : public testing::Test {
 protected:
  Project read(const std::string& text = kFile) { return read_project(dir_.file("aqbench.json", text)); }
  // Returns the error of the file where `from` is `to`, without the folder.
  std::string error_where(const std::string& from, const std::string& to) {
    std::string text = kFile;
    text.replace(text.find(from), from.size(), to);
    const std::string message = error_of(ErrorKind::input, [&] { read(text); });
    const std::string folder = dir_.path().string() + "/";
    EXPECT_THAT(message, StartsWith(folder));
    return message.substr(folder.size());
  }
  TemporaryDirectory dir_;
};

TEST_F(ProjectFile, IsReadWithPathsBesideIt) {
  const Project project = read();
  EXPECT_EQ(project.dir, dir_.path());
  EXPECT_EQ(project.datasets[0].directory, dir_ / "data/tank");
  EXPECT_EQ(project.datasets[1].directory, "/quay");
  EXPECT_EQ(*project.datasets[1].truth, Json::parse(R"({"surface": {"file": "scan.stl", "unit": "mm"}})"));
  EXPECT_EQ(project.datasets[1].where, (dir_ / "aqbench.json").string() + ":4: datasets.quay");
  EXPECT_EQ(project.methods[0].presets[1].name, "fast");
  EXPECT_EQ(project.suites[0].images.width_px, 64);
  EXPECT_EQ(baseline_of(project, "ours"), dir_ / "baselines/ours.json");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { baseline_of(project, "x"); }),
              HasSubstr("no baseline for suite 'x'"));
}

TEST_F(ProjectFile, MistakesNameLineAndField) {
  EXPECT_EQ(error_where("{output} ", ""),
            "aqbench.json:7: methods[0].command: lacks {output}, the folder for the result");
  EXPECT_EQ(error_where("\"default\": 7, ", ""),
            "aqbench.json:8: methods[0].parameters[0]: 'default' is missing");
  EXPECT_THAT(
      error_where("{dataset}", "{datset}"),
      HasSubstr("aqbench.json:7: methods[0].command: unknown placeholder 'datset'; did you mean dataset?"));
  EXPECT_EQ(error_where("\"mine\", \"//", "\"sparse\", \"//"),
            "aqbench.json:6: methods[0].name: 'sparse' is the name of a method of aqbench");
  EXPECT_EQ(error_where("\"ours\", \"scenes\"", "\"seed\", \"scenes\""),
            "aqbench.json:11: suites[0].name: 'seed' is the name of a suite of aqbench");
  EXPECT_THAT(error_where("\"width\": 64", "\"widht\": 64"),
              HasSubstr("aqbench.json:11: suites[0].widht: unknown key"));
  EXPECT_THAT(error_where("\"seed\": \"seed", "\"sede\": \"seed"),
              HasSubstr("aqbench.json:12: gates.sede: unknown suite"));
  EXPECT_THAT(error_where("\"surface\"", "\"surfase\""),
              HasSubstr("aqbench.json:4: datasets.quay.truth.surfase: unknown key"));
  EXPECT_THAT(error_where("\"mm\"", "\"inch\""),
              HasSubstr("aqbench.json:4: datasets.quay.truth.surface.unit: 'inch' is not one of"));
  EXPECT_THAT(error_where("\"tank\"", "\"a tank\""), HasSubstr("aqbench.json:4: datasets.a tank: the name"));
  EXPECT_EQ(error_where("1,\n", "2,\n"), "aqbench.json:3: version: unsupported version; must be 1");
  EXPECT_THAT(error_where("\"gates\"", "\"gats\""),
              HasSubstr("aqbench.json:12: gats: unknown key 'gats'; did you mean"));
  EXPECT_THAT(error_where("\"ours\",\n", "\"ours\"\n"), HasSubstr("aqbench.json:3:"));
}

TEST_F(ProjectFile, IsFoundInAFolderAbove) {
  std::filesystem::create_directories(dir_ / "a/b");
  read();
  EXPECT_EQ(find_project_file(dir_ / "a/b"), dir_ / "aqbench.json");
  dir_.file("a/aqbench.json", "{}");
  EXPECT_EQ(find_project_file(dir_ / "a/b"), dir_ / "a/aqbench.json");
}

TEST_F(ProjectFile, OfAStrangerOrBehindHisLinkIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file to another user";
  constexpr uid_t kStranger = 65534;
  std::filesystem::create_directories(dir_ / "own");
  std::filesystem::create_directories(dir_ / "open");
  dir_.file("own/aqbench.json", "{}");
  std::filesystem::create_symlink("../own/aqbench.json", dir_ / "open/aqbench.json");
  EXPECT_EQ(find_project_file(dir_ / "open"), dir_ / "open/aqbench.json");
  ASSERT_EQ(::lchown((dir_ / "open/aqbench.json").c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { find_project_file(dir_ / "open"); }),
              HasSubstr("belongs to another user"));
  ASSERT_EQ(::chown((dir_ / "own/aqbench.json").c_str(), kStranger, kStranger), 0);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { find_project_file(dir_ / "own"); }),
              HasSubstr("belongs to another user"));
}

TEST_F(ProjectFile, ItsMethodsAndSuitesArePlannedLikeOurs) {
  PlanRequest request;
  request.suite = "ours";
  request.axes = {parse_axis("mine.window=9,11")};
  request.methods = {"mine"};
  use_project(read(), request);
  const SweepPlan plan = plan_sweep(request);
  std::vector<std::string> names;
  for (const Case& planned : plan.cases) names.push_back(planned.name);
  EXPECT_THAT(names, ElementsAre("flat_plane/mine/seed=42/width=64/mine.window=9",
                                 "flat_plane/mine/seed=42/width=64/mine.window=11",
                                 "flat_plane/mine:fast/seed=42/width=64/mine.window=9",
                                 "flat_plane/mine:fast/seed=42/width=64/mine.window=11"));
  EXPECT_EQ(plan.suite, "ours");
  EXPECT_EQ(plan.cases[0].project_dir, dir_.path());
  EXPECT_THAT(foreign_code(plan.cases), ElementsAre("mine: sh -c 'a, b / c' {dataset} {output} {window}"));
}

TEST_F(ProjectFile, ItsDatasetsAreScenesByTheirNames) {
  PlanRequest request;
  request.methods = {"mine"};
  const auto refusal_of = [&](ErrorKind kind, const std::string& scene) {
    request.scenes = {scene};
    use_project(read(), request);
    return error_of(kind, [&] { plan_sweep(request); });
  };
  EXPECT_EQ(
      refusal_of(ErrorKind::input, "dataset:tank"),
      fmt::format("{0}/aqbench.json:4: datasets.tank: no such folder: {0}/data/tank", dir_.path().string()));
  EXPECT_THAT(refusal_of(ErrorKind::usage, "dataset:tnak"),
              HasSubstr("unknown dataset 'tnak'; did you mean tank?"));
  EXPECT_THAT(refusal_of(ErrorKind::usage, "dataset:x*"),
              HasSubstr("matches none of dataset:tank, dataset:quay"));
  EXPECT_THAT(refusal_of(ErrorKind::input, "dataset:*"), HasSubstr("datasets.tank: no such folder"));
}

TEST_F(ProjectFile, ABundlesRequestPlansTheSameCasesWithoutTheFile) {
  PlanRequest request;
  request.suite = "ours";
  use_project(read(), request);
  const SweepPlan plan = plan_sweep(request);
  const PlanRequest again = request_from_json(requested_json(plan.request), "journal");
  EXPECT_EQ(plan_sweep(again).sha256, plan.sha256);
  EXPECT_EQ(requested_json(again), requested_json(plan.request));
  Case planned = plan.cases[0];
  EXPECT_EQ(to_json(case_from_json(to_json(planned), "case")), to_json(planned));
  // A sweep that uses nothing of the project says nothing of it.
  PlanRequest other;
  use_project(read(), other);
  EXPECT_FALSE(requested_json(plan_sweep(other).request).contains("project"));
}

TEST_F(ProjectFile, ABundlesMethodsRunWhereTheProjectIs) {
  PlanRequest request;
  request.suite = "ours";
  use_project(read(), request);
  request.project.dir = "/nowhere/at/all";
  SweepPlan plan = plan_sweep(request);
  EXPECT_THAT(
      error_of(ErrorKind::input, [&] { place_project(plan, {}); }),
      HasSubstr("the project's folder /nowhere/at/all is missing; give its file with --project FILE"));
  place_project(plan, dir_ / "aqbench.json");
  EXPECT_EQ(plan.cases[0].project_dir, dir_.path());
  EXPECT_EQ(plan.request.project.dir, "/nowhere/at/all") << "the request stays what was asked for";
}

TEST_F(ProjectFile, ResourcesChangeNoPlan) {
  const auto with_resources = [](const std::string& resources) {
    std::string text = kFile;
    text.replace(text.find("\"parameters\""), 0, "\"resources\": " + resources + ", ");
    return text;
  };
  const auto plan_of = [&](const Project& project) {
    PlanRequest request;
    request.suite = "ours";
    request.threads = 3;
    use_project(project, request);
    return plan_sweep(request);
  };
  const SweepPlan plain = plan_of(read());
  const Project project =
      read(with_resources(R"({"gpus": 2, "memory_gib": 0.3, "minutes": 7, "threads": 2})"));
  EXPECT_EQ(plan_of(project).sha256, plain.sha256);
  Resources needs = needs_of(plain, project.resources);
  EXPECT_EQ(needs.gpus, 2);
  EXPECT_EQ(memory_mib(needs), 308U);  // 307.2
  EXPECT_EQ(needs.minutes, 7);
  EXPECT_EQ(needs.threads, 3) << "those of the cases";
  DeclaredResources two = project.resources;
  two["other"] = {.gpus = 1, .memory_gib = 4, .minutes = 90, .threads = 8};
  needs = most_of({"mine", "other"}, two);
  EXPECT_EQ(needs.gpus, 2);
  EXPECT_EQ(needs.memory_gib, 4);
  EXPECT_EQ(needs.minutes, 90);
  EXPECT_EQ(needs.threads, 8);
  EXPECT_EQ(most_of({"mine", "other", "built-in"}, two).minutes, 0) << "unknown for one of them";
  for (const auto& [wrong, why] : {std::pair(R"({"gpu": 1})", "resources.gpu: unknown key"),
                                   {R"({"gpus": -1})", "from 0 to 1024"},
                                   {R"({"gpus": 1.5})", "resources.gpus"},
                                   {R"({"minutes": 0})", "from 1 to 525600"},
                                   {R"({"memory_gib": 0})", "must be above 0"},
                                   {R"({"memory_gib": "16G"})", "resources.memory_gib"},
                                   {R"({"threads": 0})", "from 1 to 65536"},
                                   {"[]", "resources"}})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { read(with_resources(wrong)); }), HasSubstr(why)) << wrong;
}

TEST(ProjectSchema, NamesEveryKeyThatIsRead) {
  const Json schema = Json::parse(project_schema());
  for (const char* const key : {"version", "datasets", "methods", "suites", "gates"})
    EXPECT_TRUE(schema["properties"].contains(key)) << key;
  Json method = {{"name", "m"}, {"command", "{output}"}};
  for (const auto& [key, value] : schema["definitions"]["method"]["properties"].items()) {
    method[key] = nullptr;
    const std::string message =
        error_of(ErrorKind::input, [&] { declaration_from_json(JsonPlace(method, "f")); });
    EXPECT_EQ(message.find("unknown key"), std::string::npos) << message;
    if (key != "name" && key != "command") method.erase(key);
  }
}

}  // namespace
}  // namespace aqbench
