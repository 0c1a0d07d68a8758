#include "harness/records/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/json_members.h"
#include "core/parameters.h"
#include "core/text.h"
#include "harness/records/case_name.h"
#include "harness/records/number_columns.h"
#include "harness/records/number_table.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxNameBytes = 200;
constexpr std::int64_t kMaxCasesImported = 100'000;

// The lines of a table as records.
class NumberReader {
 public:
  NumberReader(const NumberTable& table, const NumberColumns& columns, const NumbersRequest& request)
      : table_(table), columns_(columns), request_(request), metrics_(columns.metrics) {}

  ImportedNumbers run() {
    for (std::size_t i = columns_.first_line; i < table_.lines.size(); ++i) take(table_.lines[i]);
    if (records_.empty()) throw input_error.of_file(request_.file, "has no line with numbers");
    ImportedNumbers numbers{{}, columns_.notes};
    note_missing(numbers.notes);
    for (auto& [name, record] : records_) {
      add_undefined(record);
      numbers.records.push_back(std::move(record));
    }
    return numbers;
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(const TableLine& line, const std::string& field, fmt::format_string<Args...> what,
                         Args&&... args) const {
    throw input_error("{}:{}: {}: {}", request_.file, line.number, field,
                      fmt::format(what, std::forward<Args>(args)...));
  }

  std::string title_of(std::size_t column) const { return one_line(columns_.titles.at(column)); }

  // The cell of a role; "" where no column has it.
  std::string cell(const TableLine& line, const std::optional<std::size_t>& column) const {
    return column ? line.cells.at(*column) : std::string();
  }

  void require_name(const TableLine& line, std::size_t column, const std::string& name) const {
    if (name.empty()) fail(line, title_of(column), "is empty");
    if (name.size() > kMaxNameBytes) fail(line, title_of(column), "is longer than {} bytes", kMaxNameBytes);
    if (printable(name) != name) fail(line, title_of(column), "'{}' has a control character", one_line(name));
    for (const char c : {'/', '='})
      if (name.find(c) != name.npos)
        fail(line, title_of(column), "'{}' must not contain '{}', which separates the parts of a case's name",
             one_line(name), c);
  }

  // Fills in scene, method, seed and name.
  void name_case(const TableLine& line, Record& record) const {
    record.method = request_.method.empty() ? kMethodOfNumbers : request_.method;
    if (columns_.whole_case) {
      const std::string whole = name_without_seed(cell(line, columns_.whole_case));
      const std::size_t slash = whole.find('/');
      record.scene = whole.substr(0, slash);
      if (slash != whole.npos) record.method = whole.substr(slash + 1);
      require_name(line, *columns_.whole_case, record.scene);
      require_name(line, *columns_.whole_case, record.method);
    } else {
      record.scene = cell(line, columns_.scene);
      require_name(line, *columns_.scene, record.scene);
      if (columns_.method) require_name(line, *columns_.method, record.method = cell(line, columns_.method));
    }
    record.case_name = record.scene + "/" + record.method;
    const std::string in_name = seed_in_name(cell(line, columns_.whole_case));
    if (!columns_.seed && in_name.empty()) return;
    if (columns_.seed && !in_name.empty())
      fail(line, title_of(*columns_.whole_case), "names a seed, and so does the column {}",
           title_of(*columns_.seed));
    const std::size_t column = columns_.seed ? *columns_.seed : *columns_.whole_case;
    const std::string text = columns_.seed ? cell(line, columns_.seed) : in_name;
    const auto seed = parse_double(text);
    constexpr double kMaxExactSeed = 9e15;
    if (!seed || *seed != std::floor(*seed) || *seed < 0 || *seed > kMaxExactSeed)
      fail(line, title_of(column), "'{}' is not a whole number from 0", one_line(text));
    record.axes = {{"seed", static_cast<std::int64_t>(*seed)}};
    record.case_name += fmt::format("/seed={}", static_cast<std::int64_t>(*seed));
  }

  void take(const TableLine& line) {
    if (line.cells.size() != columns_.titles.size())
      throw input_error("{}:{}: has {}, line {} has {}", request_.file, line.number,
                        counted(line.cells.size(), "field"), table_.lines.front().number,
                        columns_.titles.size());
    Record record;
    name_case(line, record);
    record.status = Status::ok;
    record.isolation = kNothingRan;
    const auto [place, is_new] = records_.try_emplace(record.case_name, std::move(record));
    if (is_new && records_.size() > kMaxCasesImported)
      throw input_error("{}:{}: more than {} cases", request_.file, line.number, kMaxCasesImported);
    if (columns_.value) return take_value(line, place->second, *columns_.value);
    for (std::size_t i = 0; i < metrics_.size(); ++i)
      add(line, place->second, metrics_[i], metrics_[i].column.value());
  }

  void take_value(const TableLine& line, Record& record, std::size_t column) {
    if (!columns_.metric) {
      if (columns_.unit || columns_.better) describe(line, metrics_.front());
      return add(line, record, metrics_.front(), column);
    }
    const std::string name = cell(line, columns_.metric);
    if (name.empty()) fail(line, title_of(*columns_.metric), "is empty");
    auto known = std::ranges::find(metrics_, name, &NumberMetric::name);
    if (known == metrics_.end()) {
      if (!request_.metrics.empty()) return note_unknown(name);
      known = metrics_.insert(known, NumberMetric{name, "", std::nullopt});
      if (const std::string why = unusable_metric_name(name); !why.empty())
        fail(line, title_of(*columns_.metric), "'{}' {}", one_line(name), why);
    }
    describe(line, *known);
    add(line, record, *known, column);
  }

  void note_unknown(const std::string& name) {
    if (unknown_.insert(name).second)
      columns_notes_.push_back(fmt::format("the metric {} is not imported", one_line(name)));
  }

  // Takes unit and direction from the line, where it has them; they must not change.
  void describe(const TableLine& line, NumberMetric& metric) const {
    const std::string unit = cell(line, columns_.unit), better = cell(line, columns_.better);
    const auto differs = [&](std::size_t column, const std::string& now, const std::string& before) {
      fail(line, title_of(column), "'{}' where {} had '{}'", one_line(now), one_line(metric.name), before);
    };
    if (!unit.empty()) {
      if (const std::string why = unknown_unit(unit); !why.empty())
        fail(line, title_of(*columns_.unit), "{}", why);
      if (!metric.unit.empty() && metric.unit != unit) differs(*columns_.unit, unit, metric.unit);
      metric.unit = unit;
    }
    if (!better.empty()) {
      const auto direction = better_named(better);
      if (!direction)
        fail(line, title_of(*columns_.better), "'{}' must be lower or higher", one_line(better));
      if (metric.better && metric.better != direction)
        differs(*columns_.better, better, to_string(*metric.better));
      metric.better = direction;
    }
    if (const std::string why = complete_metric(metric); !why.empty()) fail(line, metric.name, "{}", why);
  }

  void add(const TableLine& line, Record& record, const NumberMetric& metric, std::size_t column) {
    const std::string text = line.cells.at(column), field = title_of(column);
    std::size_t& earlier = lines_[{record.case_name, metric.name}];
    if (earlier > 0)
      fail(line, field, "{} {}: stands in line {} already", record.case_name, metric.name, earlier);
    earlier = line.number;
    Metric value{std::nullopt, metric.unit, metric.better.value(), ""};
    if (text.empty()) {
      value.reason = fmt::format("the cell is empty in line {} of {}", line.number, request_.file);
    } else {
      value.value = parse_double(text);
      if (!value.value) fail(line, field, "'{}' is not a number{}", one_line(text), decimal_comma_note(text));
      if (!std::isfinite(*value.value))
        fail(line, field, "'{}' is not a finite number; an empty cell is an undefined value", one_line(text));
      if (*value.value < metric.range.min || *value.value > metric.range.max)
        fail(line, field, "{} is not from {:g} to {:g}, as {} is", one_line(text), metric.range.min,
             metric.range.max, metric.name);
      *value.value += 0.0;  // -0 becomes 0
    }
    record.metrics.emplace_back(metric.name, std::move(value));
  }

  // Brings the metrics into one order; what no line of a case has is undefined.
  void add_undefined(Record& record) const {
    MetricSet ordered;
    for (const NumberMetric& metric : metrics_)
      if (const Metric* const found = find_metric(record.metrics, metric.name))
        ordered.emplace_back(metric.name, *found);
      else
        ordered.emplace_back(metric.name, Metric{std::nullopt, metric.unit, metric.better.value(),
                                                 fmt::format("no line of {} has it", request_.file)});
    record.metrics = std::move(ordered);
  }

  // Says how many combinations of scene, method and seed have no line.
  void note_missing(std::vector<std::string>& notes) const {
    notes.insert(notes.end(), columns_notes_.begin(), columns_notes_.end());
    std::set<std::string> scenes, methods, seeds;
    const auto seed_of = [](const Record& record) {
      return record.axes.empty() ? std::string() : "/seed=" + to_string(record.axes.front().second);
    };
    for (const auto& [name, record] : records_) {
      scenes.insert(record.scene);
      methods.insert(record.method);
      seeds.insert(seed_of(record));
    }
    const std::size_t all = scenes.size() * methods.size() * seeds.size();
    if (all == records_.size()) return;
    for (const std::string& scene : scenes)
      for (const std::string& method : methods)
        for (const std::string& seed : seeds)
          if (const std::string name = scene + "/" + method + seed; !records_.contains(name)) {
            notes.push_back(
                fmt::format("{} of {} combinations of scene, method and seed have no line, first {}",
                            all - records_.size(), all, name));
            return;
          }
  }

  const NumberTable& table_;
  const NumberColumns& columns_;
  const NumbersRequest& request_;
  std::vector<NumberMetric> metrics_;
  std::map<std::string, Record> records_;                             // by case
  std::map<std::pair<std::string, std::string>, std::size_t> lines_;  // by case and metric
  std::set<std::string> unknown_;
  std::vector<std::string> columns_notes_;
};

}  // namespace

