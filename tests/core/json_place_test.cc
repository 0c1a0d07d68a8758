#include "core/json_place.h"

#include <nlohmann/json.hpp>

#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST(ParseJson, RefusesWhatIsNotOneDocument) {
  const auto message = [](const std::string& text) {
    return error_of(ErrorKind::input, [&] { parse_json_strictly(text, "f.json"); });
  };
  for (const char* text : {"", "{", "{} x", "[1,]", "nan", "{\"a\": NaN}", "\xFF"})
    EXPECT_THAT(message(text), HasSubstr("f.json: parse error")) << text;
  EXPECT_THAT(message(R"({"a": {"b": 1, "b": 2}})"), HasSubstr("key \"b\" stands twice"));
  EXPECT_THAT(message(std::string(100000, '[')), HasSubstr("nested deeper"));
  EXPECT_EQ(parse_json_strictly(R"({"a": {"b": 1}, "b": 2})", "f")["a"]["b"], 1);
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

}  // namespace
}  // namespace aqbench
