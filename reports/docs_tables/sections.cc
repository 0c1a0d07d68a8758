#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "core/text.h"
#include "harness/measuring/hotspots.h"
#include "harness/planning/suite.h"
#include "metrics/registry.h"
#include "pipeline/method/method.h"
#include "reports/content/environment_text.h"
#include "reports/content/metrics_table.h"
#include "reports/content/narrative.h"
#include "reports/content/times_table.h"
#include "reports/docs_tables/fill_docs.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
}

template <class Named>
std::string names_of(const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  return joined(names);
}

std::string docs_scenes() {
  std::string text = md_head({"scene", "what it is"}, 2);
  for (const SceneSpec& scene : scene_registry())
    text += md_row({"`" + scene.name + "`", md_escape(scene.summary)});
  return text;
}

std::string docs_methods() {
  std::string text = md_head({"method", "what it does", "presets", "stages"}, 4);
  for (const MethodSpec& method : method_registry())
    text += md_row({"`" + method.name + "`", md_escape(method.summary), names_of(method.presets),
                    joined(method.stages)});
  return text;
}

std::string docs_metrics() {
  std::string text = md_head({"metric", "unit", "better", "definition"}, 4);
  for (const MetricSpec& metric : metric_registry())
    text += md_row({"`" + metric.name + "`", md_escape(metric.unit), to_string(metric.better),
                    md_escape(metric.definition)});
  return text;
}

std::string docs_suites() {
  std::string text = md_head({"suite", "what it is", "scenes", "methods or workloads"}, 4);
  for (const Suite& suite : suite_registry()) {
    std::vector<std::string> methods = all_methods(suite);
    std::ranges::copy(suite.workloads, std::back_inserter(methods));
    text += md_row({"`" + suite.name + "`", md_escape(suite.description),
                    md_escape(joined(all_scenes(suite))), md_escape(joined(methods))});
  }
  return text;
}

template <class Render>
DocsSection without_arguments(const Render& render) {
  return [render](const std::vector<std::string>&) { return render(); };
}

[[noreturn]] void no_data(const std::string& what) {
  throw Error(ErrorKind::input, "the bundle has no " + what);
}

// Names the axes that all cases have; the names below leave them out.
std::string common_line(const std::string& common) {
  return common.empty() ? "" : fmt::format("All cases: `{}`.\n\n", md_escape(common));
}

// At most 8 columns, none of one value.
std::string docs_table(Table table) {
  drop_columns(table, [&](const TableColumn&, std::size_t place) {
    return place > 0 && table.rows.size() > 1 && std::ranges::all_of(table.rows, [&](const auto& row) {
             return row[place].text == table.rows[0][place].text;
           });
  });
  fit(table, [&] { return table.columns.size() <= 8; });
  return markdown_of(table);
}

std::string docs_accuracy(const BundleContent& content) {
  const auto groups = method_groups(content.results);
  if (groups.empty()) no_data("cases of methods");
  const auto [common, table] = groups_table(groups, false);
  return common_line(common) + docs_table(table);
}

// What a sweep over one axis gave: of the axis `batch`, or of all others.
template <bool kBatch>
std::string docs_comparisons(const BundleContent& content) {
  auto comparisons = compare_axes(content.results);
  std::erase_if(comparisons, [](const AxisComparison& one) { return (one.axis == "batch") != kBatch; });
  if (comparisons.empty())
    no_data(kBatch ? "cases with a batch axis" : "cases that differ in one axis alone");
  return docs_table(comparisons_table(comparisons));
}

std::string docs_environment(const BundleContent& content) {
  const RunInfo& run = content.results.run;
  const std::string text =
      fmt::format("Measured {} on {} (bundle {}).", md_escape(run.started_utc),
                  md_escape(environment_line(*content.results.environment)), md_escape(run.id));
  return wrap_text(text, kDocumentColumns, 0);
}

// Breaks a command line before a flag wherever the line would become too wide for a document.
std::string wrap_command(const std::string& command) {
  constexpr std::string_view kFlag = " --";
  constexpr std::size_t kContinuationColumns = 2;
  std::string text;
  std::size_t columns = 0;
  for (std::size_t start = 0; start < command.size();) {
    const std::size_t end = std::min(command.find(kFlag, start + 1), command.size());
    if (columns > 0 && columns + end - start + kContinuationColumns > kDocumentColumns) {
      text += " \\\n ";
      columns = 1;
    }
    text += command.substr(start, end - start);
    columns += end - start;
    start = end;
  }
  return text;
}

std::string docs_reproduce(const BundleContent& content) {
  return fmt::format("```sh\n{}\n```\n\nMetrics digest, the same for any number of threads: `{}`.\n",
                     wrap_command(reproduce_command(content.results.run)), metrics_digest(content.results));
}

std::string docs_narrative(const BundleContent& content) {
  std::string text;
  for (const std::string& line : narrative_lines(content)) text += "- " + md_escape(line) + "\n";
  return text;
}

using BundleSection = std::string (*)(const BundleContent&);
constexpr std::pair<const char*, BundleSection> kBundleSections[] = {
    {"accuracy", docs_accuracy},          {"comparisons", docs_comparisons<false>},
    {"batching", docs_comparisons<true>}, {"environment", docs_environment},
    {"reproduce", docs_reproduce},        {"narrative", docs_narrative},
};

}  // namespace

DocsSections registry_sections() {
  return {{"scenes", without_arguments(docs_scenes)},
          {"methods", without_arguments(docs_methods)},
          {"metrics", without_arguments(docs_metrics)},
          {"suites", without_arguments(docs_suites)},
          {"hotspots", without_arguments(hotspots_markdown)}};
}

DocsSections bundle_sections(const std::vector<NamedBundle>& bundles) {
  const auto content_of = [&bundles](const std::vector<std::string>& arguments) -> const BundleContent& {
    if (bundles.empty()) throw Error(ErrorKind::usage, "needs --bundle DIR");
    if (arguments.empty()) return bundles.front().content;
    if (arguments.size() > 1) throw Error(ErrorKind::input, "expected the name of one bundle");
    std::vector<std::string> names;
    for (const NamedBundle& bundle : bundles) {
      if (bundle.name == arguments[0]) return bundle.content;
      names.push_back(bundle.name);
    }
    throw Error(ErrorKind::input, unknown_name_message("bundle", arguments[0], names));
  };
  DocsSections sections;
  for (const auto& [name, render] : kBundleSections)
    sections[name] = [content_of, render = render](const std::vector<std::string>& arguments) {
      return render(content_of(arguments));
    };
  return sections;
}

}  // namespace aqbench
