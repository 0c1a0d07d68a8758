#include "pipeline/method/declaration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "core/json.h"
#include "pipeline/method/placeholders.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

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
  EXPECT_EQ(metres_of(method), 0.001);
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
