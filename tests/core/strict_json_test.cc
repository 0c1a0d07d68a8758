#include "core/strict_json.h"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

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
  EXPECT_EQ(refusal(R"({"a":[0,{"b":1,"b":1}]})"), "f.json: a[1]: key 'b' is given twice");
  EXPECT_EQ(refusal(R"({"b":1,"b":1})"), "f.json: document: key 'b' is given twice");
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
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_strict_json(text, "f").size(), 300'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
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

}  // namespace
}  // namespace aqbench
