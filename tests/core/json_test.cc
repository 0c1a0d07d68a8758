#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text, const JsonLimits& limits = {}) {
  return error_of(ErrorKind::input, [&] { parse_strict_json(text, "f.json", limits); });
}

TEST(StrictJson, ReadsWhatItWrites) {
  const std::string text =
      R"({"b":[1,-2,0.1,1e300,"x\n",true,null,{}],"a":{"c":[[]]},"n":18446744073709551615})";
  EXPECT_EQ(parse_strict_json(text, "f").dump(), Json::parse(text).dump());
  EXPECT_EQ(parse_strict_json(" 3 ", "f").get<int>(), 3);
}

TEST(StrictJson, NamesLineAndColumn) {
  EXPECT_TRUE(refusal("{\n \"a\": NaN}").starts_with("f.json:2:")) << refusal("{\n \"a\": NaN}");
  for (const char* text :
       {"", "{", "[1,]", "{\"a\":}", "nul", "[1] 2", "Infinity", "-Infinity", "'a'", "{a:1}", "\"\x01\"",
        "\"\xff\"", "[1e999]", "// x\n1", "01", "+1", "\xEF\xBB", "[\"\\ud800\"]"})
    EXPECT_TRUE(refusal(text).starts_with("f.json:1:") || refusal(text).starts_with("f.json:2:"))
        << text << " gave " << refusal(text);
}

TEST(StrictJson, RefusesAKeyGivenTwiceByItsPath) {
  EXPECT_EQ(refusal(R"({"a":[0,{"b":1,"b":1}]})"), "f.json: a[1]: duplicate key 'b'");
  EXPECT_EQ(refusal(R"({"b":1,"b":1})"), "f.json: document: duplicate key 'b'");
  EXPECT_EQ(parse_strict_json(R"([{"b":1},{"b":2}])", "f").size(), 2u);
}

TEST(StrictJson, BoundsDepthAndSize) {
  EXPECT_EQ(refusal("[[[[1]]]]", {1000, 3}), "f.json: nested deeper than 3 levels");
  EXPECT_EQ(parse_strict_json("[[[1]]]", "f", {1000, 3}).dump(), "[[[1]]]");
  EXPECT_EQ(refusal(std::string(5'000'000, '[')), "f.json: nested deeper than 32 levels");
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(refusal(objects), "f.json: nested deeper than 32 levels");
  EXPECT_EQ(refusal("[1,2,3]", {5, 3}), "f.json: 7 bytes of JSON, more than the 5 allowed");
}

TEST(StrictJson, BoundsKeysAndValues) {
  EXPECT_EQ(refusal(R"({"a":[{"x":1,"y":2,"z":3}]})", {.max_keys = 2}), "f.json: a[0]: more than 2 keys");
  EXPECT_EQ(parse_strict_json(R"([{"x":1,"y":2},{"x":1,"y":2}])", "f", {.max_keys = 2}).size(), 2u);
  EXPECT_EQ(refusal("[[1],{\"a\":2}]", {.max_values = 4}), "f.json: more than 4 values");
  EXPECT_EQ(refusal("[[1],{\"a\":[]}]", {.max_values = 4}), "f.json: more than 4 values");
  EXPECT_EQ(parse_strict_json("[[1],{\"a\":2}]", "f", {.max_values = 5}).size(), 2u);
  JsonLimits message = kMessageJson;
  message.max_keys = 1;
  EXPECT_EQ(refusal(R"({"a":1,"b":1})", message), "f.json: document: more than 1 keys");
}

TEST(StrictJson, AnErrorIsOneShortPrintableLine) {
  const std::string message = refusal("[\"" + std::string(1'000'000, 'x') + "\x1b[31m");
  EXPECT_LT(message.size(), 600u);
  EXPECT_EQ(message.find('\x1b'), message.npos);
}

