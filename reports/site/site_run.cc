#include "reports/site/site_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/quantiles.h"
#include "core/sha256.h"
#include "harness/ab/benchmark_file.h"
#include "harness/records/load.h"
#include "metrics/protocols/asked_protocols.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/case_columns.h"

namespace aqbench {
namespace {

HashList read_hashes(const std::string& text, const std::filesystem::path& bundle) {
  HashList list = parse_hash_list(text);
  if (!list.problems.empty())
    throw Error(ErrorKind::verification,
                fmt::format("{}: {}", (bundle / kHashListName).string(), list.problems.front()));
  return list;
}

[[noreturn]] void fail_at(const std::string& source, std::string_view what) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", source, what), source);
}

constexpr const char* kTimeName = "time_ms";
constexpr const char* kCpuName = "cpu_ms";

// The metrics of a site, and their places.
struct SiteMetrics {
  std::vector<SiteMetric> all;
  std::size_t columns = 0;
  std::unordered_map<std::string, std::size_t> places;

  explicit SiteMetrics(const std::vector<SiteMetric>& imported) {
    constexpr double kTolerances_mm[] = {0.5, 1, 2, 5, 10, 20, 50, 100};
    for (const MetricColumn& column : all_columns(kTolerances_mm)) {
      const MetricSpec spec = spec_of(column);
      add({column.metric, column.title, spec.definition, spec.unit, spec.better});
    }
    columns = all.size();
    for (const ProtocolMetric& metric : headline_protocol_metrics())
      add({metric.name, metric.title, metric.definition, metric.unit, metric.better});
    for (const SiteMetric& metric : imported) add(metric);
    add({kCpuName, "CPU time [ms]", "median of the CPU time of the warm runs", "ms", Better::lower});
    add({kTimeName, "time [ms]", "median of the warm runs, or the cold run where there are none", "ms",
         Better::lower});
  }
  void add(SiteMetric metric) {
    if (places.emplace(metric.name, all.size()).second) all.push_back(std::move(metric));
  }
};

SiteMetrics& metrics_of_site() {
  static SiteMetrics metrics({});
  return metrics;
}

// The place of a metric in site_metrics().
std::optional<std::size_t> place_of(const std::string& metric) {
  const auto& places = metrics_of_site().places;
  const auto found = places.find(metric);
  return found == places.end() ? std::nullopt : std::optional(found->second);
}

// Returns a short hash of names with values, "" for none.
std::string short_hash(const std::string& items) {
  return items.empty() ? std::string() : sha256_hex(items).substr(0, 12);
}

// Takes from results.json what a site keeps, and passes over the rest: a document of 100 cases has 10 000
// values, and a site keeps 1 500 of them. A kept key that occurs twice is refused.
class ResultsVisitor : public JsonVisitor {
 public:
  explicit ResultsVisitor(std::string source) : source_(std::move(source)) {}

  void open(bool is_array) override {
    if (keys_[1] == "records" && ((depth_ == 1 && !is_array) || (depth_ == 2 && is_array))) fail_records();
    if (depth_ == 2 && keys_[1] == "records") record_ = {};
    if (depth_ == 4 && is_record() && keys_[3] == "injected" && !is_array) record_.is_injected = true;
    ++depth_;
    if (depth_ < kDepth) keys_[depth_].clear();
  }
  void close() override {
    --depth_;
    if (depth_ == 2 && keys_[1] == "records") finish_record();
  }
  void key(std::string_view name) override {
    if (depth_ < kDepth) keys_[depth_] = name;
    if (depth_ == 1 && !parts_.emplace(name).second) fail_at(source_, fmt::format("{} occurs twice", name));
  }
  void text(std::string_view value) override {
    check_place();
    add_item(value);
    std::optional<std::string>* const slot = text_slot();
    if (slot == nullptr) return;
    if (*slot) fail_at(source_, keys_[depth_] + " occurs twice");
    *slot = value;
  }
  void number(double value) override {
    check_place();
    add_item(fmt::format("{}", value));
    if (is_timing()) add_time(value);
    if (depth_ == 3 && keys_[1] == "environment" && keys_[2] == "comparability" && value >= 0)
      environment_["comparability"][keys_[3]] = static_cast<std::size_t>(value);
    std::optional<double>* const slot = number_slot();
    if (slot == nullptr) return;
    if (*slot) fail_at(source_, keys_[depth_] + " occurs twice");
    *slot = value;
  }
  void other() override {
    check_place();
    add_item("null");
  }

