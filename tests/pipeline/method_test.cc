#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/stage_scope.h"
#include "pipeline/method/declaration.h"
#include "pipeline/method/method.h"
#include "scenes/registry.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
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
    return error_of(ErrorKind::usage, [&] { find_method(name); });
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

const char* const kMethod = R"({
  "name": "mine-v2", "summary": "ours", "command": "run {dataset} {output} --window {window} --mode {mode} {{x}}",
  "parameters": [
    {"name": "window", "unit": "px", "default": 7, "range": [3, 31], "help": "side"},
    {"name": "mode", "default": "a", "choices": ["a", "b"]},
    {"name": "scale", "default": 1, "range": [0.5, 2]}],
  "presets": {"fast": {"window": 5}, "best": {"window": 9, "mode": "b"}},
  "result": "out/points.ply", "depth_maps": "maps", "stages": "trace.json", "unit": "mm", "timeout_s": 12.5,
  "env": {"SCALE": "{scale}"}, "cwd": "tools", "reads": ["weights"]})";

MethodDeclaration read(const Json& json) { return declaration_from_json(JsonPlace(json, "f")); }

TEST(Declaration, ReadsBackTheSame) {
  const MethodDeclaration method = read(Json::parse(kMethod));
  EXPECT_EQ(method.name, "mine-v2");
  EXPECT_EQ(std::get<std::int64_t>(method.parameters[0].default_value), 7);
  EXPECT_EQ(method.parameters[0].max, 31);
  EXPECT_EQ(std::get<double>(method.parameters[2].default_value), 1.0) << "its range has fractions";
  EXPECT_EQ(method.presets[0].name, "fast");
  EXPECT_EQ(method.presets[1].overrides[1].value, "b");
  EXPECT_EQ(method.unit, "mm");
  EXPECT_EQ(to_json(read(to_json(method))), to_json(method));
  const MethodDeclaration plain = read({{"name", "m"}, {"command", "x {output}"}});
  EXPECT_EQ(plain.result, "cloud.ply");
  EXPECT_EQ(to_json(plain), Json({{"name", "m"}, {"command", "x {output}"}}));
}

// Returns the error of the method with this member.
std::string error_with(const std::string& pointer, const Json& value) {
  Json json = Json::parse(kMethod);
  json[Json::json_pointer(pointer)] = value;
  return error_of(ErrorKind::input, [&] { read(json); });
}

TEST(Declaration, MistakesAreNamed) {
  EXPECT_EQ(error_with("/command", "run {window} {mode}"),
            "f: command: lacks {output}, the folder for the result");
  EXPECT_THAT(error_with("/command", "run {output} {window} {mode} {windo}"),
              HasSubstr("f: command: unknown placeholder 'windo'; did you mean window?"));
  for (const char* const wrong : {"{window=9}", "{ window }", "{ window=9}", "{mode=}"})
    EXPECT_THAT(error_with("/command", std::string("run {output} {window} {mode} ") + wrong),
                AllOf(HasSubstr(std::string("f: command: '") + wrong + "' is no placeholder"),
                      HasSubstr(": did you mean {")))
        << wrong;
  EXPECT_THAT(error_with("/command", "run {output/x {window} {mode} {out-put}"),
              HasSubstr("'{output' is no placeholder: did you"));
  EXPECT_THAT(error_with("/env/SCALE", "{scale} {scael=1}"),
              HasSubstr("unknown name 'scael'; did you mean scale?"));
  EXPECT_EQ(error_with("/command", "run {output} {mode}"),
            "f: parameters[0].name: {window} is used neither in the command nor in env");
  EXPECT_EQ(error_with("/parameters/0/default", 99),
            "f: parameters[0].default: mine-v2.window: 99 is outside 3 to 31 px");
  EXPECT_EQ(error_with("/parameters/0", {{"name", "window"}}), "f: parameters[0]: 'default' is missing");
  EXPECT_EQ(error_with("/parameters/1/name", "seed"),
            "f: parameters[1].name: {seed} is reserved for aqbench");
  EXPECT_EQ(error_with("/parameters/1/default", "c"),
            "f: parameters[1].default: mine-v2.mode: 'c' is not one of a, b");
  EXPECT_THAT(error_with("/presets/fast/windo", 5),
              HasSubstr("presets.fast.windo: unknown parameter of mine-v2"));
  EXPECT_EQ(error_with("/presets/fast/window", 1),
            "f: presets.fast.window: mine-v2.window: 1 is outside 3 to 31 px");
  EXPECT_EQ(error_with("/unit", "inch"), "f: unit: 'inch' is not one of m, cm, mm");
  EXPECT_EQ(error_with("/result", "../x.ply"), "f: result: must be below {output}");
  EXPECT_EQ(error_with("/name", "a:b"), "f: name: must consist of letters, digits, _ and -");
  EXPECT_THAT(error_with("/timeout_s", 0), HasSubstr("timeout_s: must be above 0"));
  EXPECT_THAT(error_with("/env/AQBENCH_X", "1"), HasSubstr("are reserved"));
  EXPECT_EQ(error_with("/reads_layout", "nerf"),
            "f: reads_layout: must be aqbench, colmap, transforms or mvsnet");
  EXPECT_THAT(error_with("/reads_layout", "mvsnet"), HasSubstr("mvsnet needs \"depth_range_m\""));
  EXPECT_THAT(error_with("/refraction", "ignore"), HasSubstr("belongs to a reads_layout without water"));
  EXPECT_THAT(error_with("/depth_range_m", {1, 2}), HasSubstr("belongs to \"reads_layout\": \"mvsnet\""));
  EXPECT_THAT(error_with("/depth_along", "y"), HasSubstr("depth_along: "));
  EXPECT_THAT(error_with("/comand", "x"), HasSubstr("unknown key 'comand'; did you mean command?"));
}

TEST(Declaration, OtherBracesAreLiteral) {
  for (const char* const literal :
       {"awk '{print $1, NR}'", "sh -c '{ a=1; b; }'", "grep a{3,5}b{2}", "awk '{ print }'",
        R"(x '{"seed": 1}')", "{{output=}} {}", "{f g}", "find -exec {} +"})
    EXPECT_EQ(read({{"name", "m"}, {"command", std::string("x {output} ") + literal}}).command,
              std::string("x {output} ") + literal);
}

TEST(Placeholders, AreNamesInSingleBraces) {
  EXPECT_THAT(placeholders_in("{a} {b}{a} {{c}} {} {1} {\"d\": {\"e\": 1}} {f g}"), ElementsAre("a", "b"));
  EXPECT_EQ(with_placeholders("{a},{{a}},{b},{\"x\":{\"y\":1}}", {{"a", "{b}"}}),
            "{b},{a},{b},{\"x\":{\"y\":1}}");
}

}  // namespace
}  // namespace aqbench
