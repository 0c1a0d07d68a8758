#include "harness/records/number_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"

namespace aqbench {
namespace {

using Role = std::optional<std::size_t> NumberColumns::*;
constexpr std::pair<std::string_view, Role> kRoles[] = {
    {"case", &NumberColumns::whole_case}, {"scene", &NumberColumns::scene},
    {"method", &NumberColumns::method},   {"seed", &NumberColumns::seed},
    {"metric", &NumberColumns::metric},   {"value", &NumberColumns::value},
    {"unit", &NumberColumns::unit},       {"better", &NumberColumns::better}};

// What one entry of --columns says: the role or metric, and the header of its column.
struct Entry {
  std::string what, header;
};

// Words for no value are none of a header.
bool is_word(const std::string& cell) {
  constexpr std::string_view kNoValues[] = {"na", "n/a", "null", "none", "missing", "failed"};
  const bool begins_so = !cell.empty() && (std::isalpha(static_cast<unsigned char>(cell[0])) != 0 ||
                                           static_cast<unsigned char>(cell[0]) >= 0x80);
  return begins_so && !parse_double(cell) &&
         std::ranges::find(kNoValues, lower_case(cell)) == std::end(kNoValues);
}

NumberMetric metric_of(const std::string& text) {
  const auto parts = split_at(text, ':');
  NumberMetric metric{std::string(parts[0]), "", std::nullopt};
  if (parts.size() > 3) throw usage_error("--metric '{}': expected NAME[:UNIT[:BETTER]]", text);
  if (const std::string why = unusable_metric_name(metric.name); !why.empty())
    throw usage_error("--metric '{}': the name {}", text, why);
  if (parts.size() > 1 && !parts[1].empty()) {
    metric.unit = parts[1];
    if (const std::string why = unknown_unit(metric.unit); !why.empty())
      throw usage_error("--metric '{}': {}", text, why);
  }
  if (parts.size() > 2 && !parts[2].empty()) {
    metric.better = better_named(parts[2]);
    if (!metric.better) throw usage_error("--metric '{}': better must be lower or higher", text);
  }
  return metric;
}

class ColumnFinder {
 public:
  ColumnFinder(const NumberTable& table, const NumbersRequest& request) : table_(table), request_(request) {
    for (const std::string& text : request.metrics) {
      const NumberMetric metric = metric_of(text);
      if (std::ranges::find(found_.metrics, metric.name, &NumberMetric::name) != found_.metrics.end())
        throw usage_error("--metric '{}': is given twice", metric.name);
      found_.metrics.push_back(metric);
    }
  }

  NumberColumns run() {
    place_entries();
    check_roles();
    const bool lines_describe = found_.metric || found_.unit || found_.better;
    for (NumberMetric& metric : found_.metrics) {
      if (!found_.value && !metric.column)
        throw usage_error("--metric '{}': {} has no such column", metric.name, request_.file);
      if (lines_describe) continue;
      if (const std::string why = complete_metric(metric); !why.empty())
        throw usage_error("--metric '{}': {}", metric.name, why);
    }
    return std::move(found_);
  }

 private:
  std::size_t first_number() const { return table_.lines.front().number; }

  std::vector<Entry> entries() const {
    std::vector<Entry> entries;
    for (const std::string& text : request_.columns) {
      const std::size_t equals = text.find('=');
      entries.push_back({text.substr(0, equals), text.substr(equals == text.npos ? 0 : equals + 1)});
    }
    return entries;
  }

  // The column of this name, whether or not upper and lower case differ.
  std::optional<std::size_t> named(const std::vector<std::string>& header, const std::string& name) const {
    for (const bool exact : {true, false}) {
      const auto is_it = [&](const std::string& one) {
        return exact ? one == name : lower_case(one) == lower_case(name);
      };
      const auto count = std::ranges::count_if(header, is_it);
      if (count > 1)
        throw input_error("{}:{}: {} columns are called '{}'", request_.file, first_number(), count,
                          one_line(name));
      if (count == 1) return static_cast<std::size_t>(std::ranges::find_if(header, is_it) - header.begin());
    }
    return std::nullopt;
  }

  void place(const std::string& what, std::size_t column) {
    const auto* const role = std::ranges::find(kRoles, what, &std::pair<std::string_view, Role>::first);
    const auto metric = std::ranges::find(found_.metrics, what, &NumberMetric::name);
    if (role == std::end(kRoles) && metric == found_.metrics.end())
      throw usage_error(
          "--columns: '{}' is neither case, scene, method, seed, metric, value, unit, better nor a --metric; "
          "- passes over a column",
          what);
    std::optional<std::size_t>& slot = role != std::end(kRoles) ? found_.*(role->second) : metric->column;
    if (slot) throw usage_error("--columns: '{}' stands twice", what);
    slot = column;
  }

  // Takes all columns whose names say what they are.
  void place_by_header(const std::vector<std::string>& header) {
    for (const auto& [name, role] : kRoles)
      if (const auto column = named(header, std::string(name))) found_.*role = column;
    for (NumberMetric& metric : found_.metrics)
      if (!found_.value) metric.column = named(header, metric.name);
    if (found_.whole_case) found_.scene = found_.method = std::nullopt;  // it says both
    if (found_.whole_case || found_.scene) return;
    throw input_error("{}:{}: no column is called scene or case; --columns says what each is", request_.file,
                      first_number());
  }

