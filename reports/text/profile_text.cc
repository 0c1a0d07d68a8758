#include "reports/text/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "core/json.h"
#include "core/table.h"
#include "core/text.h"
#include "reports/content/case_groups.h"

namespace aqbench {
namespace {

// A stage as a row: where it stands in the tree.
struct TreeRow {
  const StageRecord* stage;
  std::size_t depth;
};

void add_children(const std::vector<StageRecord>& stages, const std::string& parent, bool other_thread,
                  std::size_t depth, std::set<const StageRecord*>& shown, std::vector<TreeRow>& rows) {
  for (const StageRecord& stage : stages) {
    if (stage.parent != parent || stage.other_thread != other_thread || !shown.insert(&stage).second)
      continue;
    rows.push_back({&stage, depth});
    if (stage.name != parent) add_children(stages, stage.name, other_thread, depth + 1, shown, rows);
  }
}

// Children below their parents, in the order in which they ran. Those of other threads come last.
std::vector<TreeRow> tree_rows(const std::vector<StageRecord>& stages) {
  std::set<const StageRecord*> shown;
  std::vector<TreeRow> rows;
  for (const bool other_thread : {false, true}) add_children(stages, "", other_thread, 0, shown, rows);
  return rows;
}

// Times of the table add up to some 1e-12 ms.
std::string fixed_ms_text(double ms) { return std::abs(ms) < 0.005 ? "0" : table_number(ms); }

// Each stage has a sample of each run (read_profiled_case()).
double shown_sample(const std::vector<double>& samples, const ProfileDetails& details) {
  return samples.at(details.shown);
}

std::vector<TableCell> stage_row(const TreeRow& row, const ProfiledCase& profile) {
  const StageRecord& stage = *row.stage;
  const double total = profile.details.total_ms(), self = shown_sample(stage.self_ms, profile.details);
  const std::size_t runs = std::max<std::size_t>(1, profile.details.profiled_ms.size());
  const TensorMemoryText tensors = tensor_memory_text(stage.net_bytes, stage.peak_bytes);
  return plain_row({std::string(2 * row.depth, ' ') + stage.name + (stage.other_thread ? " *" : ""),
                    fmt::format("{}", stage.calls / runs),
                    fixed_ms_text(shown_sample(stage.wall_ms, profile.details)), fixed_ms_text(self),
                    stage.other_thread || total <= 0 ? "" : fmt::format("{:.1f}", 100 * self / total),
                    stage.cpu_ms.empty() ? "n/a" : fixed_ms_text(shown_sample(stage.cpu_ms, profile.details)),
                    tensors.net, tensors.peak, mib_or_na(stage.resident_peak_bytes)});
}

Table stage_table(const ProfiledCase& profile) {
  Table table = table_with({"stage", ">calls", ">inclusive\n[ms]", ">self\n[ms]", ">self\n[%]", ">CPU\n[ms]",
                            ">tensors\nnet [MiB]", ">tensors\npeak [MiB]", ">resident\npeak [MiB]"});
  table.dispensable = {"tensors\nnet", "CPU", "tensors"};
  for (const TreeRow& row : tree_rows(profile.record.stages)) table.rows.push_back(stage_row(row, profile));
  const double total = profile.details.total_ms(), rest = unattributed_ms(profile);
  table.rows.push_back(
      plain_row({"unattributed", "", "", fixed_ms_text(rest),
                 total > 0 ? fmt::format("{:.1f}", 100 * rest / total) : "", "", "", "", ""}));
  table.rows.push_back(
      plain_row({"total", "", fixed_ms_text(total), fixed_ms_text(total), "100.0", "", "", "", ""}));
  return table;
}

std::string runs_line(const ProfiledCase& profile) {
  const ProfileDetails& details = profile.details;
  std::string line = fmt::format("median of {} profiled", counted(details.profiled_ms.size(), "run"));
  if (const auto cold = profile.record.timing.cold_ms)
    line += ", cold first run " + fixed_ms_text(*cold) + " ms";
  if (!details.plain_ms.empty()) line += ", profiled / unprofiled " + table_number(overhead_ratio(details));
  return line;
}

// The functions in which most samples are, or why there are none.
void add_hot_functions(const ProfiledCase& profile, std::vector<ReportBlock>& blocks) {
  const std::string& note = profile.details.sampler_note;
  if (profile.details.sampler == "none") {
    blocks.emplace_back(Heading{note.empty() ? "no CPU samples were asked for" : "no CPU samples: " + note});
    return;
  }
  blocks.emplace_back(Heading{fmt::format("{} ({}){}{}", counted(profile.hotspots.samples, "CPU sample"),
                                          profile.details.sampler, note.empty() ? "" : ": ", note)});
  Lines hottest{{}, 5};
  for (const HotFunction& hot : profile.hotspots.hottest) {
    hottest.items.push_back(fmt::format("{:5.1f} %  {}", 100 * hot.self_share, elide_middle(hot.name, 86)));
    if (!hot.expected.empty()) hottest.items.back() += "; expected: " + hot.expected;
  }
  hottest.items.resize(std::min(hottest.items.size(), hottest.most));
  blocks.emplace_back(std::move(hottest));
}

Lines warning_lines(const ProfiledCase& profile) {
  Lines warnings;
  if (profile.details.sampler != "none") warnings.items = profile.hotspots.warnings;
  if (profile.details.lost_samples > 0)
    warnings.items.push_back(counted(profile.details.lost_samples, "sample") + " lost for want of room");
  if (profile.details.trace_events_left_out > 0)
    warnings.items.push_back(
        fmt::format("the trace leaves out {} events", profile.details.trace_events_left_out));
  for (const InjectedFault& fault : profile.record.injected)
    warnings.items.push_back(
        fmt::format("injected on purpose: {} in stage {}, {} times", fault.effect, fault.stage, fault.times));
  for (std::string& warning : warnings.items) warning.insert(0, "warning: ");
  return warnings;
}

}  // namespace

ProfiledCase read_profiled_case(const std::filesystem::path& bundle, const Record& record) {
  ProfiledCase profile;
  profile.record = record;
  const auto path = [&](const char* file) { return bundle / profile_file(record.case_name, file); };
  const std::string details = path(kProfileDetailsFile).string();
  profile.details =
      profile_details_from_json(parse_strict_json(read_text_file(details), details, kMessageJson), details);
  const std::size_t runs = profile.details.profiled_ms.size();
  for (const StageRecord& stage : record.stages)
    if (stage.wall_ms.size() != runs || stage.self_ms.size() != runs ||
        (!stage.cpu_ms.empty() && stage.cpu_ms.size() != runs))
      throw input_error("{}: profiled_ms: {}, but stage {} of case {} has {} of them", details,
                        counted(runs, "run"), stage.name, record.case_name, stage.self_ms.size());
  if (std::filesystem::exists(path(kProfileStacksFile)))
    profile.stacks = read_folded(read_text_file(path(kProfileStacksFile)), path(kProfileStacksFile).string());
  profile.hotspots = find_hotspots(profile.stacks, record.workload.empty() ? record.method : record.workload);
  return profile;
}

std::vector<Bottleneck> bottlenecks(const ProfiledCase& profile, std::size_t count) {
  const double total = profile.details.total_ms();
  std::vector<Bottleneck> all;
  for (const StageRecord& stage : profile.record.stages) {
    if (stage.other_thread) continue;
    const double self = shown_sample(stage.self_ms, profile.details);
    all.push_back({stage.name, stage.parent, self, total > 0 ? self / total : 0});
  }
  std::ranges::stable_sort(all, std::greater{}, &Bottleneck::self_ms);
  if (all.size() > count) all.resize(count);
  return all;
}

double unattributed_ms(const ProfiledCase& profile) {
  double attributed = 0;
  for (const StageRecord& stage : profile.record.stages)
    if (!stage.other_thread) attributed += shown_sample(stage.self_ms, profile.details);
  return profile.details.total_ms() - attributed;
}

Section profile_section(const ProfiledCase& profile) {
  Section section{"profile", profile.record.case_name, runs_line(profile), {stage_table(profile)}};
  std::vector<ReportBlock>& blocks = section.blocks;
  if (std::ranges::any_of(profile.record.stages, &StageRecord::other_thread))
    blocks.emplace_back(Paragraph{"* on other threads, beside the main one: no part of the total"});
  blocks.emplace_back(Heading{
      "bottlenecks, by self time: share of the whole run, and of all stages alone, as the page has it"});
  const double stages_ms = profile.details.total_ms() - unattributed_ms(profile);
  Lines places;
  for (const Bottleneck& stage : bottlenecks(profile))
    places.items.push_back(fmt::format("{}. {:5.1f} %  {:5.1f} %  {} ({} ms)", places.items.size() + 1,
                                       100 * stage.share, stages_ms > 0 ? 100 * stage.self_ms / stages_ms : 0,
                                       stage.stage, fixed_ms_text(stage.self_ms)));
  blocks.emplace_back(std::move(places));
  add_hot_functions(profile, blocks);
  if (!profile.details.device_time_note.empty())
    blocks.emplace_back(Paragraph{"device time: none, " + profile.details.device_time_note});
  blocks.emplace_back(warning_lines(profile));
  return section;
}

Json to_json(const ProfiledCase& profile) {
  Json top = Json::array();
  for (const Bottleneck& stage : bottlenecks(profile))
    top.push_back({{"stage", stage.stage},
                   {"parent", stage.parent},
                   {"self_ms", stage.self_ms},
                   {"share", stage.share}});
  Json hottest = Json::array();
  for (const HotFunction& hot : profile.hotspots.hottest)
    hottest.push_back(
        {{"function", hot.name}, {"self_share", hot.self_share}, {"expected", !hot.expected.empty()}});
  Json json = to_json(profile.details);
  json["case"] = profile.record.case_name;
  json["total_ms"] = profile.details.total_ms();
  json["unattributed_ms"] = unattributed_ms(profile);
  json["overhead_ratio"] = profile.details.plain_ms.empty() ? Json() : Json(overhead_ratio(profile.details));
  json["bottlenecks"] = std::move(top);
  json["samples"] = profile.hotspots.samples;
  json["unresolved_share"] = profile.hotspots.unresolved_share;
  json["hottest"] = std::move(hottest);
  json["warnings"] = profile.hotspots.warnings;
  return json;
}

}  // namespace aqbench
