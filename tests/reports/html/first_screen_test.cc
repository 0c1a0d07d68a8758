// What a reader sees of a page before scrolling, in a real browser: the answer to the question he came with.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/files.h"
#include "core/processes/process.h"
#include "reports/history/compare_page.h"
#include "reports/html/ab_page.h"
#include "reports/html/report.h"
#include "reports/site/site.h"
#include "tests/harness/ab/documents.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

std::string chromium_program() {
  for (const char* const name : {"chromium", "chromium-browser", "google-chrome"})
    if (const std::string found = find_in_path(name); found != name) return found;
  return "";
}

// Loads the page in frames of 400 and 1300 by 800 px and prints the texts whose boxes lie within them.
constexpr const char* kFrames = R"html(<!doctype html><body style="margin:0">
<iframe src="page.html" style="border:0" width="400" height="800"></iframe>
<iframe src="page.html" style="border:0" width="1300" height="800"></iframe>
<script>
onload = () => {
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument, range = page.createRange(), seen = [];
    const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      const inside = box.width > 0 && box.top >= 0 && box.bottom <= 800 && box.left >= 0 && box.right <= frame.width + 1;
      if (inside && !node.parentElement.closest('script,style')) seen.push(node.data);
    }
    const out = document.createElement('pre');
    out.className = 'seen';
    out.textContent = seen.join(' ').replace(/\s+/g, ' ');
    document.body.append(out);
  }
};
</script>)html";

class FirstScreen : public ::testing::Test {
 protected:
  void SetUp() override {
    program_ = chromium_program();
    if (program_.empty()) GTEST_SKIP() << "no chromium in PATH: apt-get install chromium";
  }

  // The texts in the narrow and in the wide frame.
  std::vector<std::string> seen(const std::string& page) {
    write_file(folder_ / "page.html", page);
    return seen_at("page.html");
  }

  // Of a page in the folder of the test.
  std::vector<std::string> seen_at(const std::string& file) {
    std::string frames = kFrames;
    for (std::size_t at = 0; (at = frames.find("page.html", at)) != std::string::npos; at += file.size())
      frames.replace(at, std::string("page.html").size(), file);
    write_file(folder_ / "frame.html", frames);
    std::vector<std::string> command = {program_,
                                        "--headless=new",
                                        "--disable-gpu",
                                        "--no-first-run",
                                        "--allow-file-access-from-files",
                                        "--window-size=1900,1000",
                                        "--user-data-dir=" + (folder_ / "profile").string()};
    if (::geteuid() == 0) command.emplace_back("--no-sandbox");
    command.insert(command.end(), {"--dump-dom", "file://" + (folder_ / "frame.html").string()});
    const ProgramAnswer answer = ask_program(command, 120);
    EXPECT_TRUE(answer.ok) << answer.problem;
    std::vector<std::string> texts;
    const std::string lead = "<pre class=\"seen\">";
    for (std::size_t at = 0; (at = answer.output.find(lead, at)) != std::string::npos; at += lead.size())
      texts.push_back(answer.output.substr(at, answer.output.find("</pre>", at) - at));
    EXPECT_EQ(texts.size(), 2u) << answer.output;
    return texts;
  }

  TemporaryDirectory folder_;
  std::string program_;
};

TEST_F(FirstScreen, OfAFailedGateNamesCaseValueAndAcceptedRun) {
  BundleContent content;
  content.results = synthetic_results();
  const Baseline baseline = synthetic_baseline(content.results);
  *metric_of(content.results.records[1], "accuracy_mean_mm").value *= 5.7;
  set_baseline(content, baseline);
  EXPECT_THAT(seen(render_html_report(content, {})),
              Each(AllOf(HasSubstr("FAIL 1 of 4 cases worse"), HasSubstr("flat_plane/roma_like: "),
                         HasSubstr("0.793 -&gt; 4.52 mm (5.7 x, allowed ± 5 %)"),
                         HasSubstr("accepted in run 20250101T000000Z"))));
}

TEST_F(FirstScreen, OfASweepWithoutABaselineSaysSo) {
  BundleContent content;
  content.results = synthetic_results();
  EXPECT_THAT(seen(render_html_report(content, {})),
              Each(HasSubstr("4 of 4 cases ran; no baseline given: nothing was compared")));
}

TEST_F(FirstScreen, OfATradeNamesBothSidesOfIt) {
  AbDocument document = document_of(timed_samples(40, 1 / 3.1));
  give_outputs(document.samples, 0.8, 1.6);
  EXPECT_THAT(seen(ab_page(document, judge_ab(document))),
              Each(AllOf(HasSubstr("INVALID B is 3.1 x faster ("), HasSubstr("2 x worse: a trade"))));
}

TEST_F(FirstScreen, OfTwoCommitsSaysWhatGotWorseAndWhere) {
  const Results a = synthetic_results();
  Results b = a;
  metric_of(b.records[1], "accuracy_mean_mm").value = 10;
  EXPECT_THAT(seen(compare_page(compare_results(a, b), {&a, ""}, {&b, ""})),
              Each(AllOf(HasSubstr("WORSE 1 of 4 cases worse"), HasSubstr("flat_plane/roma_like: "),
                         HasSubstr("0.793 -&gt; 10 mm (13 x)"))));
}

// 20 runs of a suite; from the eleventh on one value is 1.5 times as large.
TEST_F(FirstScreen, OfASiteNamesTheNewestChangeForTheWorse) {
  for (int i = 0; i < 20; ++i) {
    Results run = synthetic_results();
    run.run.id = fmt::format("202505{:02}T101112Z", i + 1);
    run.run.started_utc = fmt::format("2025-05-{:02}T10:11:12Z", i + 1);
    run.run.finished_utc = fmt::format("2025-05-{:02}T10:11:14Z", i + 1);
    if (i >= 10) *metric_of(run.records[1], "accuracy_mean_mm").value *= 1.5;
    synthetic_bundle(folder_ / "out", run);
  }
  write_site({{folder_ / "out"}, folder_ / "site"});
  EXPECT_THAT(seen_at("site/index.html"),
              Each(AllOf(HasSubstr("Newest changes for the worse"), HasSubstr("flat_plane/roma_like"),
                         HasSubstr("+50 %"), HasSubstr("20250511T101112Z"))));
}

}  // namespace
}  // namespace aqbench