  // Returns the run. Throws where what every results.json has is missing.
  SiteRun take() {
    if (!id_) fail_at(source_, "run.id: expected a text");
    if (!planned_ || !(*planned_ >= 0 && *planned_ <= kMaxSiteCases))
      fail_at(source_, "run.planned_cases: expected a count");
    if (!parts_.contains("records")) fail_at(source_, "records: expected an array");
    run_.id = *id_;
    run_.planned = static_cast<std::size_t>(*planned_);
    run_.suite = suite_.value_or("");
    run_.started_utc = started_.value_or("");
    run_.commit = commit_.value_or("");
    run_.machine = machine_.value_or("");
    run_.folder_commit = folder_commit_.value_or("");
    if (guest_commits_.size() == 1) run_.folder_commit = *guest_commits_.begin();
    run_.comparable = short_hash(comparable_);
    return std::move(run_);
  }

 private:
  struct RecordParts {
    std::optional<std::string> name, scene, method, preset, workload, status, guest_commit;
    std::vector<std::optional<double>> values = std::vector<std::optional<double>>(site_metrics().size());
    Timing timing;  // as far as it says which time counts
    std::optional<double> cold_ms;
    std::string options;  // a line each
    bool is_injected = false;
  };
  static constexpr std::size_t kDepth = 8;

  [[noreturn]] void fail_records() const { fail_at(source_, "records: expected an array of objects"); }

  // keys_[d] is the last key of the container at depth d; records[i] is the object at depth 3.
  bool is_record() const { return depth_ >= 3 && keys_[1] == "records"; }
  void check_place() const {
    if (depth_ == 2 && keys_[1] == "records") fail_records();
  }
  // Keeps what decides whether two runs can be compared: a record's options, and the environment's key.
  void add_item(std::string_view value) {
    std::string* const items = depth_ == 4 && is_record() && keys_[3] == "options" ? &record_.options
                               : depth_ == 3 && keys_[1] == "environment" && keys_[2] == "comparability"
                                   ? &comparable_
                                   : nullptr;
    if (items != nullptr) items->append(keys_[depth_]).append("=").append(value).append("\n");
  }
  bool is_timing() const { return is_record() && keys_[3] == "timing"; }

  // Takes a number of the times: of warm runs, and of the details their CPU times, loads and threads.
  void add_time(double value) {
    const bool details = keys_[4] == "details";
    if (depth_ == 5 && keys_[4] == "warm_ms") record_.timing.warm_ms.push_back(value);
    if (depth_ == 6 && details && keys_[5] == "cpu_ms") record_.timing.cpu_ms.push_back(value);
    if (depth_ >= 6 && details && keys_[5] == "threads")
      record_.timing.threads.emplace_back("", static_cast<std::int64_t>(value));
    if (depth_ == 7 && details && keys_[5] == "blocks" && keys_[7] == "load_1m")
      record_.timing.blocks.emplace_back().load_1m = value;
  }

  std::optional<std::string>* text_slot() {
    const std::string& name = depth_ < kDepth ? keys_[depth_] : keys_[0];
    if (depth_ == 3 && is_record()) {
      if (name == "case") return &record_.name;
      if (name == "scene") return &record_.scene;
      if (name == "method") return &record_.method;
      if (name == "preset") return &record_.preset;
      if (name == "workload") return &record_.workload;
      if (name == "status") return &record_.status;
    } else if (depth_ == 4 && is_record() && keys_[3] == "guest") {
      if (name == "commit") return &record_.guest_commit;
    } else if (depth_ == 2 && keys_[1] == "run") {
      if (name == "id") return &id_;
      if (name == "suite") return &suite_;
      if (name == "started_utc") return &started_;
    } else if (depth_ == 3 && keys_[1] == "environment") {
      if (keys_[2] == "build" && name == "commit") return &commit_;
      if (keys_[2] == "cpu" && name == "model") return &machine_;
      if (keys_[2] == "working_directory_git" && name == "commit") return &folder_commit_;
    }
    return nullptr;
  }

  std::optional<double>* number_slot() {
    if (depth_ == 2 && keys_[1] == "run" && keys_[2] == "planned_cases") return &planned_;
    if (depth_ == 4 && is_timing() && keys_[4] == "cold_ms") return &record_.cold_ms;
    if (depth_ != 5 || !is_record() || keys_[3] != "metrics" || keys_[5] != "value") return nullptr;
    const auto place = place_of(keys_[4]);
    return place ? &record_.values[*place] : nullptr;
  }

