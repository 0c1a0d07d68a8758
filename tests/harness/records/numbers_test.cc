// Numbers of another harness: what is read, and what is refused in one line with its file, line and field.

#include "harness/records/numbers.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using Texts = std::vector<std::string>;

ImportedNumbers read(std::string_view text, const Texts& metrics = {"psnr:dB:higher"},
                     const Texts& columns = {}, const std::string& method = "") {
  return read_numbers(text, {"t.csv", "", columns, metrics, method});
}

template <class Call>
void expect_error(const Call& call, ErrorKind kind, const std::string& why) {
  EXPECT_THAT(error_of(kind, call), ::testing::HasSubstr(why));
}

// The values of a metric by case; of an undefined one its reason.
std::map<std::string, std::string> values(const ImportedNumbers& numbers,
                                          const std::string& metric = "psnr") {
  std::map<std::string, std::string> found;
  for (const Record& record : numbers.records) {
    const Metric& one = *find_metric(record.metrics, metric);
    found[record.case_name] = one.value ? fmt::format("{}", *one.value) : one.reason.text();
  }
  return found;
}

using Values = std::map<std::string, std::string>;

TEST(Numbers, AHeaderSaysWhatTheColumnsAre) {
  const auto numbers = read("Method,Scene,seed,psnr,note\nours,garden,1,27.5,x\nbase,garden,01,26,y\n");
  EXPECT_EQ(values(numbers), (Values{{"garden/base/seed=1", "26"}, {"garden/ours/seed=1", "27.5"}}));
  EXPECT_EQ(numbers.notes, Texts{"columns that are not imported: note"});
  const Metric& metric = *find_metric(numbers.records[0].metrics, "psnr");
  EXPECT_EQ(metric.unit, "dB");
  EXPECT_EQ(metric.better, Better::higher);
  EXPECT_EQ(numbers.records[0].status, Status::ok);
  EXPECT_FALSE(numbers.records[0].timing.cold_ms);
}

TEST(Numbers, ColumnsAreNamedMappedOrCounted) {
  const Values expected{{"garden/ours/seed=3", "27.5"}};
  EXPECT_EQ(values(read("a,dataset,run,PSNR [dB]\nours,garden,3,27.5\n", {"psnr:dB:higher"},
                        {"method=a", "scene=dataset", "seed=run", "psnr=PSNR [dB]"})),
            expected);
  EXPECT_EQ(
      values(read("27.5;x;3;ours;garden\n", {"psnr:dB:higher"}, {"psnr", "-", "seed", "method", "scene"})),
      expected);
  const auto renamed = read("who\twhere\tn\tresult\nours\tgarden\t3\t27.5\n", {"psnr:dB:higher"},
                            {"method", "scene", "seed", "value"});
  EXPECT_EQ(values(renamed), expected);
  EXPECT_EQ(renamed.notes, Texts{"line 1 is taken as a header: who, where, n, result"});
  EXPECT_EQ(
      values(read("case,seed,value\ngarden/ours,3,27.5\n", {"psnr:dB:higher"}, {"case", "seed", "value"})),
      expected);
  EXPECT_EQ(values(read("scene,psnr\ngarden,27.5\n", {"psnr:dB:higher"}, {}, "mine")),
            (Values{{"garden/mine", "27.5"}}));
}

// The same table as CSV with other ends, separators and quotation marks, and as JSON lines.
TEST(Numbers, AllFormsOfOneTableHoldTheSame) {
  const Values expected{{"a, \"b\"/ours/seed=1", "27.5"}, {"c/ours/seed=1", "-3e-05"}};
  for (const char* const text :
       {"method,scene,seed,psnr\nours,\"a, \"\"b\"\"\",1,27.5\nours,c,1,-3e-5\n",
        "\xEF\xBB\xBFmethod,scene,seed,psnr\r\nours,\"a, \"\"b\"\"\",1,27.5\r\nours,c,1.0,-3e-5\r\n,,,\r\n",
        "method;scene;seed;psnr\rours;a, \"b\";1;27.5\r\rours; c ;1;-3e-5",
        "{\"method\":\"ours\",\"scene\":\"a, \\\"b\\\"\",\"seed\":1,\"psnr\":27.5}\n\n"
        "{\"scene\":\"c\",\"psnr\":-3e-5,\"seed\":1,\"method\":\"ours\"}\n"})
    EXPECT_EQ(values(read(text)), expected) << text;
}

