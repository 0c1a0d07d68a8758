#include "core/json_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

const std::string kDocument = R"({
  "a": [1,
        {"b\"c": "x\\",

         "d": {}}],
  "e": null
}
)";

TEST(JsonLines, FindsWhereEachValueBegins) {
  const JsonLines expected = {{"", 1},          {"a", 2},      {"a[0]", 2}, {"a[1]", 3},
                              {"a[1].b\"c", 3}, {"a[1].d", 5}, {"e", 6}};
  EXPECT_EQ(lines_of_json(kDocument), expected);
  EXPECT_EQ(lines_of_json("7"), (JsonLines{{"", 1}}));
}

std::string message_of(const std::string& path, const std::string& file = "f.json") {
  const Json json = parse_strict_json(kDocument, "f.json");
  return error_of(ErrorKind::input, [&] {
    with_json_lines(kDocument, "f.json", [&] {
      if (path == "d") JsonPlace(json, file).at("a").elements()[1].at("d").at("x");
      if (path == "e") JsonPlace(json, file).at("e").fail("is nothing");
      if (path.empty()) JsonPlace(json, file).at("missing");
    });
  });
}

TEST(JsonLines, ErrorsNameTheLineOfTheNearestValue) {
  EXPECT_EQ(message_of("e"), "f.json:6: e: is nothing");
  EXPECT_EQ(message_of("d"), "f.json:5: a[1].d: 'x' is missing");
  EXPECT_EQ(message_of(""), "f.json:1: 'missing' is missing");
  EXPECT_EQ(message_of("e", "other.json"), "other.json: e: is nothing") << "of another file";
}

}  // namespace
}  // namespace aqbench
