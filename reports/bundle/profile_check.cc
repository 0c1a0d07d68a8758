#include "reports/bundle/profile_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/checking/environment_check.h"
#include "harness/planning/plan_flags.h"
#include "harness/planning/profile_targets.h"
#include "harness/records/profile_details.h"
#include "reports/bundle/run_check.h"
#include "reports/content/commands.h"
#include "reports/content/utc.h"
#include "reports/html/flamegraph.h"
#include "reports/text/profile_text.h"
#include "reports/text/summary.h"

namespace aqbench {
namespace {

constexpr double kSlackMs = 1e-3;
constexpr double kRounding = 1e-9;  // sums in another order, by another build

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// Returns whether JSON is what was made again. `whole`: by the same tables of what functions are called;
// otherwise what follows from these is passed over.
bool follows(const Json& told, const Json& made, bool whole) {
  if (made.is_number_float() && std::isfinite(made.get<double>()))
    return told.is_number() && std::abs(told.get<double>() - made.get<double>()) <=
                                   kRounding * (1 + std::abs(made.get<double>()));
  if (!made.is_structured() || told.type() != made.type()) return text_of(told) == text_of(made);
  if (told.size() != made.size()) return false;
  if (made.is_array())
    return std::ranges::equal(told, made, [&](const Json& a, const Json& b) { return follows(a, b, whole); });
  return std::ranges::all_of(made.items(), [&](const auto& item) {
    const auto found = told.find(item.key());
    return found != told.end() &&
           ((!whole && item.key() == "expected") || follows(*found, item.value(), whole));
  });
}

// Returns whether the text is a trace as it is written, an event a line, with an event of a stage if
// `has_stages`.
bool is_trace(std::string_view text, const std::string& case_name, bool has_stages) {
  constexpr std::string_view kHead = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n", kEnd = "\n]}\n";
  constexpr std::string_view kStage = "{\"ph\":\"X\",\"cat\":\"stage\",\"pid\":1,\"tid\":",
                             kMemory = "{\"ph\":\"C\",\"pid\":1,\"ts\":", kName = "{\"ph\":\"M\",\"pid\":1,";
  if (!text.starts_with(kHead) || !text.ends_with(kEnd)) return false;
  text.remove_prefix(kHead.size());
  text.remove_suffix(kEnd.size());
  const std::string_view first = text.substr(0, text.find('\n'));
  if (first.find(fmt::format("\"args\":{{\"name\":{}}}", text_of(case_name))) == first.npos) return false;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!text.empty() != line.ends_with(',')) return false;
    if (line.starts_with(kStage)) has_stages = false;
    if (!line.starts_with(kStage) && !line.starts_with(kMemory) && !line.starts_with(kName)) return false;
  }
  return !has_stages;
}

class ProfileChecker {
 public:
  ProfileChecker(const std::filesystem::path& bundle, const Results& results, const JournalHeader& header,
                 const RanCommand* command, const std::vector<std::string>& files)
      : bundle_(bundle), results_(results), header_(header), command_(command), files_(files) {}

  std::vector<Finding> run(const Json& profiles) {
    for (const Json& told : profiles)
      for (const Record& record : results_.records)
        if (told.is_object() && told.value("case", Json()) == Json(record.case_name) &&
            record.status == Status::ok)
          check_case(record, told);
    if (command_ != nullptr && command_->is("profile")) check_command();
    return std::move(findings_);
  }

 private:
  void report(const Record& record, const std::string& what) {
    findings_.push_back({"results.json", fmt::format("case {}: {}", printable(record.case_name), what)});
  }
  void report_command(std::string what) { findings_.push_back({kCommandsFile, std::move(what)}); }

  bool asks(const char* flag) const { return command_ != nullptr && command_->has(flag); }

  void check_case(const Record& record, const Json& told) {
    if (!require_file(record, kProfileDetailsFile, true, "every profile has")) return;
    ProfiledCase again;
    try {
      again = read_profiled_case(bundle_, record);
      check_texts(again);
      check_flamegraph(again);
    } catch (const Error& error) {
      return report(record, "its profile cannot be read: " + error.problem());
    }
    const ProfileDetails& details = again.details;
    const bool sampled = details.sampler != "none";
    require_file(record, kProfileStacksFile, sampled, "its sampler leaves");
    if (command_ != nullptr) {
      require_file(record, kProfileTraceFile, asks("trace"), "the command asks for");
      check_asked(again);
    }
    if (!check_times(again)) return;
    check_metrics(again);
    check_told(again, told);
  }