  void finish_record() {
    if (!record_.name) fail_at(source_, fmt::format("records[{}].case: expected a text", run_.cases.size()));
    SiteCase one{std::move(*record_.name),    record_.scene.value_or(""), record_.method.value_or(""),
                 record_.status.value_or(""), std::move(record_.values),  short_hash(record_.options)};
    if (record_.preset && !record_.preset->empty()) one.method += ":" + *record_.preset;
    if (one.method.empty()) one.method = record_.workload.value_or("");
    Record timed;  // the environment stands before the records
    timed.case_name = one.name;
    timed.timing = std::move(record_.timing);
    one.loaded = is_better_by_cpu(timed, environment_);
    const std::vector<double>&warm_ms = timed.timing.warm_ms, &cpu_ms = timed.timing.cpu_ms;
    // As typical_ms().
    one.values[site_time_place()] = warm_ms.empty() ? record_.cold_ms : std::optional(median_of(warm_ms));
    if (!cpu_ms.empty()) one.values[site_cpu_place()] = median_of(cpu_ms);
    if (!names_.insert(one.name).second)
      fail_at(source_, fmt::format("records: case {} occurs twice", one.name));
    if (record_.guest_commit) guest_commits_.insert(*record_.guest_commit);
    run_.injected += record_.is_injected ? 1 : 0;
    run_.cases.push_back(std::move(one));
  }

  std::string source_;
  std::size_t depth_ = 0;  // containers that are open
  std::array<std::string, kDepth> keys_;
  std::set<std::string, std::less<>> parts_;  // of the document
  std::unordered_set<std::string> names_;     // of the cases
  std::set<std::string> guest_commits_;       // of the repositories of the user's programs
  std::optional<std::string> id_, suite_, started_, commit_, machine_, folder_commit_;
  std::string comparable_;             // a line each
  Json environment_ = Json::object();  // the counts of its comparability
  std::optional<double> planned_;
  RecordParts record_;
  SiteRun run_;
};

// Throws Error(verification) unless sha256.txt names this text of results.json.
void require_listed(const std::filesystem::path& bundle, const std::string& text) {
  const HashList hashes = read_hashes(read_text_file(bundle / kHashListName, kMaxHashListBytes), bundle);
  const auto line = std::ranges::find(hashes.lines, "results.json", &HashLine::path);
  if (line == hashes.lines.end() || line->sha256 != sha256_hex(text))
    throw Error(ErrorKind::verification,
                (bundle / "results.json").string() + ": does not have the hash in sha256.txt");
}

}  // namespace

const std::vector<SiteMetric>& site_metrics() { return metrics_of_site().all; }

std::size_t site_columns() { return metrics_of_site().columns; }

void find_imported_metrics(const std::vector<std::filesystem::path>& bundles) {
  std::vector<SiteMetric> imported;
  for (const std::filesystem::path& bundle : bundles) try {
      if (!is_file(bundle / kNumbersName)) continue;
      for (const Record& record : read_results(bundle / "results.json").records)
        for (const auto& [name, metric] : record.metrics)
          if (std::ranges::find(imported, name.text(), &SiteMetric::name) == imported.end())
            imported.push_back(
                {name,
                 metric.unit == "1" ? name.text() : fmt::format("{} [{}]", name.text(), metric.unit.text()),
                 "imported from another harness", metric.unit, metric.better});
    } catch (const Error&) {
      continue;  // reading it names what is wrong
    }
  metrics_of_site() = SiteMetrics(imported);
}

std::size_t site_time_place() { return place_of(kTimeName).value(); }
std::size_t site_cpu_place() { return place_of(kCpuName).value(); }

bool is_of_other_tool(const std::filesystem::path& bundle) {
  return bundle.filename() == "criterion" || is_file(bundle);
}

std::string site_key(const std::filesystem::path& bundle) {
  if (is_of_other_tool(bundle)) return sha256_hex(results_text(results_of_benchmarks(bundle)));
  return sha256_hex(read_text_file(bundle / kHashListName, kMaxHashListBytes));
}

SiteRun read_site_run(const std::filesystem::path& bundle) {
  const bool other_tool = is_of_other_tool(bundle);
  const std::filesystem::path path = other_tool ? bundle : bundle / "results.json";
  std::string text =
      other_tool ? results_text(results_of_benchmarks(bundle)) : read_text_file(path, kResultsJson.max_bytes);
  if (!other_tool) require_listed(bundle, text);
  if (const auto of_b = other_tool ? std::nullopt : comparison_in_history(bundle)) text = results_text(*of_b);
  ResultsVisitor visitor(path.string());
  scan_json(text, path.string(), kResultsJson, visitor);
  SiteRun run = visitor.take();
  run.key = site_key(bundle);
  run.folder = bundle.string();
  return run;
}

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
      if (one.values[i])
        record.metrics.emplace_back(site_metrics()[i].name, Metric{one.values[i], site_metrics()[i].unit,
                                                                   site_metrics()[i].better, ""});
    results.records.push_back(std::move(record));
  }
  return results;
}

}  // namespace aqbench