  void place_entries() {
    const bool json = !table_.names.empty();
    const std::vector<std::string>& first = json ? table_.names : table_.lines.front().cells;
    found_.titles = first;
    found_.first_line = json ? 0 : 1;
    const std::vector<Entry> wanted = entries();
    if (wanted.empty()) return place_by_header(first), note_unused();
    std::vector<std::optional<std::size_t>> columns;
    bool some = false, all = true, by_name = json;
    for (const Entry& entry : wanted) {
      columns.push_back(entry.what == "-" ? std::nullopt : named(first, entry.header));
      some = some || columns.back();
      all = all && (columns.back() || entry.what == "-");
      by_name = by_name || entry.what != entry.header;
    }
    if (all && some) by_name = std::ranges::none_of(wanted, [](const Entry& e) { return e.what == "-"; });
    if (!by_name) return place_in_order(wanted, first);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!columns[i])
        throw input_error("{}:{}: no column is called '{}'", request_.file, first_number(),
                          one_line(wanted[i].header));
      place(wanted[i].what, *columns[i]);
    }
    note_unused();
  }

  void place_in_order(const std::vector<Entry>& wanted, const std::vector<std::string>& first) {
    if (wanted.size() != first.size())
      throw input_error("{}:{}: has {}, --columns names {}", request_.file, first_number(),
                        counted(first.size(), "field"), wanted.size());
    bool any_number = false, words = true;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].what == "-") continue;
      place(wanted[i].what, i);
      const bool is_metric =
          std::ranges::find(found_.metrics, wanted[i].what, &NumberMetric::name) != found_.metrics.end();
      if (!is_metric && wanted[i].what != "seed" && wanted[i].what != "value") continue;
      any_number = true;
      words = words && is_word(first[i]);
    }
    if (any_number && words) {
      found_.notes.push_back(fmt::format("line {} is taken as a header: {}", first_number(),
                                         one_line(fmt::format("{}", fmt::join(first, ", ")))));
      return;
    }
    found_.first_line = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) found_.titles[i] = wanted[i].what;
  }

  void note_unused() {
    std::set<std::size_t> used;
    for (const auto& [name, role] : kRoles)
      if (found_.*role) used.insert(*(found_.*role));
    for (const NumberMetric& metric : found_.metrics)
      if (metric.column) used.insert(*metric.column);
    std::vector<std::string> unused;
    for (std::size_t i = 0; i < found_.titles.size(); ++i)
      if (!used.contains(i)) unused.push_back(found_.titles[i].empty() ? "(no name)" : found_.titles[i]);
    if (!unused.empty())
      found_.notes.push_back(
          one_line(fmt::format("columns that are not imported: {}", fmt::join(unused, ", "))));
  }

  void check_roles() const {
    if (!found_.whole_case && !found_.scene) throw usage_error("--columns: needs scene or case");
    if (found_.whole_case && (found_.scene || found_.method))
      throw usage_error("--columns: case is SCENE/METHOD or a scene; give it, or scene and method");
    if (!found_.value && (found_.metric || found_.unit || found_.better))
      throw usage_error("--columns: metric, unit and better need value");
    if (found_.method && !request_.method.empty())
      throw usage_error("--method: the column '{}' names methods", found_.titles[*found_.method]);
    if (request_.method.find_first_of("/=") != std::string::npos)
      throw usage_error("--method '{}': must not contain / or =", request_.method);
    if (found_.metric) return;
    if (found_.metrics.empty()) throw usage_error("--metric NAME:UNIT:BETTER is missing");
    if (found_.value && found_.metrics.size() > 1)
      throw usage_error(
          "--metric: the column value has one metric; a column metric says which each line has");
  }

  const NumberTable& table_;
  const NumbersRequest& request_;
  NumberColumns found_;
};

// Returns the spec of a metric that aqbench computes itself.
std::optional<MetricSpec> registered(std::string_view name) {
  const auto found = std::ranges::find(metric_registry(), name, &MetricSpec::name);
  return found == metric_registry().end() ? std::nullopt : std::optional(*found);
}

}  // namespace

NumberColumns find_columns(const NumberTable& table, const NumbersRequest& request) {
  return ColumnFinder(table, request).run();
}

std::string unusable_metric_name(std::string_view name) {
  constexpr std::size_t kMaxBytes = 60;
  const auto usable = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-.@+").find(c) != std::string_view::npos;
  };
  if (!name.empty() && name.size() <= kMaxBytes && std::ranges::all_of(name, usable)) return {};
  return fmt::format("must be letters, digits and any of _ - . @ +, at most {}", kMaxBytes);
}

std::string unknown_unit(const std::string& unit) {
  static const std::vector<std::string> known = {
      "1",   "%", "dB",     "mm",     "cm",    "m", "um", "km", "px",  "deg", "rad", "s", "ms",
      "min", "h", "points", "images", "count", "B", "MB", "GB", "MiB", "GiB", "fps", "J", "W"};
  if (std::ranges::find(known, unit) != known.end()) return {};
  return unknown_name_message("unit", unit, known) + " (1: a number without unit)";
}

std::optional<Better> better_named(std::string_view text) {
  return text == "lower"    ? std::optional(Better::lower)
         : text == "higher" ? std::optional(Better::higher)
                            : std::nullopt;
}

std::string complete_metric(NumberMetric& metric) {
  if (const auto known = registered(metric.name)) {
    if (!metric.unit.empty() && metric.unit != known->unit)
      return fmt::format("the unit of {} is {}", metric.name, known->unit);
    if (metric.better && metric.better != known->better)
      return fmt::format("of {} {} is better", metric.name, to_string(known->better));
    metric.unit = known->unit;
    metric.better = known->better;
    metric.range = known->range;
    return {};
  }
  if (metric.unit.empty()) return "its unit is missing: NAME:UNIT:BETTER, 1 for a number without unit";
  if (!metric.better) return "its direction is missing: say whether lower or higher is better";
  return {};
}

}  // namespace aqbench