  // Returns whether the file is as it is expected to be, there or not.
  bool require_file(const Record& record, const char* file, bool expected, const char* why) {
    const std::string path = profile_file(record.case_name, file);
    const auto& of_case = record.files.value_or(std::vector<CaseFile>{});
    const bool there = std::ranges::find(of_case, path, &CaseFile::path) != of_case.end();
    if (there != expected)
      report(record, fmt::format("{} {}, {} {}", there ? "has" : "lacks", file,
                                 there ? "unlike what" : "which", why));
    return there == expected;
  }

  // A flamegraph is drawn from the samples; this very program draws it in the same way.
  void check_flamegraph(const ProfiledCase& profile) {
    const std::string path = profile_file(profile.record.case_name, kFlamegraphFile);
    const bool there = std::ranges::binary_search(files_, path);
    if (command_ != nullptr && there != (asks("flamegraph") && profile.details.sampler != "none"))
      findings_.push_back({path, there ? "is there, though the command does not ask for it"
                                       : "is missing, though the command asks for it"});
    if (!there || !is_of_this_program(header_)) return;
    if (read_text_file(bundle_ / path) !=
        flamegraph_svg(profile.stacks, {profile.record.case_name, samples_line(profile)}))
      findings_.push_back({path, "is not what the samples give"});
  }

  // What is written in one form alone.
  void check_texts(const ProfiledCase& profile) {
    const auto path = [&](const char* file) { return profile_file(profile.record.case_name, file); };
    const std::string details = path(kProfileDetailsFile), trace = path(kProfileTraceFile);
    if (read_text_file(bundle_ / details) != to_json(profile.details).dump(1) + "\n")
      findings_.push_back({details, "is not in the form that aqbench writes"});
    if (std::ranges::binary_search(files_, trace) &&
        !is_trace(read_file(bundle_ / trace), profile.record.case_name, !profile.record.stages.empty()))
      findings_.push_back({trace, "is no trace of this case"});
  }

  // What the command says of how to profile.
  void check_asked(const ProfiledCase& profile) {
    const ProfileDetails& details = profile.details;
    const auto repetitions = parse_double(command_->value_of("repetitions").value_or("3"));
    if (repetitions && *repetitions != static_cast<double>(details.profiled_ms.size()))
      report(profile.record, fmt::format("was profiled {} times, the command asks for {}",
                                         details.profiled_ms.size(), *repetitions));
    if (asks("no-plain") != details.plain_ms.empty())
      report(profile.record, "plain runs: are not as the command asks");
    const std::string asked = command_->value_of("sampler").value_or("auto");
    constexpr std::string_view kSamplers[] = {"perf", "in-process", "none"};
    const bool is_sampler = std::ranges::find(kSamplers, details.sampler) != std::end(kSamplers);
    const bool unsampled = details.sampler == "none" && details.sampler_note.empty();
    if (!is_sampler || unsampled != (asked == "none") ||
        (asked == "in-process" && details.sampler != "in-process"))
      report(profile.record,
             fmt::format("sampler: is '{}', the command asks for {}", printable(details.sampler), asked));
  }

  // Returns whether there is a sample of each stage for each run, without which nothing else can be said.
  bool check_times(const ProfiledCase& profile) {
    const Record& record = profile.record;
    const std::vector<double>&profiled_ms = profile.details.profiled_ms, &plain_ms = profile.details.plain_ms;
    for (const StageRecord& stage : record.stages)
      if (stage.wall_ms.size() != profiled_ms.size() || stage.self_ms.size() != profiled_ms.size()) {
        report(record, fmt::format("stages.{}: has {} samples of {} profiled runs", printable(stage.name),
                                   stage.wall_ms.size(), profiled_ms.size()));
        return false;
      }
    if (profile.details.shown != shown_run(profiled_ms))
      report(record, "shown: is not the run with the median time");
    if (plain_ms != record.timing.warm_ms || (!plain_ms.empty() && plain_ms.size() != profiled_ms.size()))
      report(record, "timing.warm_ms: are not the plain runs of its profile");
    double sum_ms = measured_ms(record.timing);
    for (const double ms : profiled_ms) {
      if (!(ms >= 0)) report(record, fmt::format("its profile: {} ms is no time", ms));
      sum_ms += ms;
    }
    const auto started = seconds_of_utc(results_.run.started_utc),
               finished = seconds_of_utc(results_.run.finished_utc);
    if (started && finished && 1e-3 * sum_ms > static_cast<double>(*finished - *started) + kClockSlackS)
      report(record, fmt::format("its profile took {:.6g} s, more than the run", 1e-3 * sum_ms));
    for (std::size_t i = 0; i < profiled_ms.size(); ++i) {
      double stages_ms = 0;
      for (const StageRecord& stage : record.stages)
        if (!stage.other_thread) stages_ms += stage.self_ms[i];
      if (stages_ms > profiled_ms[i] + kSlackMs + 1e-6 * profiled_ms[i])
        report(record,
               fmt::format("stages: take {} ms of a profiled run of {} ms", stages_ms, profiled_ms[i]));
    }
    return true;
  }