TEST(Numbers, LinesMayNameTheirMetricUnitAndDirection) {
  const auto numbers = read(
      "scene,method,seed,metric,value,unit,better\nx,m,1,psnr,27.5,dB,higher\nx,m,1,lpips,0.1,1,lower\n"
      "x,n,1,psnr,26,dB,higher\n",
      {});
  EXPECT_EQ(values(numbers), (Values{{"x/m/seed=1", "27.5"}, {"x/n/seed=1", "26"}}));
  EXPECT_EQ(values(numbers, "lpips"),
            (Values{{"x/m/seed=1", "0.1"}, {"x/n/seed=1", "no line of t.csv has it"}}));
  // Without a declaration the registry says what its own metrics are.
  EXPECT_EQ(find_metric(read("scene,accuracy_mean_mm\nx,1\n", {"accuracy_mean_mm"}).records[0].metrics,
                        "accuracy_mean_mm")
                ->unit,
            "mm");
}

// As `aqbench export --csv` writes it.
TEST(Numbers, ACaseMayNameItsSeed) {
  EXPECT_EQ(values(read("case,scene,method,psnr\nx/m/seed=2,x,m,5\nx/m/seed=3,x,m,6\n")),
            (Values{{"x/m/seed=2", "5"}, {"x/m/seed=3", "6"}}));
  EXPECT_EQ(values(read("case,psnr\nx/seed=2,5\n")), (Values{{"x/imported/seed=2", "5"}}));
  expect_error([] { read("case,seed,psnr\nx/m/seed=2,2,5\n"); }, ErrorKind::input,
               "t.csv:2: case: names a seed, and so does the column seed");
}

TEST(Numbers, AnEmptyCellIsUndefinedAndAMissingLineIsNamed) {
  const auto numbers = read("scene,method,seed,psnr\nx,m,1,\nx,m,2,0\ny,m,1,5\n");
  EXPECT_EQ(values(numbers), (Values{{"x/m/seed=1", "the cell is empty in line 2 of t.csv"},
                                     {"x/m/seed=2", "0"},
                                     {"y/m/seed=1", "5"}}));
  EXPECT_EQ(numbers.notes,
            Texts{"1 of 4 combinations of scene, method and seed have no line, first y/m/seed=2"});
  EXPECT_EQ(values(read("{\"scene\":\"x\",\"psnr\":null}\n{\"scene\":\"y\",\"psnr\":1}\n")),
            (Values{{"x/imported", "the cell is empty in line 1 of t.csv"}, {"y/imported", "1"}}));
}

TEST(Numbers, ACellThatIsNoNumberIsRefusedWithItsLineAndField) {
  const struct {
    const char *cell, *why;
  } kCells[] = {{"nan", "t.csv:3: psnr: 'nan' is not a finite number"},
                {"inf", "t.csv:3: psnr: 'inf' is not a finite number"},
                {"NA", "t.csv:3: psnr: 'NA' is not a number"},
                {"\"31,2\"", "write 31.2 with a decimal point"},
                {"\"1,234.5\"", "t.csv:3: psnr: '1,234.5' is not a number"},
                {"1 234", "t.csv:3: psnr: '1 234' is not a number"},
                {"95%", "t.csv:3: psnr: '95%' is not a number"},
                {"27.5 dB", "t.csv:3: psnr: '27.5 dB' is not a number"}};
  for (const auto& [cell, why] : kCells)
    expect_error([&, bad = std::string(cell)] { read("scene,seed,psnr\nx,1,5\nx,2," + bad + "\n"); },
                 ErrorKind::input, why);
  expect_error([] { read("{\"scene\":\"x\",\"psnr\":1}\n{\"scene\":\"y\",\"psnr\":NaN}\n"); },
               ErrorKind::input, "t.csv:2: psnr: is not a finite number");
}

