// What moved from run to run of a suite, as `aqbench compare` shows it.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "metrics/registry.h"
#include "reports/history/compare.h"
#include "reports/history/moved.h"
#include "reports/html/page.h"
#include "reports/html/verdict_section.h"
#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxPairs = 10, kMaxNotes = 10;

// Returns a run as the results of a bundle, as far as a site knows it: cases, status, headline metrics and
// the hash of the options. Times are left out: they vary by themselves, and the trend shows them.
Results site_results(const SiteRun& run, const std::vector<std::size_t>& metrics) {
  Results results;
  results.run.id = run.id;
  results.run.suite = run.suite;
  for (const SiteCase& one : run.cases) {
    Record record;
    record.case_name = one.name;
    record.scene = one.scene;
    record.method = one.method;
    record.status = status_from_string(one.status).value_or(Status::failed);
    if (!one.options.empty()) record.options = {{"(hash of all)", one.options}};
    for (const std::size_t i : metrics)
      if (i + 1 < one.values.size() && one.values[i])
        record.metrics.emplace_back(site_metrics()[i].name,
                                    Metric{one.values[i], "", site_metrics()[i].better, ""});
    results.records.push_back(std::move(record));
  }
  return results;
}

std::string pair_section(const SiteRun& a, const SiteRun& b, const ShortNames& names,
                         const SiteReports& reports) {
  const std::vector<std::size_t> metrics = filled_metrics({&a, &b});
  const CompareReport report = compare_results(site_results(a, metrics), site_results(b, metrics));
  const Verdicts verdicts = verdicts_of(report);
  const auto side = [](const SiteRun& run) {
    return fmt::format("{}, commit {} {}", xml_escape(run.id),
                       xml_escape(run.commit.empty() ? "not known" : run.commit.substr(0, 12)),
                       health_text(health_of(run)));
  };
  std::string body = fmt::format("<p>A: {}<br>B: {}</p>\n", side(a), side(b));
  // Without times, equal records are equal values and no sign of one bundle given twice.
  if (!report.refusal.empty())
    body += "<p>All values are the same.</p>\n";
  else
    body += banner_html(shown_banner_of(verdicts)) +
            verdicts_html(verdicts, names, fmt::format("what moved from {} to {}", a.id, b.id), "A", "B",
                          [&](const std::string& case_name, bool after, const std::string& number) {
                            return case_link(after ? b : a, case_name, reports, number);
                          });
  return page_section("to-" + site_file_name(b.id),
                      fmt::format("{} to {}", xml_escape(a.id), xml_escape(b.id)),
                      body + text_list(report.notes, kMaxNotes));
}

}  // namespace

std::pair<std::string, std::string> comparisons_page(const std::string& suite,
                                                     std::span<const SiteRun* const> runs,
                                                     const SiteReports& reports) {
  const std::string file = site_file_name(suite);
  const std::size_t pairs = std::min(runs.size() - 1, kMaxPairs);
  const ShortNames names = site_short_names(runs.last(pairs + 1));
  std::string body = fmt::format(
      "<p><a href=\"../suite/{}.html\">suite {}</a>. What <code>aqbench compare</code> shows of the headline "
      "metrics, the newest pair first; all metrics, stages and clouds of two bundles: <code>aqbench compare "
      "A B "
      "--html FILE</code>. Times are in the trend: they vary by themselves.</p>\n",
      file, xml_escape(shown_suite(suite)));
  body += common_html(names.common);
  if (pairs == 0) body += "<p>There is one run: nothing to compare it with.</p>\n";
  for (std::size_t i = 0; i < pairs; ++i)
    body += pair_section(*runs[runs.size() - 2 - i], *runs[runs.size() - 1 - i], names, reports);
  if (runs.size() - 1 > pairs)
    body += fmt::format("<p class=\"dim\">and {} older pairs</p>\n", runs.size() - 1 - pairs);
  return {fmt::format("comparison/{}.html", file),
          site_page("from run to run: " + shown_suite(suite), 1, body, "")};
}

}  // namespace aqbench
