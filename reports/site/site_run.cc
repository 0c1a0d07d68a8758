#include "reports/site/site_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/records/results_size.h"
#include "metrics/registry.h"
#include "reports/content/bundle_files.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxListBytes = std::uintmax_t{64} << 20;

HashList read_hashes(const std::string& text, const std::filesystem::path& bundle) {
  HashList list = parse_hash_list(text);
  if (!list.problems.empty())
    throw Error(ErrorKind::verification,
                fmt::format("{}: {}", (bundle / kHashListName).string(), list.problems.front()));
  return list;
}

// The names of the metrics, in the order of a line's values.
std::string metrics_of_lines() {
  std::string names;
  for (const SiteMetric& metric : site_metrics()) names += (names.empty() ? "" : " ") + metric.name;
  return names;
}

std::string text_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<double> number_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found != json.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::optional<double> metric_at(const Json& metrics, const std::string& name) {
  const auto metric = metrics.find(name);
  if (metric == metrics.end() || !metric->is_object()) return std::nullopt;
  return number_at(*metric, "value");
}

// The median of the warm runs, or the cold run (time_ms()).
std::optional<double> time_at(const Json& timing) {
  std::vector<double> warm;
  if (const auto found = timing.find("warm_ms"); found != timing.end() && found->is_array())
    for (const Json& sample : *found)
      if (sample.is_number()) warm.push_back(sample.get<double>());
  if (warm.empty()) return number_at(timing, "cold_ms");
  std::ranges::sort(warm);
  const std::size_t half = warm.size() / 2;
  return warm.size() % 2 == 1 ? warm[half] : 0.5 * (warm[half - 1] + warm[half]);
}

SiteCase site_case(const Json& record) {
  SiteCase one{text_at(record, "case"),
               text_at(record, "scene"),
               text_at(record, "method"),
               text_at(record, "status"),
               {}};
  if (const std::string preset = text_at(record, "preset"); !preset.empty()) one.method += ":" + preset;
  if (one.method.empty()) one.method = text_at(record, "workload");
  const Json none = Json::object();
  const Json& metrics = record.contains("metrics") ? record.at("metrics") : none;
  const Json& timing = record.contains("timing") ? record.at("timing") : none;
  for (const SiteMetric& metric : site_metrics())
    one.values.push_back(metric.name == "time_ms" ? time_at(timing) : metric_at(metrics, metric.name));
  return one;
}

}  // namespace

const std::vector<SiteMetric>& site_metrics() {
  static const std::vector<SiteMetric> metrics = [] {
    std::vector<SiteMetric> all;
    for (const HeadlineMetric& headline : headline_metrics()) {
      const auto spec = std::ranges::find(metric_registry(), headline.name, &MetricSpec::name);
      all.push_back({headline.name, headline.title, spec == metric_registry().end() ? "" : spec->definition});
    }
    all.push_back({"time_ms", "time [ms]", "median of the warm runs, or the cold run where there are none"});
    return all;
  }();
  return metrics;
}

std::string site_key(const std::filesystem::path& bundle) {
  return sha256_hex(read_text_file(bundle / kHashListName, kMaxListBytes));
}

SiteRun read_site_run(const std::filesystem::path& bundle) {
  const std::string list_text = read_text_file(bundle / kHashListName, kMaxListBytes);
  const HashList hashes = read_hashes(list_text, bundle);
  const std::filesystem::path path = bundle / "results.json";
  const std::string text = read_text_file(path, kResultsJson.max_bytes);
  const auto line = std::ranges::find(hashes.lines, "results.json", &HashLine::path);
  if (line == hashes.lines.end() || line->sha256 != sha256_hex(text))
    throw Error(ErrorKind::verification, path.string() + ": does not have the hash in sha256.txt");
  const Json json = parse_strict_json(text, path.string(), kResultsJson);
  const JsonPlace place(json, path.string());
  SiteRun run;
  run.key = sha256_hex(list_text);
  run.folder = bundle.string();
  run.id = place.at("run").at("id").text();
  run.planned = place.at("run").at("planned_cases").count();
  run.suite = text_at(json.at("run"), "suite");
  run.started_utc = text_at(json.at("run"), "started_utc");
  const auto environment = json.find("environment");
  if (environment != json.end() && environment->is_object()) {
    run.commit = text_at(environment->value("build", Json()), "commit");
    run.machine = text_at(environment->value("cpu", Json()), "model");
  }
  for (const JsonPlace& record : place.at("records").elements()) record.at("case").text();
  for (const Json& record : json.at("records")) run.cases.push_back(site_case(record));
  return run;
}

std::string site_line(const SiteRun& run) {
  Json cases = Json::array();
  for (const SiteCase& one : run.cases) {
    Json values = Json::array();
    for (const auto& value : one.values) values.push_back(value ? Json(*value) : Json(nullptr));
    cases.push_back({one.name, one.scene, one.method, one.status, std::move(values)});
  }
  const Json line = {{"key", run.key},         {"metrics", metrics_of_lines()},
                     {"folder", run.folder},   {"id", run.id},
                     {"suite", run.suite},     {"at", run.started_utc},
                     {"commit", run.commit},   {"machine", run.machine},
                     {"planned", run.planned}, {"cases", std::move(cases)}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SiteRun site_run_of(std::string_view line, const std::string& source) {
  const Json json = parse_strict_json(line, source, kMessageJson);
  const auto fail = [&] { return Error(ErrorKind::input, source + ": is no list of runs of a site"); };
  if (!json.is_object() || !json.contains("cases") || !json["cases"].is_array()) throw fail();
  if (text_at(json, "metrics") != metrics_of_lines()) throw fail();  // of a version that showed others
  SiteRun run;
  run.key = text_at(json, "key");
  run.folder = text_at(json, "folder");
  run.id = text_at(json, "id");
  run.suite = text_at(json, "suite");
  run.started_utc = text_at(json, "at");
  run.commit = text_at(json, "commit");
  run.machine = text_at(json, "machine");
  run.planned = static_cast<std::size_t>(number_at(json, "planned").value_or(0));
  for (const Json& one : json["cases"]) {
    const bool strings = one.is_array() && one.size() == 5 && one[0].is_string() && one[1].is_string() &&
                         one[2].is_string() && one[3].is_string() && one[4].is_array();
    if (!strings || one[4].size() != site_metrics().size()) throw fail();
    SiteCase found{one[0], one[1], one[2], one[3], {}};
    for (const Json& value : one[4])
      found.values.push_back(value.is_number() ? std::optional(value.get<double>()) : std::nullopt);
    run.cases.push_back(std::move(found));
  }
  return run;
}

}  // namespace aqbench