ImportedNumbers read_numbers(std::string_view text, const NumbersRequest& request) {
  const NumberTable table = read_number_table(text, request.file);
  if (table.lines.empty()) throw input_error.of_file(request.file, "is empty");
  return NumberReader(table, find_columns(table, request), request).run();
}

Json effective_json(const ImportedNumbers& numbers, const NumbersRequest& request) {
  std::set<std::string> scenes, methods;
  std::set<std::int64_t> seeds;
  Json definitions = Json::object();
  for (const Record& record : numbers.records) {
    scenes.insert(record.scene);
    methods.insert(record.method);
    if (!record.axes.empty()) seeds.insert(std::get<std::int64_t>(record.axes.front().second));
  }
  for (const auto& [name, metric] : numbers.records.front().metrics)
    definitions[name] = fmt::format("imported from {}", request.file);
  return {{"scenes", scenes},
          {"methods", methods},
          {"seeds", seeds},
          {"cases", numbers.records.size()},
          {"definitions", std::move(definitions)}};
}

Json requested_json(const NumbersRequest& request) {
  return {{"numbers", JsonOf<NumbersRequest>::write(request)}};
}

NumbersRequest numbers_request(const Json& requested, const std::string& source) {
  const JsonPlace root(requested, source);
  root.allow_only({"numbers"});
  return from_json<NumbersRequest>(root.at("numbers"));
}

std::vector<std::string> eval_words(const Json& requested) {
  std::vector<std::string> words = {"aqbench", "eval"};
  for (const Json& word : requested.at(kEvalRequest))
    words.push_back(word.is_string() ? word.get<std::string>() : word.dump());
  return words;
}

std::string numbers_source(const Json& requested) {
  if (!requested.is_object()) return {};
  if (requested.contains(kEvalRequest))
    return one_line(fmt::format("{}", fmt::join(eval_words(requested), " ")), 100);
  if (!requested.contains("numbers")) return {};
  const NumbersRequest request = numbers_request(requested, "run.requested");
  return fmt::format("numbers of {}, sha256 {}", one_line(request.file), request.sha256.substr(0, 12));
}

}  // namespace aqbench
