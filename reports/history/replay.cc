#include "reports/history/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/error.h"
#include "core/text.h"
#include "harness/gating/verdicts.h"
#include "harness/measuring/timing.h"
#include "harness/records/bundle_path.h"
#include "harness/records/results.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

// The text of a metric, with unit and direction where the other one has others.
std::string exact_text(const Metric* metric, const Metric* other) {
  if (metric == nullptr) return "absent";
  // The shortest text that reads back as the same number.
  std::string text = metric->value ? fmt::format("{}", *metric->value) : "undefined: " + metric->reason;
  if (other == nullptr) return text;
  if (metric->unit != other->unit) text += fmt::format(" [{}]", metric->unit);
  if (metric->better != other->better) text += fmt::format(", better is {}", to_string(metric->better));
  return text;
}

bool same_value(const Metric* a, const Metric* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->unit != b->unit || a->better != b->better) return false;
  if (a->value.has_value() != b->value.has_value()) return false;
  return a->value ? std::bit_cast<std::uint64_t>(*a->value) == std::bit_cast<std::uint64_t>(*b->value)
                  : a->reason == b->reason;
}

std::optional<double> share_of_difference(const Metric* a, const Metric* b) {
  if (a == nullptr || b == nullptr || !a->value || !b->value) return std::nullopt;
  return std::abs(*a->value - *b->value) / std::max(std::abs(*a->value), std::abs(*b->value));
}

std::string or_none(const std::string& text) { return text.empty() ? "none" : text; }

std::string status_text(const Record& record) {
  return record.reason.empty() ? to_string(record.status) : to_string(record.status) + ": " + record.reason;
}

void compare_metrics(const Record& recorded, const Record& now, ReplayReport& report) {
  const MetricSet before = gated_metrics(recorded), after = gated_metrics(now);
  const auto compare = [&](const std::string& name) {
    const Metric* const a = find_metric(before, name);
    const Metric* const b = find_metric(after, name);
    if (!same_value(a, b))
      report.differences.push_back(
          {name, exact_text(a, b), exact_text(b, a), share_of_difference(a, b), a == nullptr});
  };
  for (const auto& [name, metric] : before) {
    ++report.metrics;
    compare(name);
  }
  for (const auto& [name, metric] : after)
    if (find_metric(before, name) == nullptr) compare(name);
}

// The files that a case gives again: what a program prints and the times of a profile differ.
void compare_files(const Record& recorded, const Record& now, ReplayReport& report) {
  std::map<std::string, std::pair<std::string, std::string>> hashes;  // by path: before and after
  const auto is_repeatable = [](const CaseFile& file) {
    return !is_in_folder(file.path, kLogsFolder) && !is_in_folder(file.path, kProfileFolder);
  };
  for (const CaseFile& file : recorded.files)
    if (is_repeatable(file)) hashes[file.path].first = file.sha256;
  for (const CaseFile& file : now.files)
    if (is_repeatable(file)) hashes[file.path].second = file.sha256;
  const auto shown = [](const std::string& hash) { return hash.empty() ? "absent" : hash; };
  for (const auto& [path, both] : hashes)
    if (both.first != both.second)
      report.differences.push_back({path, shown(both.first), shown(both.second), {}, true});
}

// The parts of an environment on which the last bits of a result depend.
Json platform_of(const Json& environment) {
  Json platform = Json::object();
  const auto add = [&](const char* name, const char* pointer) {
    const Json::json_pointer place(pointer);
    if (environment.contains(place)) platform[name] = environment.at(place);
  };
  add("architecture", "/cpu/architecture");
  add("cpu_model", "/cpu/model");
  add("os", "/os/name");
  add("mixed", "/comparability/mixed");
  if (environment.is_object() && environment.value("device", Json()) == "cuda") add("gpu", "/gpu");
  add("opencl", "/opencl");
  if (const Json::json_pointer place("/libraries"); environment.contains(place))
    for (const auto& [name, version] : environment.at(place).items()) platform[name] = version;
  return platform;
}

// "2 differences, the largest 1.2e-16 of its value".
std::string size_of_differences(const ReplayReport& report) {
  std::optional<double> largest;
  for (const ReplayDifference& difference : report.differences)
    if (difference.share) largest = std::max(largest.value_or(0), *difference.share);
  return counted(report.differences.size(), "difference") +
         (largest ? fmt::format(", the largest {:.2g} of its value", *largest) : "");
}

}  // namespace