TEST(Numbers, MistakesAreOneLineWithTheirPlace) {
  expect_error([] { read("scene,completeness_2mm_pct\nx,101\n", {"completeness_2mm_pct"}); },
               ErrorKind::input, "t.csv:2: completeness_2mm_pct: 101 is not from 0 to 100");
  const struct {
    const char *text, *why;
  } kTexts[] = {
      {"scene,seed,psnr\nx,1,5\nx,1,6\n", "t.csv:3: psnr: x/imported/seed=1 psnr: stands in line 2 already"},
      {"scene,seed,psnr\nx,1\n", "t.csv:2: has 2 fields, line 1 has 3"},
      {"scene,seed,psnr\n,1,5\n", "t.csv:2: scene: is empty"},
      {"scene,seed,psnr\na/b,1,5\n", "t.csv:2: scene: 'a/b' must not contain '/'"},
      {"scene,seed,psnr\nx,1.5,5\n", "t.csv:2: seed: '1.5' is not a whole number"},
      {"scene,seed,psnr\nx,-1,5\n", "t.csv:2: seed: '-1' is not a whole number"},
      {"scene,seed,psnr\n\"x,1,5\n", "t.csv:2: a quotation mark does not end"},
      {"scene,seed,psnr\n\"x\"y,1,5\n", "t.csv:2: text follows a closing quotation mark"},
      {"scene,seed,psnr,psnr\nx,1,5,6\n", "t.csv:1: 2 columns are called 'psnr'"},
      {"scene,seed,psnr\nx,1,\xFF\n", "t.csv:2: is not UTF-8"},
      {"where,psnr\nx,5\n", "t.csv:1: no column is called scene or case"},
      {"[{\"scene\":\"x\"}]", "t.csv:1: is a JSON array"},
      {"{\"scene\":\"x\",\"psnr\":[1]}", "t.csv:1: psnr: expected a number"},
      {"scene,seed,psnr\n", "t.csv: has no line with numbers"},
      {"\n\n", "t.csv: is empty"}};
  for (const auto& [text, why] : kTexts)
    expect_error([&, given = text] { read(given); }, ErrorKind::input, why);
  expect_error([] { read("scene,metric,value,unit,better\nx,psnr,5,dB,higher\ny,psnr,5,mm,higher\n", {}); },
               ErrorKind::input, "t.csv:3: unit: 'mm' where psnr had 'dB'");
  expect_error([] { read("scene,metric,value,unit\nx,psnr,5,dB\n", {}); }, ErrorKind::input,
               "t.csv:2: psnr: its direction is missing");
  expect_error([] { read("scene,metric,value,unit,better\nx,psnr,5,furlong,higher\n", {}); },
               ErrorKind::input, "t.csv:2: unit: unknown unit 'furlong'");
}

TEST(Numbers, MetricsNeedAUnitAndADirection) {
  const struct {
    const char *metric, *why;
  } kMetrics[] = {{"psnr", "--metric 'psnr': its unit is missing"},
                  {"psnr:dB", "--metric 'psnr': its direction is missing"},
                  {"psnr:furlong:higher", "unknown unit 'furlong'"},
                  {"psnr:dB:more", "better must be lower or higher"},
                  {"a b:dB:higher", "the name must be letters, digits"},
                  {"ssim:1:higher", "t.csv has no such column"},
                  {"accuracy_mean_mm:m:lower", "the unit of accuracy_mean_mm is mm"},
                  {"accuracy_mean_mm:mm:higher", "of accuracy_mean_mm lower is better"}};
  for (const auto& [metric, why] : kMetrics)
    expect_error([&, given = metric] { read("scene,psnr,accuracy_mean_mm\nx,5,1\n", {given}); },
                 ErrorKind::usage, why);
  expect_error(
      [] {
        read("scene,psnr\nx,5\n", {"psnr:dB:higher"}, {"scene", "psnr", "seed"});
      },
      ErrorKind::input, "t.csv:1: has 2 fields, --columns names 3");
  expect_error(
      [] {
        read("scene,psnr\nx,5\n", {"psnr:dB:higher"}, {"scene", "psnr=PNSR"});
      },
      ErrorKind::input, "t.csv:1: no column is called 'PNSR'");
  expect_error(
      [] {
        read("scene,size,psnr\nx,5,1\n", {"psnr:dB:higher"}, {"scene", "size", "psnr"});
      },
      ErrorKind::usage, "--columns: 'size' is neither case");
}

}  // namespace
}  // namespace aqbench
