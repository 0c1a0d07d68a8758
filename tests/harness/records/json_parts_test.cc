#include "harness/records/json_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/json.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

struct Parts {
  std::vector<std::pair<std::string, std::string>> taken;
  std::string rest;
};

Parts parts_of(const ReadBytes& read, const char* name) {
  Parts parts;
  parts.rest = split_json(read, name, "s", [&](std::string_view key, std::string_view value) {
    parts.taken.emplace_back(key, value);
  });
  return parts;
}

Parts parts_of(std::string_view text, const char* name) { return parts_of(bytes_of_text(text), name); }

TEST(JsonParts, ElementsOfAMemberAreHandedOver) {
  const Parts parts = parts_of(R"( {"a" : 1, "list": [ {"x":[1,{"list":[2]}]} , "],\"" ,-3.5e2, null,[] ],
    "b": {"list": [4]}} )",
                               "list");
  EXPECT_THAT(parts.taken, ElementsAre(Pair("", R"({"x":[1,{"list":[2]}]})"), Pair("", R"("],\"")"),
                                       Pair("", "-3.5e2"), Pair("", "null"), Pair("", "[]")));
  EXPECT_EQ(Json::parse(parts.rest), Json::parse(R"({"a": 1, "list": [], "b": {"list": [4]}})"));
}

TEST(JsonParts, MembersComeWithTheirKeysAndTheTopCanBeTakenApart) {
  const Parts members = parts_of(R"({"cases":{"a\"}":{},"b":2}})", "cases");
  EXPECT_THAT(members.taken, ElementsAre(Pair(R"("a\"}")", "{}"), Pair("\"b\"", "2")));
  EXPECT_EQ(members.rest, R"({"cases":{}})");
  EXPECT_THAT(parts_of("[1, [2]]", "").taken, ElementsAre(Pair("", "1"), Pair("", "[2]")));
  EXPECT_EQ(parts_of("[]", "").rest, "[]");
  EXPECT_EQ(parts_of(R"({"cases": 3})", "cases").rest, R"({"cases":3})");
}

// Wherever the text is torn into pieces, the parts are the same.
TEST(JsonParts, PiecesMayEndAnywhere) {
  const std::string text = R"({"k":"\\\"","list":[{"a":"]"},{"b":[1,2]}],"z":[true]})";
  const Parts whole = parts_of(text, "list");
  for (std::size_t size = 1; size < text.size(); ++size) {
    std::size_t at = 0;
    const Parts torn = parts_of(
        [&]() -> std::string_view {
          const std::string_view piece = std::string_view(text).substr(std::min(at, text.size()), size);
          at += size;
          return piece;
        },
        "list");
    EXPECT_EQ(torn.taken, whole.taken) << size;
    EXPECT_EQ(torn.rest, whole.rest) << size;
  }
}

// What is no JSON is refused here, or is left for the parser of the part or of the rest.
TEST(JsonParts, WhatIsNoJsonIsRefusedHereOrByTheParser) {
  for (const char* const text :
       {"", "[", "{", R"({"list")", R"({"list":)", R"({"list":[1)", R"({"list":[1,]})", R"({"list":[1 2]})",
        R"({"list":[,1]})", R"({"list":[1],})", R"({"list":["a)", R"({"list":[1]}x)", R"({"list":[1}])",
        R"({"list":[{]]})", R"({"list":[1]"b":2})", R"({list:[1]})", R"({"list":[tru]})", R"({"a":1 2})",
        R"({"list":[1],"list":[2]})"}) {
    EXPECT_THROW(
        {
          const std::string rest =
              split_json(bytes_of_text(text), "list", "s",
                         [](std::string_view, std::string_view value) { parse_strict_json(value, "s"); });
          parse_strict_json(rest, "s");
        },
        Error)
        << text;
  }
  EXPECT_THAT(error_of(ErrorKind::input, [] { parts_of(R"({"list":[1 2]})", "list"); }),
              HasSubstr("s: expected a comma or an end at byte 11"));
}

}  // namespace
}  // namespace aqbench