  void check_metrics(const ProfiledCase& profile) {
    const MetricSet made = profile_metrics(profile.details, profile.record.stages);
    for (const auto& [name, metric] : made) {
      const Metric* const told = find_metric(profile.record.metrics, name);
      const auto close = [](double a, double b) { return std::abs(a - b) <= kRounding * (1 + std::abs(b)); };
      if (told == nullptr || told->unit != metric.unit || told->better != metric.better ||
          told->value.has_value() != metric.value.has_value() ||
          (metric.value && std::isfinite(*metric.value) && !close(*told->value, *metric.value)))
        report(profile.record, fmt::format("metrics: {} does not follow from its profile", name.text()));
    }
  }

  void check_told(const ProfiledCase& profile, const Json& told) {
    const Json made = to_json(profile);
    const bool whole = is_of_this_program(header_);
    for (const auto& [key, value] : made.items())
      if ((key != "warnings" || whole) && (!told.contains(key) || !follows(told.at(key), value, whole)))
        report(profile.record,
               fmt::format("run.effective.profile: {} does not follow from its files and stages", key));
    for (const auto& [key, value] : told.items())
      if (!made.contains(key))
        report(profile.record, fmt::format("run.effective.profile: {} is no member", printable(key)));
  }

  // The words that choose cases are those of the request. Of a project, and of scenes in files, the names are
  // others by now.
  void check_command() {
    const PlanRequest& planned = header_.request;
    if (!planned.project.dir.empty() || command_->line.find('?') != std::string::npos ||
        std::ranges::any_of(planned.scenes, [](const auto& scene) { return scene.find(':') != scene.npos; }))
      return;
    PlanRequest told;
    try {
      read_words(told);
    } catch (const Error& error) {
      return report_command(printable(error.what()));
    }
    for (const PlanFlag& flag : selection_flags()) {
      const std::vector<std::string> now = flag.write(told), expected = flag.write(planned);
      if (now != expected)
        report_command(printable(fmt::format("profiles {} '{}', run.requested has '{}'", flag.name,
                                             fmt::join(now, " "), fmt::join(expected, " "))));
    }
  }

  // Reads targets, scenes and the seed. What the other flags of a plan say is checked for every command.
  void read_words(PlanRequest& told) const {
    constexpr std::string_view kValues[] = {"repetitions", "sampler", "samples", "out"};
    const auto named = [](std::span<const PlanFlag> flags, std::string_view name) {
      return std::ranges::find(flags, name, [](const PlanFlag& flag) { return std::string_view(flag.name); });
    };
    std::vector<std::string> targets;
    const std::vector<std::string>& words = command_->words;
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (!words[i].starts_with("--")) {
        targets.push_back(words[i]);
        continue;
      }
      const std::size_t equals = words[i].find('=');
      const std::string name = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
      const auto chooses = named(selection_flags(), name);
      const bool is_choice = (name == "scene" || name == "seed") && chooses != selection_flags().end();
      const bool is_value = std::ranges::find(kValues, name) != std::end(kValues);
      if (!is_choice && !is_value && chooses != selection_flags().end())
        throw Error(ErrorKind::usage, "has --" + name + ", which no profile has");
      if (!is_choice && !is_value && named(case_flags(), name) == case_flags().end()) continue;
      std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
      if (equals == std::string::npos && ++i < words.size()) value = words[i];
      if (is_choice) chooses->read(told, {name, value});
    }
    read_profile_targets(targets, told);
  }

  const std::filesystem::path& bundle_;
  const Results& results_;
  const JournalHeader& header_;
  const RanCommand* command_;  // nullptr: it could not be read
  const std::vector<std::string>& files_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_profiles(const std::filesystem::path& bundle, const Results& results,
                                    const JournalHeader& header, const CommandList& commands,
                                    const std::vector<std::string>& files) {
  const auto profiles = results.run.effective->find("profile");
  if (profiles == results.run.effective->end() || !profiles->is_array() ||
      results.run.text_version != kSummaryVersion)
    return {};
  const bool read = commands.problem.empty() && !commands.commands.empty();
  return ProfileChecker(bundle, results, header, read ? &commands.commands.front() : nullptr, files)
      .run(*profiles);
}

}  // namespace aqbench
