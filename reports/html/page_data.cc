#include "reports/html/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/drawing/colour_map.h"
#include "core/text.h"
#include "harness/measuring/samplers.h"
#include "harness/measuring/timing.h"
#include "harness/records/numbers.h"
#include "harness/records/profile_details.h"
#include "metrics/score_options.h"
#include "reports/content/case_columns.h"
#include "reports/content/commands.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

// The metrics that any record has, in the order of the registry, then those that it does not know.
std::vector<std::string> metric_names(const Results& results) {
  std::map<std::string, bool> known;
  std::vector<std::string> names, foreign;
  for (const Record& record : results.records)
    for (const auto& [name, metric] : record.metrics)
      if (known.emplace(name, true).second) foreign.push_back(name);
  for (const MetricSpec& spec : metric_registry())
    if (known.contains(spec.name)) names.push_back(spec.name);
  for (const std::string& name : foreign)
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

// What is better of a metric: its direction, or the ideal that it should be near.
std::string better_of(const std::string& name, const Metric& metric) {
  const auto ideal = metric.better == Better::equal ? metric_ideal(name) : std::nullopt;
  return ideal ? fmt::format("near {:g} is better", *ideal) : to_string(metric.better);
}

// Metrics of protocols are defined by the run, with their knobs.
std::string definition_in(const Results& results, const std::string& name) {
  std::string definition = metric_definition(name);
  const Json& effective = *results.run.effective;
  if (!definition.empty() || !effective.is_object() || !effective.contains("definitions")) return definition;
  const auto found = effective.at("definitions").find(name);
  return found != effective.at("definitions").end() && found->is_string() ? found->get<std::string>() : "";
}

Json metrics_json(const Results& results, const std::vector<std::string>& names) {
  std::map<std::string, const Metric*> first;
  for (const Record& record : results.records)
    for (const auto& [name, metric] : record.metrics) first.emplace(name, &metric);
  Json list = Json::array();
  for (const std::string& name : names)
    list.push_back(
        {name, first.at(name)->unit, better_of(name, *first.at(name)), definition_in(results, name)});
  return list;
}

void add_values(const Record& record, const std::vector<std::string>& names, Json& at) {
  Json values = Json::array(), why = Json::object();
  for (const std::string& name : names) {
    const Metric* const metric = find_metric(record.metrics, name);
    values.push_back(metric == nullptr ? Json(nullptr) : number_or_null(metric->value));
    if (metric != nullptr && !metric->value) why[name] = metric->reason;
  }
  at["values"] = record.metrics.empty() ? Json::array() : std::move(values);
  if (!why.empty()) at["why"] = std::move(why);
}

Json case_json(const Record& record, const std::string& label, const std::vector<std::string>& names) {
  Json at = {{"name", record.case_name},
             {"scene", record.scene},
             {"label", label},
             {"status", to_string(record.status)}};
  if (has_free_scale(record)) at["free_scale"] = true;
  if (!record.reason.empty()) at["reason"] = record.reason;
  add_values(record, names, at);
  if (const auto ms = typical_ms(record.timing)) at["time_ms"] = *ms;
  Json options = Json::array();
  for (const auto& [name, value] : record.options) options.push_back(name + " = " + to_string(value));
  for (const auto& [name, value] : record.defaults)
    options.push_back(name + " = " + to_string(value) + " (default)");
  if (!options.empty()) at["options"] = std::move(options);
  if (!is_imported(record))
    at["command"] = shell_join({"aqbench", "replay", ".", "--case", record.case_name});
  return at;
}

Json gate_json(const BundleContent& content) {
  Json rows = Json::array();
  if (content.gated)
    for (const VerdictRow& row : content.gated->rows)
      if (!row.metric.empty())
        rows.push_back({row.case_name, row.metric, verdict_label(row), number_or_null(row.baseline)});
  return rows;
}

constexpr std::size_t kLongestName = 160, kDeepestFrame = 200;
constexpr std::size_t kMaxFlameFrames = 20'000;  // in one page; its cases share them evenly

struct StackFrame {
  std::uint64_t samples = 0;
  std::map<std::string, StackFrame, std::less<>> callees;
};

StackFrame frames_of(const FoldedStacks& stacks) {
  StackFrame root;
  for (const auto& [stack, samples] : stacks) {
    StackFrame* frame = &root;
    root.samples += samples;
    std::size_t level = 0;
    for (const std::string_view function : functions_of(stack)) {
      if (++level > kDeepestFrame) break;
      frame = &frame->callees.try_emplace(elide_middle(printable(function), kLongestName)).first->second;
      frame->samples += samples;
    }
  }
  return root;
}

void count_frames(const StackFrame& frame, std::vector<std::uint64_t>& samples) {
  for (const auto& [name, callee] : frame.callees) {
    samples.push_back(callee.samples);
    count_frames(callee, samples);
  }
}

// Adds what a frame calls to the lists of a page; `indices` are the places of names.
void write_frames(const StackFrame& frame, std::size_t level, std::map<std::string, std::size_t>& indices,
                  Json& page) {
  for (const auto& [name, callee] : frame.callees) {
    if (callee.samples < page["least"]) continue;
    const auto [place, is_new] = indices.emplace(name, indices.size());
    if (is_new) page["names"].push_back(name);
    page["frames"].push_back({place->second, level, callee.samples});
    write_frames(callee, level + 1, indices, page);
  }
}

}  // namespace

