// The card that a page begins with.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/html/report.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// 0.793 may be 0.753 to 0.833 and is 4.52: the axis goes from 0.753 to 4.52 with 3 % to either side.
TEST(Card, HasTheValueOverItsToleranceAndTheMapOfItsCase) {
  BundleContent content = content_of(synthetic_results());
  const Baseline baseline = synthetic_baseline(content.results);
  *metric_of(content.results.records[1], "accuracy_mean_mm").value *= 5.7;
  set_baseline(content, baseline);
  ReportPictures pictures;
  pictures.tiles[content.results.records[1].case_name] = parse_tiles_csv("0,0,0,0,1,4,0,100,10,10\n");
  const std::string page = render_html_report(content, pictures),
                    card = page.substr(0, page.find("</header>"));
  const double before = 0.793, low = 0.95 * before, high = 5.7 * before, margin = 0.03 * (high - low);
  const auto at = [&](double value) { return 100 * (value - low + margin) / (high - low + 2 * margin); };
  const auto mark = [&](const char* name, double from, double to) {
    return fmt::format("<span class=\"{}\" style=\"left:{:.4g}%;width:{:.4g}%\">", name, at(from),
                       at(to) - at(from));
  };
  EXPECT_THAT(card, HasSubstr(mark("allowed", low, 1.05 * before)));
  EXPECT_THAT(card, HasSubstr(mark("moved", before, high)));
  EXPECT_THAT(card, HasSubstr("<span>0.793 before</span>"));
  EXPECT_THAT(card, HasSubstr("<span><b>4.52 mm</b> now</span>"));
  EXPECT_THAT(card, HasSubstr("Signed error of this case from above"));
  EXPECT_THAT(page, HasSubstr("<use href=\"#map-1\"/>")) << "a cell of the matrix has the map, too";
  EXPECT_THAT(page, HasSubstr("<svg id=\"map-1\""));
}

}  // namespace
}  // namespace aqbench
