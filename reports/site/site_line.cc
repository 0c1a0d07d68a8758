// A run as one line of the site's list, data/runs.jsonl.

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "reports/site/site_run.h"

namespace aqbench {
namespace {

// What a line of this version has, and the names of the metrics, in the order of its values.
std::string metrics_of_lines() {
  std::string names = "3:";
  for (const SiteMetric& metric : site_metrics()) {
    names += ' ';
    names += metric.name;
  }
  return names;
}

// Reads what site_line() writes.
class LineVisitor : public JsonVisitor {
 public:
  explicit LineVisitor(std::string source) : source_(std::move(source)) {}

  void open(bool is_array) override {
    ++depth_;
    if ((depth_ == 1) == is_array) fail();
    if (depth_ == 3) run_.cases.emplace_back();
    if (depth_ > 4 || (depth_ == 4 && place_ != 5) || (depth_ > 1 && key_ != "cases")) fail();
    if (depth_ == 3 || depth_ == 4) place_ = 0;
    has_cases_ = has_cases_ || depth_ == 2;
  }
  void close() override {
    if (depth_ == 4 && place_ != site_metrics().size()) fail();
    if (depth_ == 3 && (run_.cases.back().values.empty() || place_ != site_metrics().size())) fail();
    --depth_;
  }
  void key(std::string_view name) override { key_ = name; }
  void text(std::string_view value) override {
    if (depth_ == 3) return case_text(value);
    if (depth_ != 1) fail();
    for (const auto& [name, slot] : {std::pair<const char*, std::string*>{"key", &run_.key},
                                     {"folder", &run_.folder},
                                     {"id", &run_.id},
                                     {"suite", &run_.suite},
                                     {"at", &run_.started_utc},
                                     {"commit", &run_.commit},
                                     {"machine", &run_.machine},
                                     {"folder_commit", &run_.folder_commit},
                                     {"comparable", &run_.comparable},
                                     {"gate", &gate_.text},
                                     {"metrics", &metrics_}})
      if (key_ == name) *slot = value;
  }
  void number(double value) override {
    if (depth_ == 2 || depth_ == 3 || (depth_ == 1 && !(value >= 0 && value <= kMaxSiteCases))) fail();
    if (depth_ == 1 && key_ == "planned") run_.planned = static_cast<std::size_t>(value);
    if (depth_ == 1 && key_ == "injected") run_.injected = static_cast<std::size_t>(value);
    if (depth_ == 1 && key_ == "gate_passes") gate_.passes = value > 0;
    if (depth_ == 4) add(value);
  }
  void other() override {
    if (depth_ != 4) fail();
    add(std::nullopt);
  }

  SiteRun take() {
    if (!has_cases_ || run_.key.empty()) fail();
    if (metrics_ != metrics_of_lines()) fail();  // of a version that showed others
    std::unordered_set<std::string_view> names;
    for (const SiteCase& one : run_.cases)
      if (!names.insert(one.name).second) fail();
    if (!gate_.text.empty()) run_.gate = gate_;
    return std::move(run_);
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::input, source_ + ": is not a list of the runs of a site", source_);
  }
  void add(std::optional<double> value) {
    if (++place_ > site_metrics().size()) fail();
    run_.cases.back().values.push_back(value);
  }
  void case_text(std::string_view value) {
    SiteCase& one = run_.cases.back();
    std::string* const slots[] = {&one.name, &one.scene, &one.method, &one.status, &one.options};
    if (place_ >= std::size(slots)) fail();
    *slots[place_++] = value;
  }

  std::string source_, key_, metrics_;
  std::size_t depth_ = 0, place_ = 0;
  bool has_cases_ = false;
  SiteGate gate_;
  SiteRun run_;
};

}  // namespace

std::string site_line(const SiteRun& run) {
  Json cases = Json::array();
  for (const SiteCase& one : run.cases) {
    Json values = Json::array();
    for (const auto& value : one.values) values.push_back(value ? Json(*value) : Json(nullptr));
    cases.push_back({one.name, one.scene, one.method, one.status, one.options, std::move(values)});
  }
  const Json line = {{"key", run.key},
                     {"metrics", metrics_of_lines()},
                     {"folder", run.folder},
                     {"id", run.id},
                     {"suite", run.suite},
                     {"at", run.started_utc},
                     {"commit", run.commit},
                     {"machine", run.machine},
                     {"folder_commit", run.folder_commit},
                     {"comparable", run.comparable},
                     {"planned", run.planned},
                     {"injected", run.injected},
                     {"gate", run.gate ? run.gate->text : ""},
                     {"gate_passes", run.gate && run.gate->passes ? 1 : 0},
                     {"cases", std::move(cases)}};
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

SiteRun site_run_of(std::string_view line, const std::string& source) {
  LineVisitor visitor(source);
  scan_json(line, source, kMessageJson, visitor);
  return visitor.take();
}

}  // namespace aqbench