ReplayReport compare_replay(const Record& recorded, const Record& now) {
  ReplayReport report;
  report.output_sha256 = now.output_sha256;
  if (recorded.status != now.status)
    report.differences.push_back({"status", status_text(recorded), status_text(now)});
  if (recorded.output_sha256 != now.output_sha256)
    report.differences.push_back(
        {"output_sha256", or_none(recorded.output_sha256), or_none(now.output_sha256)});
  compare_metrics(recorded, now, report);
  compare_files(recorded, now, report);
  const auto before_ms = typical_ms(recorded.timing), now_ms = typical_ms(now.timing);
  if (before_ms && now_ms && *before_ms > 0)
    report.time_trend =
        fmt::format("time: {} ms recorded, {} ms now, {} x (a trend, no verdict)", table_number(*before_ms),
                    table_number(*now_ms), table_number(*now_ms / *before_ms));
  return report;
}

std::string render_replay(const ReplayReport& report, const std::string& case_name, const Screen& screen) {
  Lines lines;
  for (const ReplayDifference& difference : report.differences)
    lines.items.push_back(fmt::format("differs: {}: recorded {}, now {}", difference.what,
                                      difference.recorded, difference.now));
  if (!report.time_trend.empty()) lines.items.push_back(report.time_trend);
  const std::string differ = size_of_differences(report) + ": " + case_name;
  Banner banner{Colour::red, "NOT REPRODUCED", differ};
  if (!report.platform.empty())
    banner = {Colour::yellow, "NOT COMPARABLE", differ + ": " + report.platform.front()};
  std::string output;
  if (report.reproduced()) {
    banner = {Colour::green, "reproduced",
              fmt::format("{}: {} bit for bit", case_name, counted(report.metrics, "metric"))};
    if (!report.output_sha256.empty()) output = "output " + report.output_sha256;
  }
  return terminal_of({std::move(lines), std::move(banner), Paragraph{output}}, screen);
}

std::vector<std::string> platform_differences(const Json& recorded, const Json& now) {
  Json before = platform_of(recorded), here = platform_of(now);
  // What older bundles do not tell.
  if (!before.contains("glibc")) here.erase("glibc");
  return comparability_differences(before, here, "the bundle's");
}

KeptFiles kept_files_of(const Record& recorded) {
  const auto has = [&](const char* folder) {
    return std::ranges::any_of(recorded.files,
                               [&](const CaseFile& file) { return is_in_folder(file.path, folder); });
  };
  return {.cloud = has(kCloudsFolder), .pictures = has(kPicturesFolder) || has(kViewerFolder)};
}

std::vector<std::size_t> draw_sample(std::size_t cases, std::size_t sample, std::mt19937_64& random) {
  std::vector<std::size_t> all(cases), drawn;
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::ranges::sample(all, std::back_inserter(drawn), static_cast<std::ptrdiff_t>(sample), random);
  return drawn;
}

std::mt19937_64 system_random() try {
  std::random_device system;
  std::array<std::uint32_t, 8> words{};
  for (std::uint32_t& word : words) word = system();
  std::seed_seq seed(words.begin(), words.end());
  return std::mt19937_64(seed);
} catch (const std::exception& error) {
  throw io_error("no randomness from the system: {}", error.what());
}

double missed_probability(std::size_t cases, std::size_t altered, std::size_t sample) {
  if (altered + sample > cases) return 0;
  double probability = 1;
  for (std::size_t i = 0; i < sample; ++i)
    probability *= static_cast<double>(cases - altered - i) / static_cast<double>(cases - i);
  return probability;
}

std::string render_sample(std::size_t cases, std::size_t sample, std::size_t reproduced,
                          std::size_t not_comparable) {
  std::string text = fmt::format("{} of {} reproduced", reproduced, counted(cases, "case"));
  if (not_comparable > 0) text += fmt::format(", {} not comparable", not_comparable);
  if (const std::size_t differ = sample - reproduced - not_comparable; differ > 0)
    return text + fmt::format(", {} not reproduced\n", differ);
  const std::size_t altered = std::max<std::size_t>(1, cases / 10);
  return text + fmt::format("; had {} been altered, this would have missed {} with probability {:.2g}\n",
                            altered, altered == 1 ? "it" : "all of them",
                            missed_probability(cases, altered, reproduced));
}

}  // namespace aqbench
