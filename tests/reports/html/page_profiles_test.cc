#include "reports/html/page_data.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "reports/html/report.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string event_text(const char* name, int thread, double start_us, double duration_us) {
  return fmt::format(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"name":"{}"}})", thread, start_us,
                     duration_us, name);
}

std::string trace_of(const std::string& events) { return R"({"traceEvents":[)" + events + "]}"; }

// Stages end before the ones around them do, and so are they written.
const std::string& nested_trace() {
  static const std::string trace = trace_of(
      R"({"ph":"M","tid":0,"name":"thread_name","args":{"name":"main"}},)"
      R"({"ph":"M","tid":3,"name":"thread_name","args":{"name":"worker 3"}},)"
      R"({"ph":"M","tid":4,"name":"thread_name","args":{"name":"idle"}},)" +
      event_text("inner", 0, 10, 5) + "," + event_text("inner", 0, 15, 5) + "," +
      event_text("outer", 0, 10, 20) + "," + event_text("later", 0, 30, 4) + "," +
      event_text("beside", 3, 12, 3) + R"(,{"ph":"C","ts":10,"name":"tensor memory","args":{"MB":1.5}})");
  return trace;
}

TEST(TraceJson, EventsNestByTheirTimesAndLanesHaveTheirNames) {
  const Json json = trace_json(nested_trace(), "t", 100);
  EXPECT_EQ(json["lanes"].dump(), R"(["main","worker 3"])");
  EXPECT_EQ(json["names"].dump(), R"(["outer","inner","later","beside"])");
  EXPECT_EQ(json["events"].dump(),
            "[[0,0,0,10.0,20.0],[1,0,1,10.0,5.0],[1,0,1,15.0,5.0],[2,0,0,30.0,4.0],[3,1,0,12.0,3.0]]");
  EXPECT_EQ(json["memory"].dump(), "[[10.0,1.5]]");
  EXPECT_EQ(json["left_out"], 0);
}

TEST(TraceJson, KeepsTheLongestEventsAndTheExtremesOfMemory) {
  const Json two = trace_json(nested_trace(), "t", 2);
  EXPECT_EQ(two["names"].dump(), R"(["outer","inner"])");
  EXPECT_EQ(two["left_out"], 3);
  std::string counters;
  for (int i = 0; i < 9000; ++i)
    counters += fmt::format(R"({}{{"ph":"C","ts":{},"name":"m","args":{{"MB":{}}}}})", i == 0 ? "" : ",", i,
                            i == 4321   ? 99
                            : i == 4322 ? -7
                                        : 1);
  const Json memory = trace_json(trace_of(counters), "t", 2)["memory"];
  EXPECT_LE(memory.size(), 4000u);
  EXPECT_THAT(memory.dump(), HasSubstr("[4321.0,99.0],[4322.0,-7.0]"));
}

TEST(TraceJson, NamesTheFileThatIsNoTrace) {
  for (const char* const text : {"", "no trace", "{\"traceEvents\":[{\"ph\":\"X\"", "[1,2"})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { trace_json(text, "x/trace.json", 10); }),
                ::testing::StartsWith("x/trace.json:1:"))
        << text;
  EXPECT_EQ(trace_json(R"({"other":[{"ph":"X","ts":1,"dur":2,"name":"x"}]})", "t", 10)["events"].size(), 0u);
}

TEST(StacksJson, HoldsEachFrameWithAllThatItCalls) {
  const Json json = stacks_json("main;work;hot 42\nmain;work 3\nmain;rest 5\n", "s", 100);
  EXPECT_EQ(json.dump(), R"({"samples":50,"least":1,"names":["main","rest","work","hot"],)"
                         R"("frames":[[0,0,50],[1,1,5],[2,1,45],[3,2,42]]})");
  const Json few = stacks_json("main;work;hot 42\nmain;work 3\nmain;rest 5\n", "s", 2);
  EXPECT_EQ(few["frames"].dump(), "[[0,0,50],[1,1,45]]");
  EXPECT_EQ(few["least"], 43);
  EXPECT_TRUE(stacks_json("", "s", 10).is_null());
  for (const char* const text : {"main;work", "main x\n"})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { stacks_json(text, "x/stacks", 10); }),
                ::testing::StartsWith("x/stacks"));
}

TEST(HtmlReport, ShowsTheProfilesOfABundleAndIsTheSameTwice) {
  const TemporaryDirectory folder;
  Results results = synthetic_results();
  const std::filesystem::path bundle = folder / "bundle";
  const std::string profile = "profile/flat_plane__roma_like__seed=42/";
  std::filesystem::create_directories(bundle / profile);
  write_file(bundle / profile / "trace.json", nested_trace());
  write_file(bundle / profile / "stacks.folded", "main;<hot> 42\n");
  const ReportPictures pictures = read_report_pictures(bundle, results);
  const std::string page = render_html_report(content_of(results), pictures);
  EXPECT_EQ(page, render_html_report(content_of(results), pictures));
  EXPECT_THAT(page, HasSubstr("<section id=\"flames\" class=\"scripted\">"));
  EXPECT_THAT(page,
              HasSubstr("Shares here are of all stages; <code>aqbench profile</code> prints them beside"));
  EXPECT_THAT(page, HasSubstr(R"("names":["main","\u003chot>"])"));
  EXPECT_THAT(page, HasSubstr(R"("lanes":["main","worker 3"])"));
  EXPECT_THAT(render_html_report(content_of(results), {}), Not(HasSubstr("id=\"flames\"")));
}

}  // namespace
}  // namespace aqbench
