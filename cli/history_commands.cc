// The commands compare, trend and site, over several bundles.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "cli/options.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/records/case_name.h"
#include "reports/bundle/verify.h"
#include "reports/history/compare.h"
#include "reports/history/trend.h"
#include "reports/site/site.h"

namespace aqbench::cli {
namespace {

struct CompareRequest {
  std::string a;
  std::optional<std::string> b;                   // none: both sides are of A
  std::optional<std::string> a_method, b_method;  // one method of each side, compared with each other
  bool times = false, all = false;
  std::optional<std::filesystem::path> html;
};

CommandLine<CompareRequest> compare_command_line() {
  return {"aqbench compare A B [--times] [--all] [--html FILE]   or   A [B] --a-method X --b-method Y",
          "Shows two bundles (or bare results.json files) side by side: accuracy, tensor memory, stages,\n"
          "times and batching, and which stage changed: its work (calls) or the cost of a call. Times "
          "of\nseparate runs show a trend, not a verdict; --times requires comparable ones: the same kind "
          "of\nmachine, build, device, dtype and threads.\nExit 0 shown (compare judges nothing; see gate), "
          "1 a bundle does not verify, 4 not comparable:\nidentical records, no common case, or --times with "
          "different machines.",
          {{"a-method", "X", "compare this method of A, METHOD or METHOD:PRESET, with another one",
            into<&CompareRequest::a_method>, needs("b-method")},
           {"b-method", "Y", "the other method: of B, or of A where there is no B",
            into<&CompareRequest::b_method>, needs("a-method")},
           {"times", nullptr, "require comparable times: otherwise exit 4 naming the difference",
            into<&CompareRequest::times>},
           {"all", nullptr, "also list equal values", into<&CompareRequest::all>},
           {"html", "FILE", "also write a page: what changed, and where on the surface",
            into<&CompareRequest::html>}},
          {{{.name = "A"}, into<&CompareRequest::a>},
           {{.name = "B", .optional = true}, into<&CompareRequest::b>}}};
}

// Leaves the cases of one method, under names and with options that do not name it. Throws Error(usage) where
// there are none, and where presets leave two of one name.
void keep_method(const std::string& flag, const std::string& method, Results& results) {
  std::set<std::string> known, names;
  const auto is_meant = [&](const Record& record) {
    const std::string whole = record.preset.empty() ? record.method : record.method + ":" + record.preset;
    if (!record.method.empty()) known.insert(whole);
    return whole == method || record.method == method;
  };
  std::erase_if(results.records, [&](const Record& record) { return !is_meant(record); });
  if (results.records.empty())
    throw usage_error("{}: {}", flag, unknown_name_message("method", method, {known.begin(), known.end()}));
  for (Record& record : results.records) {
    record.case_name = name_without_method(record.case_name);
    for (NamedValues* const values : {&record.options, &record.defaults})
      std::erase_if(*values,
                    [&](const auto& option) { return option.first.starts_with(record.method + "."); });
    if (!names.insert(record.case_name).second)
      throw usage_error("{} {}: has several presets of {}; name one, {}:PRESET", flag, method,
                        record.case_name, record.method);
  }
}

// Returns both sides of the comparison.
std::pair<Results, Results> sides_of(const CompareRequest& request) {
  if (!request.b && !request.a_method) throw usage_error("B is missing");
  if (request.html && request.a_method)
    throw usage_error("--html: shows the same cases of two bundles, not two methods");
  Results a = read_gate_input(request.a).results;
  Results b = request.b ? read_gate_input(*request.b).results : a;
  if (request.a_method) {
    keep_method("--a-method", *request.a_method, a);
    keep_method("--b-method", *request.b_method, b);
  }
  return {std::move(a), std::move(b)};
}

constexpr const char* kCommitOfHelp =
    "take the commit of a bundle or file from its path: 'results/{commit}.json'";

struct TrendRequest {
  std::vector<std::string> folders;
  TrendOptions options;
  std::string commit_of;
  std::optional<std::filesystem::path> svg;
};

CommandLine<TrendRequest> trend_command_line() {
  return {
      "aqbench trend DIR... [--metric M] [--pin RUN] [--svg FILE]",
      "Reads every bundle below the folders as a history (unverifiable ones are left out; those of another\n"
      "version are named and shown) and finds changes of level: every change of a deterministic value, else\n"
      "change points as in Hunter, tested with the measured autocorrelation. Accuracy and tensor memory\n"
      "over all runs, times over runs of one machine key. Of a comparison (aqbench ab) its B counts.\n"
      "A trend is not a gate: exit 0 in any case, 2 if there is no bundle or no run has the metric.",
      {{"metric", "M", "one metric: a name as in records, time_ms, cpu_ms, or stage:NAME",
        into<&TrendRequest::options, &TrendOptions::metric>},
       {"decide-by", "wall|cpu|both",
        "the time of a case: wall time, CPU time or both (default: wall time; CPU time where it is known and "
        "the machine was loaded in most runs)",
        [](TrendRequest& r, const FlagValue& v) { r.options.decide_by = read_decide_by(v); }},
       {"commit-of", "PATTERN", kCommitOfHelp, into<&TrendRequest::commit_of>},
       {"pin", "RUN",
        "also compare the newest level with that of this run: its id or commit, or a prefix of one",
        into<&TrendRequest::options, &TrendOptions::pinned>},
       {"svg", "FILE", "write the charts to this file", into<&TrendRequest::svg>}},
      {{{.name = "DIR", .repeatable = true}, into<&TrendRequest::folders>}}};
}

CommandLine<SiteRequest> site_command_line() {
  return {
      "aqbench site DIR... --out SITE [--reports N] [--baseline FILE]...",
      "Writes a static site over the bundles below the folders: one page with the methods of each suite,\n"
      "what changed over its runs (as in trend) and its runs, the reports of the newest runs, and a badge\n"
      "(SVG) for each suite. It needs no server and fetches nothing. Each bundle is verified, and its\n"
      "report is rendered from its records.\nExit 0 written, 1 bundles were left out or "
      "not gated (named on stderr and on the page), 2 no bundle\nthat verifies.",
      {{"out", "SITE", "folder of the site: new, empty, or an existing site", into<&SiteRequest::out>},
       {"reports", "N", "render the pages of the newest N runs of a suite (5)", into<&SiteRequest::reports>},
       {"decide-by", "wall|cpu|both", "the time whose steps are shown, as in trend",
        [](SiteRequest& r, const FlagValue& v) { r.decide_by = read_decide_by(v); }},
       {"commit-of", "PATTERN", kCommitOfHelp, into<&SiteRequest::commit_of>},
       {"baseline", "FILE", "gate the newest run of its suite on these accepted values",
        into<&SiteRequest::baselines>, repeated()}},
      {{{.name = "DIR", .repeatable = true}, into<&SiteRequest::folders>}}};
}

}  // namespace

ExitCode compare_command(const Arguments& arguments) {
  const auto request = parse(compare_command_line(), arguments);
  const auto [a, b] = sides_of(request);
  const CompareReport report = compare_results(a, b);
  fmt::print("{}", render_compare(report, request.all, screen_of(STDOUT_FILENO)));
  if (!report.refusal.empty()) return ExitCode::not_comparable;
  if (request.html) {
    const auto side = [](const std::string& path, const Results& results) {
      return ComparedSide{&results, std::filesystem::is_directory(path) ? std::filesystem::path(path) : ""};
    };
    write_file(*request.html, compare_page(report, side(request.a, a), side(*request.b, b)));
  }
  if (request.times && !report.key_differences.empty())
    throw not_comparable_error("--times: {} ({} in all)", printable(report.key_differences.front()),
                               counted(report.key_differences.size(), "difference"));
  return ExitCode::pass;
}

ExitCode trend_command(const Arguments& arguments) {
  const auto request = parse(trend_command_line(), arguments);
  const std::vector<std::filesystem::path> folders(request.folders.begin(), request.folders.end());
  const TrendHistory history = read_history(folders, request.commit_of);
  if (history.runs.empty())
    throw input_error("{}: no verified bundle found{}", fmt::join(request.folders, ", "),
                      history.problems.empty() ? "" : "; " + history.problems.front());
  const std::vector<TrendSeries> series = detect_trends(history, request.options);
  fmt::print("{}", render_trends(history, series, screen_of(STDOUT_FILENO)));
  if (request.svg) write_file(*request.svg, trends_svg(history, series));
  return ExitCode::pass;
}

ExitCode site_command(const Arguments& arguments) {
  const auto request = parse(site_command_line(), arguments);
  if (request.out.empty()) throw usage_error("--out SITE is missing");
  const SiteSummary done = write_site(request);
  for (const std::string& problem : done.problems) fmt::print(stderr, "left out: {}\n", printable(problem));
  fmt::print("{}: {} of {}\n", printable(request.out.string()), counted(done.pages, "page"),
             counted(done.runs, "run"));
  return done.problems.empty() ? ExitCode::pass : ExitCode::regression;
}

}  // namespace aqbench::cli
