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
  if (groups.empty()) throw input_error("the bundle has no cases of methods");
  const auto [common, table] = groups_table(groups, false);
  return common_line(common) + docs_table(table);
}

// What a sweep over one axis gave: of the axis `batch`, or of all others.
template <bool kBatch>
std::string docs_comparisons(const BundleContent& content) {
  auto comparisons = compare_axes(content.results);
  std::erase_if(comparisons, [](const AxisComparison& one) { return (one.axis == "batch") != kBatch; });
  if (comparisons.empty())
    throw input_error("the bundle has no cases {}",
                      kBatch ? "with a batch axis" : "that differ in one axis alone");
  return docs_table(comparisons_table(comparisons));
}

std::string docs_environment(const BundleContent& content) {
  const RunInfo& run = content.results.run;
  const std::string text =
      fmt::format("Measured {} on {} (bundle {}).", md_escape(run.started_utc),
                  md_escape(environment_line(*content.results.environment)), md_escape(run.id));
  return wrap_text(text, kDocumentColumns, 0);
}

// A command that is too wide for a document has a line for each flag.
std::string wrap_command(std::string command) {
  if (command.size() <= kDocumentColumns) return command;
  constexpr std::string_view kBreak = " \\\n ";
  for (std::size_t at = 0; (at = command.find(" --", at)) != command.npos; at += kBreak.size() + 1)
    command.insert(at, kBreak);
  return command;
}

std::string docs_reproduce(const BundleContent& content) {
  return fmt::format("```sh\n{}\n```\n\nMetrics digest, the same for any number of threads: `{}`.\n",
                     wrap_command(reproduce_command(content.results.run)), metrics_digest(content.results));
}

using BundleSection = std::string (*)(const BundleContent&);
constexpr std::pair<const char*, BundleSection> kBundleSections[] = {
    {"accuracy", docs_accuracy},          {"comparisons", docs_comparisons<false>},
    {"batching", docs_comparisons<true>}, {"environment", docs_environment},
    {"reproduce", docs_reproduce},
};

}  // namespace

DocsSections registry_sections() {
  DocsSections sections;
  for (const auto& [name, render] :
       std::initializer_list<std::pair<const char*, std::string (*)()>>{{"scenes", docs_scenes},
                                                                        {"methods", docs_methods},
                                                                        {"metrics", docs_metrics},
                                                                        {"suites", docs_suites},
                                                                        {"hotspots", hotspots_markdown}})
    sections[name] = [render = render](const std::vector<std::string>&) { return render(); };
  return sections;
}

DocsSections bundle_sections(const std::vector<NamedBundle>& bundles) {
  const auto content_of = [&bundles](const std::vector<std::string>& arguments) -> const BundleContent& {
    if (bundles.empty()) throw usage_error("needs --bundle DIR");
    if (arguments.empty()) return bundles.front().content;
    if (arguments.size() > 1) throw input_error("expected the name of one bundle");
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
