#include "pipeline/method/method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/stage_scope.h"
#include "pipeline/method/stages.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

double default_of(const MethodSpec& method, std::string_view parameter) {
  return Parameters(method.parameters).number(parameter);
}

TEST(MethodRegistry, NamesAreUniqueAndFound) {
  std::set<std::string> names;
  for (const MethodSpec& method : method_registry()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_EQ(&find_method(method.name), &method);
    EXPECT_FALSE(method.summary.empty());
    EXPECT_EQ(method.summary.find('\n'), std::string::npos);
  }
}

// requirements: 1000 points, 2 mm, 10 %; 3000 points, 1 mm, 5 %.
TEST(MethodRegistry, SimulatedProfilesHaveTheDocumentedDefaults) {
  const MethodSpec& sparse = find_method("lightglue_like");
  EXPECT_TRUE(sparse.simulated());
  EXPECT_EQ(default_of(sparse, "points"), 1000);
  EXPECT_EQ(default_of(sparse, "noise_sigma_m"), 0.002);
  EXPECT_EQ(default_of(sparse, "dropout"), 0.10);
  const MethodSpec& dense = find_method("roma_like");
  EXPECT_TRUE(dense.simulated());
  EXPECT_EQ(default_of(dense, "points"), 3000);
  EXPECT_EQ(default_of(dense, "noise_sigma_m"), 0.001);
  EXPECT_EQ(default_of(dense, "dropout"), 0.05);
}

TEST(MethodRegistry, ParametersAreCompleteAndTheirDefaultsAllowed) {
  for (const MethodSpec& method : method_registry()) {
    std::set<std::string> names;
    for (const ParameterSpec& spec : method.parameters) {
      SCOPED_TRACE(method.name + "." + spec.name);
      EXPECT_TRUE(names.insert(spec.name).second);
      EXPECT_FALSE(spec.help.empty());
      const Override same{method.name, spec.name, to_string(spec.default_value)};
      EXPECT_EQ(resolve_parameters(method.name, method.parameters, {same}).at(spec.name), spec.default_value);
    }
    for (const Preset& preset : method.presets)
      for (Override given : preset.overrides) {
        given.owner = method.name;
        EXPECT_NO_THROW(resolve_parameters(method.name, method.parameters, {given})) << preset.name;
      }
  }
}

TEST(MethodRegistry, UnknownNamesComeWithTheNearOnes) {
  const auto message = [](std::string_view name) {
    try {
      find_method(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("(no error)");
  };
  EXPECT_EQ(message("roma"), "unknown method 'roma'; did you mean roma_like?");
  EXPECT_THAT(message("zzz"), HasSubstr("known: dense_flow, sparse, plane_sweep"));
}

TEST(StageRegistry, NamesAreUniqueAndEveryMethodsStagesAreThere) {
  std::set<std::string> names;
  for (const StageSpec& stage : stage_registry()) {
    EXPECT_TRUE(names.insert(stage.name).second) << stage.name;
    EXPECT_FALSE(stage.summary.empty());
  }
  for (const MethodSpec& method : method_registry()) {
    EXPECT_FALSE(method.stages.empty()) << method.name;
    for (const std::string& stage : method.stages) EXPECT_TRUE(names.contains(stage)) << stage;
  }
}

class StageNames : public StageObserver {
 public:
  void enter(const char* stage) override {
    entered.emplace_back(stage);
    depths.push_back(depth++);
  }
  void leave(const char*) noexcept override { --depth; }

  std::vector<std::string> entered;
  std::vector<int> depths;
  int depth = 0;
};

TEST(StageRegistry, SimulatedMethodsOpenTheStagesTheyList) {
  const Scene scene = make_scene("flat_plane", {});
  for (const MethodSpec& method : method_registry()) {
    const auto* const simulated = std::get_if<SimulatedMethod>(&method.run);
    if (simulated == nullptr) continue;
    StageNames stages;
    set_stage_observer(&stages);
    (*simulated)(scene.truth, {Parameters(method.parameters), 1, "cpu"});
    set_stage_observer(nullptr);
    EXPECT_EQ(stages.entered, method.stages) << method.name;
    EXPECT_EQ(stages.depth, 0);
    ASSERT_FALSE(stages.depths.empty());
    EXPECT_EQ(std::ranges::count(stages.depths, 0), 1) << "one outermost stage, first in the list";
  }
}

}  // namespace
}  // namespace aqbench