Json scale_colours_json() {
  Json of_signs = Json::array(), of_sizes = Json::array();
  for (int step = 0; step < kColourSteps; ++step) {
    of_signs.push_back(hex_of(diverging_colour(step)));
    of_sizes.push_back(hex_of(sequential_colour(step)));
  }
  return {{"signed", std::move(of_signs)}, {"size", std::move(of_sizes)}};
}

Json add_photographs(const std::map<std::string, std::vector<ReportPhotograph>>& photographs,
                     PageBlocks& blocks) {
  std::map<std::string_view, std::size_t> numbers;
  Json of_cases = Json::object();
  for (const auto& [case_name, of_cameras] : photographs)
    for (const auto& [camera, every_px, image] : of_cameras) {
      const auto [place, is_new] = numbers.emplace(image->jpeg, numbers.size());
      if (is_new) blocks.emplace_back(fmt::format("photograph-{}", place->second), image->jpeg);
      of_cases[case_name][camera] = {place->second, every_px * image->every_px};
    }
  return of_cases;
}

std::size_t block_bytes(const PageBlocks& blocks) {
  std::size_t bytes = 0;
  for (const auto& [id, content] : blocks) bytes += content.size();
  return bytes;
}

std::string page_data_json(const BundleContent& content, const std::map<std::string, JsonBox>& stacks,
                           Json photographs) {
  const Results& results = content.results;
  const std::vector<std::string> names = metric_names(results);
  const CaseNames labels = name_cases(results);
  Json cases = Json::array();
  for (const Record& record : results.records) {
    cases.push_back(case_json(record, labels.of.at(record.case_name).whole(), names));
    if (const auto found = stacks.find(record.case_name); found != stacks.end())
      cases.back()["stacks"] = *found->second;
  }
  return compact_json({{"metrics", metrics_json(results, names)},
                       {"cases", std::move(cases)},
                       {"gate", gate_json(content)},
                       {"colours", scale_colours_json()},
                       {"photographs", std::move(photographs)}});
}

Json stacks_json(std::string_view stacks, const std::string& source, std::size_t most) {
  const StackFrame root = frames_of(read_folded(stacks, source));
  if (root.samples == 0) return nullptr;
  std::vector<std::uint64_t> samples;
  count_frames(root, samples);
  std::uint64_t least = 1;
  if (samples.size() > most) {
    std::ranges::sort(samples, std::ranges::greater{});
    least = samples[most] + 1;
  }
  Json page = {
      {"samples", root.samples}, {"least", least}, {"names", Json::array()}, {"frames", Json::array()}};
  std::map<std::string, std::size_t> indices;
  write_frames(root, 0, indices, page);
  return page;
}

std::string flames_section(const std::map<std::string, std::string>& stacks) {
  if (stacks.empty()) return "";
  return scripted_section(
      "flames", "Where the processor's time goes",
      "Samples of the stacks, callers above: the width of a box is its share of the samples. "
      "A click or Enter zooms, Esc shows all of it, arrows move.");
}

std::map<std::string, JsonBox> page_stacks(const std::map<std::string, std::string>& stacks) {
  std::map<std::string, JsonBox> pages;
  for (const auto& [name, text] : stacks)
    if (Json json =
            stacks_json(text, profile_file(name, kProfileStacksFile), kMaxFlameFrames / stacks.size());
        !json.is_null())
      pages[name] = std::move(json);
  return pages;
}

}  // namespace aqbench
