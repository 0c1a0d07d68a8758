#include "reports/html/page_data.h"

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
  write_file(bundle / profile / "stacks.folded", "main;<hot> 42\n");
  const ReportPictures pictures = read_report_pictures(bundle, results);
  const std::string page = render_html_report(content_of(results), pictures);
  EXPECT_EQ(page, render_html_report(content_of(results), pictures));
  EXPECT_THAT(page, HasSubstr("<section id=\"flames\" class=\"scripted\">"));
  EXPECT_THAT(page,
              HasSubstr("Shares here are of all stages; <code>aqbench profile</code> prints them beside"));
  EXPECT_THAT(page, HasSubstr(R"("names":["main","\u003chot>"])"));
  EXPECT_THAT(render_html_report(content_of(results), {}), Not(HasSubstr("id=\"flames\"")));
}

}  // namespace
}  // namespace aqbench
