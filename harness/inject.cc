#include "harness/inject.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "scenes/core/error.h"

namespace aqbench {
namespace {

using InjectClock = std::chrono::steady_clock;

constexpr double kMaxSlowDown = 100;  // 10000 %
constexpr double kMaxSleepS = 3600;

// Stages open on this thread, with their start: a slow-down is a share of the stage's own time.
thread_local std::vector<InjectClock::time_point> t_stage_starts;

// A number above 0 before `suffix`, nullopt if the text is not of that form.
std::optional<double> number_before(std::string_view text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return std::nullopt;
  text.remove_suffix(suffix.size());
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || !std::isfinite(value) || value <= 0)
    return std::nullopt;
  return value;
}

// Not inlined: a profile shows the planted work by this name.
__attribute__((noinline)) void wait_busily(InjectClock::duration time) {
  const auto end = InjectClock::now() + time;
  while (InjectClock::now() < end) {
  }
}

[[noreturn]] void hang_forever() {
  for (;;) ::pause();
}

// Touches every page, so that the memory counts as resident. Ends by being killed; should the kernel refuse
// memory first, as a method would: with bad_alloc.
[[noreturn]] void take_all_memory() {
  constexpr std::size_t block = std::size_t{16} << 20;
  for (;;) {
    void* const memory = ::mmap(nullptr, block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    std::memset(memory, 1, block);
  }
}

}  // namespace

FaultEffect parse_fault_effect(std::string_view text) {
  if (text == "throw") return {FaultKind::throw_error, 0};
  if (text == "abort") return {FaultKind::abort, 0};
  if (text == "hang") return {FaultKind::hang, 0};
  if (text == "oom") return {FaultKind::out_of_memory, 0};
  if (text == "corrupt") return {FaultKind::corrupt, 0};
  if (text.starts_with('+'))
    if (const auto percent = number_before(text.substr(1), "%"); percent && *percent <= 100 * kMaxSlowDown)
      return {FaultKind::slow_down, *percent / 100};
  for (const auto& [unit, seconds] : {std::pair("us", 1e-6), {"ms", 1e-3}, {"s", 1.0}})
    if (const auto number = number_before(text, unit); number && *number * seconds <= kMaxSleepS)
      return {FaultKind::sleep, *number * seconds};
  throw Error(
      ErrorKind::usage,
      fmt::format("effect '{}': expected +5%, 20ms (or us, s), throw, abort, hang, oom or corrupt", text));
}

Inject parse_inject(std::string_view argument) {
  const std::size_t equals = argument.rfind('=');
  const std::string_view where = argument.substr(0, std::min(equals, argument.size()));
  const std::size_t colon = where.rfind(':');
  const bool every_case = colon == std::string_view::npos;
  const std::string_view stage = every_case ? where : where.substr(colon + 1);
  if (equals == std::string_view::npos || colon == 0 || stage.empty())
    throw Error(ErrorKind::usage, fmt::format("--inject '{}': expected [CASE_GLOB:]STAGE=EFFECT", argument));
  const Inject inject{every_case ? "*" : std::string(where.substr(0, colon)),
                      {std::string(stage), std::string(argument.substr(equals + 1))}};
  try {
    parse_fault_effect(inject.fault.effect);
  } catch (const Error& error) {
    throw Error(ErrorKind::usage, fmt::format("--inject '{}': {}", argument, error.what()));
  }
  return inject;
}

std::string to_string(const Inject& inject) {
  return fmt::format("{}:{}={}", inject.case_glob, inject.fault.stage, inject.fault.effect);
}

FaultInjector::FaultInjector(const std::vector<Fault>& faults, CaseBoard& board) : board_(board) {
  if (faults.size() > kMaxFaultsPerCase)
    throw Error(ErrorKind::usage, fmt::format("more than {} faults for one case", kMaxFaultsPerCase));
  for (const Fault& fault : faults) faults_.push_back({fault.stage, parse_fault_effect(fault.effect)});
}

bool FaultInjector::matches(const Planned& fault, const char* stage, bool outermost) {
  return fault.stage == "*" ? outermost : fault.stage == stage;
}

void FaultInjector::enter(const char* stage) {
  const bool outermost = t_stage_starts.empty();
  for (std::size_t slot = 0; slot < faults_.size(); ++slot) {
    const FaultKind kind = faults_[slot].effect.kind;
    if (!matches(faults_[slot], stage, outermost) || kind == FaultKind::slow_down || kind == FaultKind::sleep)
      continue;
    board_.count_fault(slot);
    if (kind == FaultKind::throw_error)
      throw Error(ErrorKind::method, fmt::format("injected failure in stage '{}'", stage));
    if (kind == FaultKind::abort) std::abort();
    if (kind == FaultKind::hang) hang_forever();
    if (kind == FaultKind::out_of_memory) take_all_memory();
    corrupts_output_ = true;
  }
  t_stage_starts.push_back(InjectClock::now());
}

void FaultInjector::leave(const char* stage) noexcept {
  const auto elapsed = InjectClock::now() - t_stage_starts.back();
  t_stage_starts.pop_back();
  const bool outermost = t_stage_starts.empty();
  for (std::size_t slot = 0; slot < faults_.size(); ++slot) {
    const FaultEffect effect = faults_[slot].effect;
    if (!matches(faults_[slot], stage, outermost)) continue;
    if (effect.kind == FaultKind::slow_down) {
      board_.count_fault(slot);
      wait_busily(std::chrono::duration_cast<InjectClock::duration>(elapsed * effect.amount));
    } else if (effect.kind == FaultKind::sleep) {
      board_.count_fault(slot);
      std::this_thread::sleep_for(std::chrono::duration<double>(effect.amount));
    }
  }
}

}  // namespace aqbench