// A library that looks each key up among those before takes minutes for this.
TEST(StrictJson, ManyKeysTakeLinearTime) {
  std::string text = "{";
  for (int i = 0; i < 300'000; ++i) text += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  text += "}";
  const std::clock_t start = std::clock();  // of this process: other programs must not decide
  EXPECT_EQ(parse_strict_json(text, "f").size(), 300'000u);
  EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

TEST(StrictJson, NamesTheFile) {
  const TemporaryDirectory directory;
  const auto path = directory.file("x.json", "{]");
  EXPECT_TRUE(
      error_of(ErrorKind::input, [&] { read_strict_json(path); }).starts_with(path.string() + ":1:2: "));
  const auto absent = directory / "absent.json";
  EXPECT_EQ(error_of(ErrorKind::input, [&] { read_strict_json(absent); }),
            absent.string() + ": no such file");
}

TEST(StrictJson, MessagesAreRefusedInTheSameWords) {
  const auto message = [](const std::string& text) {
    return error_of(ErrorKind::input, [&] { parse_strict_json(text, "f.json", kMessageJson); });
  };
  for (const char* text : {"", "{", "{} x", "[1,]", "nan", "{\"a\": NaN}", "\xFF"})
    EXPECT_THAT(message(text), HasSubstr("f.json:1:")) << text;
  EXPECT_THAT(message(R"({"a": {"b": 1, "b": 2}})"), HasSubstr("f.json: a: duplicate key 'b'"));
  EXPECT_THAT(message(std::string(100000, '[')), HasSubstr("nested deeper"));
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') + '1' +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(message(nested(65)), "f.json: nested deeper than 64 levels");
  EXPECT_EQ(message(nested(64)), "(no error)");
  EXPECT_EQ(message("[1e999]"), "f.json:1:6: number overflow parsing '1e999'");
  EXPECT_EQ(parse_strict_json(R"({"a": {"b": 1}, "b": 2})", "f", kMessageJson)["a"]["b"], 1);
}

TEST(JsonPlace, NamesThePathOfWhatIsWrong) {
  const Json json = {{"records", {{{"status", "ok"}, {"n", 1}}, {{"status", 3}, {"n", -1.5}}}},
                     {"big", UINT64_MAX}};
  const JsonPlace root(json, "f.json");
  const auto records = root.at("records").elements();
  EXPECT_EQ(records[0].at("status").text(), "ok");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { records[1].at("status").text(); }),
            "f.json: records[1].status: expected text");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { records[1].at("n").integer(); }),
            "f.json: records[1].n: expected an integer");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { records[0].at("m"); }), "f.json: records[0]: 'm' is missing");
  EXPECT_EQ(error_of(ErrorKind::input, [&] { root.at("big").integer(); }),
            "f.json: big: expected an integer");
  EXPECT_EQ(root.at("big").count(), UINT64_MAX);
  EXPECT_EQ(error_of(ErrorKind::input, [&] { root.elements(); }), "f.json: expected an array");
  EXPECT_THAT(error_of(ErrorKind::input,
                       [&] {
                         records[0].allow_only({"status", "m"});
                       }),
              HasSubstr("f.json: records[0].n: unknown key 'n'"));
  // A key from a file must not break the line of an error.
  const Json broken = {{"a\nb", 1}};
  EXPECT_THAT(error_of(ErrorKind::input, [&] { JsonPlace(broken, "f.json").allow_only({"c"}); }),
              HasSubstr("f.json: a?b: unknown key 'a?b'"));
}

TEST(JsonPlace, KeepsTheTypeOfParameters) {
  const Json json = {{"i", 3}, {"d", 3.0}, {"t", "3"}, {"b", true}};
  const JsonPlace root(json, "f");
  EXPECT_EQ(root.at("i").parameter(), ParameterValue(std::int64_t{3}));
  EXPECT_EQ(root.at("d").parameter(), ParameterValue(3.0));
  EXPECT_EQ(root.at("t").parameter(), ParameterValue(std::string("3")));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { root.at("b").parameter(); }), HasSubstr("number or text"));
  for (const char* key : {"i", "d", "t"})
    EXPECT_EQ(parameter_json(root.at(key).parameter()).dump(), json[key].dump());
}

TEST(JsonBox, IsAnEmptyObjectAndHoldsWhatItIsGiven) {
  const JsonBox empty;
  EXPECT_EQ((*empty).dump(), "{}");
  JsonBox box = Json{{"cores", 2}};
  const JsonBox copy = box;
  EXPECT_EQ(copy->at("cores"), 2);
  EXPECT_EQ(copy, box);
  box = Json{{"cores", 4}};
  EXPECT_EQ(copy->at("cores"), 2);
  EXPECT_NE(copy, box);
}

}  // namespace
}  // namespace aqbench
