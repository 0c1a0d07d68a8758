#include "harness/running/time_left.h"

#include <algorithm>

#include "harness/records/case_name.h"

namespace aqbench {
namespace {

// What stands in the name beside scene and seed: "plane_sweep:fast/width=480".
std::string kind_key(const Case& planned) {
  std::string name = name_without_seed(planned.name);
  if (!planned.scene.empty() && name.starts_with(planned.scene + "/"))
    name.erase(0, planned.scene.size() + 1);
  return name;
}

// The method with its preset, or the workload; "/" keeps it apart from kinds.
std::string method_key(const Case& planned) {
  return "/" + (planned.workload.empty() ? planned.method + ":" + planned.preset : planned.workload);
}

// The square of the images' width, px^2; 0 where it is not given.
double width2_of(const Case& planned) {
  const double width = planned.images ? planned.images->width_px.value_or(0) : 0;
  return width * width;
}

}  // namespace

void TimeLeft::begin(const Case& planned, double now_s) {
  running_ = &planned;
  begun_s_ = now_s;
  end_s_.reset();
  stages_s_.clear();
}

void TimeLeft::stage(const std::string& name, double now_s) {
  constexpr double kSure_s = 0.5;  // shorter times say little about the pace
  if (running_ == nullptr || name.empty() || !stages_s_.emplace(name, now_s - begun_s_).second) return;
  const Known* const known = known_of(*running_);
  if (known == nullptr) return;
  const auto before = known->stages_s.find(name);
  if (before == known->stages_s.end() || before->second < kSure_s) return;
  const double all_s = expected_s(*running_),
               expected_by_now_s = before->second * all_s / known->seconds.value();
  const double pace = std::clamp((now_s - begun_s_) / expected_by_now_s, 0.2, 5.0);
  // The share of the case that is behind is what the pace is known from: an early stage says little of the
  // rest.
  const double share = std::clamp(expected_by_now_s / all_s, 0.0, 1.0);
  end_s_ = now_s + (all_s - all_s * share) * (1 + (pace - 1) * share);
}

void TimeLeft::end(double now_s) {
  if (running_ == nullptr) return;
  const double took_s = now_s - begun_s_, width2 = width2_of(*running_);
  for (const std::string& name : {kind_key(*running_), method_key(*running_)}) {
    Known& known = known_[name];
    known.seconds.add(took_s);
    if (width2 > 0) known.per_width2.add(took_s / width2);
    known.stages_s = stages_s_;
  }
  all_.add(took_s);
  running_ = nullptr;
}

const TimeLeft::Known* TimeLeft::known_of(const Case& planned) const {
  for (const std::string& name : {kind_key(planned), method_key(planned)})
    if (const auto found = known_.find(name); found != known_.end()) return &found->second;
  return nullptr;
}

double TimeLeft::expected_s(const Case& planned) const {
  if (const auto same = known_.find(kind_key(planned)); same != known_.end())
    return same->second.seconds.value();
  const auto method = known_.find(method_key(planned));
  if (method == known_.end()) return all_.value();
  const double width2 = width2_of(planned);
  return width2 > 0 && method->second.per_width2.count > 0 ? width2 * method->second.per_width2.value()
                                                           : method->second.seconds.value();
}

std::optional<double> TimeLeft::seconds(std::span<const Case* const> unfinished, double now_s) const {
  if (all_.count == 0) return std::nullopt;
  double left_s = 0;
  bool running_counted = false;
  for (const Case* const planned : unfinished) {
    const bool runs = planned == running_ && !running_counted;
    running_counted = running_counted || runs;
    left_s +=
        runs ? std::max(0.0, end_s_.value_or(begun_s_ + expected_s(*planned)) - now_s) : expected_s(*planned);
  }
  return left_s;
}

}  // namespace aqbench
