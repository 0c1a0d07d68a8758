#include "reports/content/metrics_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;

const MetricColumn kMeanError[] = {{"accuracy_mean_mm", "mean error\nmm", "mean error [mm]"}};

Table table_of_means(std::vector<Record> records, bool ranked = false) {
  Results results = synthetic_results();
  results.records = std::move(records);
  return method_tables(results, kMeanError, ranked).at(0);
}

std::vector<Record> seeds_of(const char* method, std::initializer_list<double> means_mm) {
  std::vector<Record> records;
  for (const double mean_mm : means_mm)
    records.push_back(synthetic_record("undulating", method, 42 + static_cast<int>(records.size()), mean_mm));
  return records;
}

// 1, 2, 4: the mean is 2.333, the deviation 1.528, and the error of the mean that over the root of 3. B
// differs from A by 0.1, -0.1 and 0.2: 0.067 +- 0.088 is no difference of three seeds. C differs by
// exactly 1.
TEST(MethodTables, MarkTheBestWithWhatCannotBeToldFromIt) {
  std::vector<Record> all = seeds_of("lightglue_like", {1, 2, 4});
  for (const auto& more : {seeds_of("roma_like", {1.1, 1.9, 4.2}), seeds_of("sparse", {2, 3, 5})})
    all.insert(all.end(), more.begin(), more.end());
  const Table table = table_of_means(all);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][1].text, "2.33");
  EXPECT_EQ(table.rows[0][1].spread, "0.88");
  std::vector<int> places;
  for (const auto& row : table.rows) places.push_back(row[1].place);
  EXPECT_THAT(places, ElementsAre(1, 1, 2));
  EXPECT_EQ(table.rows[2][1].subject, "undulating/sparse/seed=42");
  EXPECT_EQ(table.rows[2][1].against, "undulating/lightglue_like/seed=42");
}

// With one seed nothing is known of the noise, and only equal values are marked.
TEST(MethodTables, OfOneSeedMarkWhatIsEqual) {
  const auto place_of_second = [](double mean_mm) {
    std::vector<Record> records = seeds_of("lightglue_like", {1});
    records.push_back(seeds_of("roma_like", {mean_mm}).front());
    return table_of_means(records).rows[1][1].place;
  };
  EXPECT_EQ(place_of_second(1), 1);
  EXPECT_EQ(place_of_second(1.001), 2);
}

// Presets and widths are a matrix: the axis with most values has the columns, in the order of its values.
TEST(MethodTables, OfOneSceneHaveColumnsOfAnAxis) {
  std::vector<Record> records;
  for (const char* const method : {"plane_sweep:fast", "plane_sweep:balanced"})
    for (const int width : {480, 960, 1920}) {
      Record& record = records.emplace_back(
          synthetic_record("undulating", "roma_like", 42, width / (method[12] == 'f' ? 100.0 : 50.0)));
      record.method = method;
      record.case_name = fmt::format("undulating/{}/seed=42/width={}", method, width);
    }
  const Table table = table_of_means(records, true);
  std::vector<std::string> titles, names;
  for (const TableColumn& column : table.columns) titles.push_back(column.header);
  for (const auto& row : table.rows) names.push_back(row[0].text);
  EXPECT_THAT(titles, ElementsAre("method", "width=480", "width=960", "width=1920"));
  EXPECT_THAT(names, ElementsAre("plane_sweep:fast", "plane_sweep:balanced"));
  EXPECT_EQ(table.rows[0][2].text, "9.60");
  EXPECT_EQ(table_of_means(records).columns.size(), 2u) << "papers have methods and metrics";
}

}  // namespace
}  // namespace aqbench
