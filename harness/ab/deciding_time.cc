#include "harness/ab/deciding_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "harness/ab/benchmark_file.h"
#include "harness/measuring/environment.h"

namespace aqbench {
namespace {

constexpr const char* kBlindSpots =
    "CPU time does not see waiting, locks, input and output, or other threads";

std::string load_text(const MachineLoad& load) {
  return fmt::format("a load of {:.1f} on {}", load.load_1m, counted(load.processors, "processor"));
}

bool has_cost(const char* name, const AbSettings& settings) {
  return std::ranges::find(settings.outcomes, name, &AbOutcome::name) != settings.outcomes.end();
}

// Judges wall time, or CPU time, as a cost or not at all.
void set_cost(const char* name, bool judged, std::vector<AbOutcome>& outcomes) {
  std::erase_if(outcomes, [&](const AbOutcome& one) { return one.name == name; });
  if (judged) outcomes.push_back({.name = name, .kind = AbOutcome::Kind::cost, .unit = "ms"});
}

// Lets instructions alone decide every case, beside peak memory.
void decide_by_instructions(AbDocument& document) {
  for (AbCase& one : document.samples.cases) one.decided_by = DecidingTime::instructions;
  set_cost(kCpuOutcome, false, document.settings.outcomes);
  document.notes.emplace_back(
      "the instructions that a program executes in user space decide; they do not see caches, clocks, "
      "stalls, waiting or the kernel");
}

}  // namespace

DecideBy read_decide_by(const FlagValue& value, bool counts_instructions) {
  if (value.text == "wall") return DecideBy::wall;
  if (value.text == "cpu") return DecideBy::cpu;
  if (value.text == "both") return DecideBy::both;
  if (!counts_instructions) value.refuse_text("expected wall, cpu or both");
  if (value.text == "instructions") return DecideBy::instructions;
  value.refuse_text("expected wall, cpu, instructions or both");
}

std::optional<MachineLoad> load_of_this_machine() {
  const auto load = load_average();
  if (!load) return std::nullopt;
  return MachineLoad{load->front(), std::max<std::size_t>(1, affinity_processors().size())};
}

void choose_deciding_time(DecideBy wanted, const std::optional<MachineLoad>& load,
                          const std::function<std::string(const AbCase&)>& why_not_cpu, AbDocument& document,
                          const std::string& why_not_counted) {
  if (wanted == DecideBy::instructions) {
    if (why_not_counted.empty()) return decide_by_instructions(document);
    document.notes.push_back(fmt::format("instructions do not decide: {}", why_not_counted));
    wanted = DecideBy::automatic;
  }
  const bool loaded = load && load->is_high();
  if (wanted == DecideBy::wall || (wanted == DecideBy::automatic && !loaded)) return;
  std::size_t by_cpu = 0;
  std::string wall_alone;  // of the first case that wall time decides, and why
  for (AbCase& one : document.samples.cases) {
    const std::string why_not = why_not_cpu(one);
    if (why_not.empty()) {
      one.decided_by = DecidingTime::cpu;
      ++by_cpu;
    } else if (wanted != DecideBy::automatic) {
      throw usage_error("--decide-by {}: {}: {}", wanted == DecideBy::cpu ? "cpu" : "both",
                        one_line(one.name), why_not);
    } else if (wall_alone.empty()) {
      wall_alone = fmt::format("{}: {}", one_line(one.name), why_not);
    }
  }
  if (by_cpu > 0) {
    const std::string why = wanted == DecideBy::automatic
                                ? load_text(*load) + " disturbs wall time (--decide-by wall judges that)"
                                : "--decide-by asks for it";
    document.notes.push_back(fmt::format(
        "CPU time decides {} of {}: {}; {}{}", by_cpu, counted(document.samples.cases.size(), "case"), why,
        kBlindSpots, wanted == DecideBy::cpu ? "" : ": wall time can fail a case, and never win it"));
  }
  if (!wall_alone.empty())
    document.notes.push_back(
        fmt::format("wall time decides under {}, which disturbs it: {}", load_text(*load), wall_alone));
  if (by_cpu == 0) return;
  set_cost(kCpuOutcome, by_cpu < document.samples.cases.size() && has_cost(kCpuOutcome, document.settings),
           document.settings.outcomes);
  set_cost(kWallOutcome, wanted != DecideBy::cpu, document.settings.outcomes);
}

bool uses_one_thread(const Record& unit) {
  constexpr double kOneThread = 1.1;  // clocks differ
  const std::vector<double>* const cpu_ms = find_outcome(unit, kCpuOutcome);
  return cpu_ms != nullptr && cpu_ms->front() <= kOneThread * unit.timing.warm_ms.front();
}

std::string why_not_counted_of_benchmark(const std::string& name) {
  return fmt::format(
      "the reports of {} have no counter {} (--benchmark_perf_counters, of a Google Benchmark that was built "
      "with libpfm, where the kernel gives it the processor's counter)",
      one_line(name), kInstructionCounter);
}

std::string why_not_cpu_of_benchmark(const std::string& name, bool known, DecideBy wanted) {
  if (!known) return "has no CPU time that covers it (one thread, no /manual_time)";
  const bool asks_for_wall_time = name.find("/real_time") != std::string::npos;
  return asks_for_wall_time && wanted == DecideBy::automatic ? "is written to be judged by real time" : "";
}

}  // namespace aqbench
