#include "reports/content/guest_text.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

constexpr const char* kLoadStage = "load";
constexpr const char* kWholeStage = "external_command";

// Sum and number of the samples of a stage.
struct StageTime {
  double sum_ms = 0;
  std::size_t samples = 0;

  void add(const Record& record, std::string_view name) {
    for (const StageRecord& stage : record.stages)
      if (stage.name == name)
        for (const double wall_ms : stage.wall_ms) {
          sum_ms += wall_ms;
          ++samples;
        }
  }
  double mean_s() const { return sum_ms / static_cast<double>(samples) / 1000; }
};

std::string identity_text(const Guest& guest) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const auto& [name, sha256] : guest.files)
    add(fmt::format("{} {}", name, sha256.empty() ? "missing" : sha256.substr(0, 12)));
  if (!guest.runs_in.empty()) add(guest.runs_in);
  if (!guest.commit.empty()) add("commit " + commit_text(guest));
  return text;
}

}  // namespace

std::vector<std::string> guest_lines(const Results& results) {
  std::map<std::string, std::pair<StageTime, StageTime>> found;  // load and whole, by text
  for (const Record& record : results.records) {
    if (!record.guest) continue;
    auto& [load, whole] = found[fmt::format("{}: {}", record.method, identity_text(*record.guest))];
    load.add(record, kLoadStage);
    whole.add(record, kWholeStage);
  }
  std::vector<std::string> lines;
  for (const auto& [text, times] : found) {
    const auto& [load, whole] = times;
    lines.push_back(text);
    if (load.samples > 0 && whole.samples > 0)
      lines.back() += fmt::format("; loading takes {} s of {} s on average", table_number(load.mean_s()),
                                  table_number(whole.mean_s()));
  }
  return lines;
}

}  // namespace aqbench
