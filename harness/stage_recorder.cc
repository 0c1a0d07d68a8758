#include "harness/stage_recorder.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>

namespace aqbench {
namespace {

using StageClock = std::chrono::steady_clock;

double to_ms(StageClock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

// A stage open on this thread. Frames of several recorders may interleave; each only looks at its own.
struct OpenFrame {
  const StageRecorder* recorder;
  std::size_t entry;  // in State::entries
  StageClock::time_point start;
  StageClock::duration nested{};
};
thread_local std::vector<OpenFrame> t_frames;

}  // namespace

struct StageRecorder::State {
  struct Entry {
    std::string name, parent;
    std::uint64_t calls = 0;
    StageClock::duration wall{}, self{};  // of the repetition that runs
    std::vector<double> wall_ms, self_ms;
  };
  mutable std::mutex mutex;
  std::vector<Entry> entries;
  std::size_t repetitions = 0;

  std::size_t entry_of(const char* name, const std::string& parent);
};

// Few stages: a linear search costs less than hashing two strings.
std::size_t StageRecorder::State::entry_of(const char* name, const std::string& parent) {
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].name == name && entries[i].parent == parent) return i;
  entries.push_back({name,
                     parent,
                     0,
                     {},
                     {},
                     std::vector<double>(repetitions, 0.0),
                     std::vector<double>(repetitions, 0.0)});
  return entries.size() - 1;
}

StageRecorder::StageRecorder() : state_(std::make_unique<State>()) {}
StageRecorder::~StageRecorder() = default;

void StageRecorder::enter(const char* stage) {
  const auto above = std::find_if(t_frames.rbegin(), t_frames.rend(),
                                  [&](const OpenFrame& frame) { return frame.recorder == this; });
  std::size_t entry = 0;
  {
    const std::lock_guard lock(state_->mutex);
    const std::string parent = above == t_frames.rend() ? "" : state_->entries[above->entry].name;
    entry = state_->entry_of(stage, parent);
  }
  t_frames.push_back({this, entry, StageClock::now(), {}});
}

void StageRecorder::leave(const char*) noexcept {
  const auto now = StageClock::now();
  const auto own = [&](const OpenFrame& frame) { return frame.recorder == this; };
  const auto top = std::find_if(t_frames.rbegin(), t_frames.rend(), own);
  if (top == t_frames.rend()) return;
  const OpenFrame frame = *top;
  t_frames.erase(std::next(top).base());
  const auto inclusive = now - frame.start;
  bool holds_itself = false;
  for (const OpenFrame& open : t_frames)
    holds_itself = holds_itself || (open.recorder == this && open.entry == frame.entry);
  const auto above = std::find_if(t_frames.rbegin(), t_frames.rend(), own);
  if (above != t_frames.rend()) above->nested += inclusive;
  const std::lock_guard lock(state_->mutex);
  State::Entry& entry = state_->entries[frame.entry];
  ++entry.calls;
  entry.self += inclusive - frame.nested;
  if (!holds_itself) entry.wall += inclusive;
}

void StageRecorder::finish_repetition() {
  const std::lock_guard lock(state_->mutex);
  ++state_->repetitions;
  for (State::Entry& entry : state_->entries) {
    entry.wall_ms.push_back(to_ms(std::exchange(entry.wall, {})));
    entry.self_ms.push_back(to_ms(std::exchange(entry.self, {})));
  }
}

std::vector<StageRecord> StageRecorder::stages() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<StageRecord> records;
  for (const State::Entry& entry : state_->entries) {
    StageRecord& record = records.emplace_back();
    record.name = entry.name;
    record.parent = entry.parent;
    record.calls = entry.calls;
    record.wall_ms = entry.wall_ms;
    record.self_ms = entry.self_ms;
  }
  return records;
}

void ObserverChain::enter(const char* stage) {
  std::size_t entered = 0;
  try {
    for (; entered < observers_.size(); ++entered) observers_[entered]->enter(stage);
  } catch (...) {
    while (entered-- > 0) observers_[entered]->leave(stage);
    throw;
  }
}

void ObserverChain::leave(const char* stage) noexcept {
  for (std::size_t i = observers_.size(); i-- > 0;) observers_[i]->leave(stage);
}

}  // namespace aqbench
