#include "reports/html/stage_bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

// Colours that people with colour vision deficiency tell apart (Okabe and Ito).
constexpr std::array kPalette = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
                                 "#d55e00", "#f0e442", "#7f7f7f", "#8c6bb1", "#41ab5d"};

}  // namespace

std::string time_text(double ms) {
  if (ms < 1000) return table_number(ms) + " ms";
  return ms < 600'000 ? table_number(ms / 1000) + " s" : table_number(ms / 60'000) + " min";
}

std::string StageBar::text(const TimeUnit& unit) const {
  std::string text = table_number(total / unit.ms) + " " + unit.name;
  for (const std::string& name : unknown) text += ", " + name + " n/a";
  return text;
}

std::vector<StageBar> stage_bars(const std::vector<CaseGroup>& groups, std::vector<std::string>& names) {
  std::vector<StageBar> bars;
  for (const CaseGroup& group : groups) {
    StageBar bar{group, {}, {}, 0};
    const auto ok = static_cast<double>(ok_count(group));
    for (const Record* record : group.records)
      if (record->status == Status::ok)
        for (const StageRecord& stage : record->stages)
          if (stage.self_ms.empty() && std::ranges::find(bar.unknown, stage.name) == bar.unknown.end())
            bar.unknown.push_back(stage.name);
    for (const Record* record : group.records) {
      if (record->status != Status::ok) continue;
      for (const StageRecord& stage : record->stages) {
        if (std::ranges::find(bar.unknown, stage.name) != bar.unknown.end()) continue;
        const double ms = summarize(stage.self_ms).median.value() / ok;
        const auto known = std::ranges::find(bar.stages, stage.name, &std::pair<std::string, double>::first);
        if (known == bar.stages.end())
          bar.stages.emplace_back(stage.name, ms);
        else
          known->second += ms;
        bar.total += ms;
        if (std::ranges::find(names, stage.name) == names.end()) names.push_back(stage.name);
      }
    }
    if (bar.total > 0 || !bar.unknown.empty()) bars.push_back(std::move(bar));
  }
  return bars;
}

std::vector<std::string> stage_names(const std::vector<CaseGroup>& groups) {
  std::vector<std::string> names;
  stage_bars(groups, names);
  return names;
}

// After the palette come its colours mixed with white, then with black.
std::string stage_fill(const std::vector<std::string>& names, const std::string& name) {
  const auto index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  const int rgb = std::stoi(std::string(kPalette[index % kPalette.size()]).substr(1), nullptr, 16);
  const std::size_t round = index / kPalette.size();
  const auto mixed = [&](int shift) {
    const int part = rgb >> shift & 0xff;
    return round % 3 == 0 ? part : round % 3 == 1 ? (part + 255) / 2 : part / 2;
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(16), mixed(8), mixed(0));
}

}  // namespace aqbench
