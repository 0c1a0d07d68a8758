
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "harness/measuring/samplers.h"
#include "harness/records/profile_details.h"
#include "reports/html/page.h"
#include "reports/html/page_data.h"

namespace aqbench {
namespace {

constexpr std::size_t kLongestName = 160, kDeepestFrame = 200;
constexpr std::size_t kMaxFlameFrames = 20'000;  // in one page; its cases share them evenly

// Gives each name its index in a list.
class NameList {
 public:
  std::size_t index(const std::string& name) {
    const auto [found, is_new] = indices_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  Json take() { return Json(std::move(names_)); }

 private:
  std::map<std::string, std::size_t, std::less<>> indices_;
  std::vector<std::string> names_;
};

struct StackFrame {
  std::uint64_t samples = 0;
  std::map<std::string, StackFrame, std::less<>> callees;
};

StackFrame frames_of(const FoldedStacks& stacks) {
  StackFrame root;
  for (const auto& [stack, samples] : stacks) {
    StackFrame* frame = &root;
    root.samples += samples;
    std::size_t level = 0;
    for (const std::string_view function : functions_of(stack)) {
      if (++level > kDeepestFrame) break;
      frame = &frame->callees.try_emplace(elide_middle(printable(function), kLongestName)).first->second;
      frame->samples += samples;
    }
  }
  return root;
}

void count_frames(const StackFrame& frame, std::vector<std::uint64_t>& samples) {
  for (const auto& [name, callee] : frame.callees) {
    samples.push_back(callee.samples);
    count_frames(callee, samples);
  }
}

void write_frames(const StackFrame& frame, std::size_t level, std::uint64_t least, NameList& names,
                  Json& list) {
  for (const auto& [name, callee] : frame.callees) {
    if (callee.samples < least) continue;
    list.push_back({names.index(name), level, callee.samples});
    write_frames(callee, level + 1, least, names, list);
  }
}

}  // namespace

Json stacks_json(std::string_view stacks, const std::string& source, std::size_t most) {
  const StackFrame root = frames_of(read_folded(stacks, source));
  if (root.samples == 0) return nullptr;
  std::vector<std::uint64_t> samples;
  count_frames(root, samples);
  std::uint64_t least = 1;
  if (samples.size() > most) {
    std::ranges::sort(samples, std::ranges::greater{});
    least = samples[most] + 1;
  }
  NameList names;
  Json list = Json::array();
  write_frames(root, 0, least, names, list);
  return {{"samples", root.samples}, {"least", least}, {"names", names.take()}, {"frames", std::move(list)}};
}

std::string flames_section(const std::map<std::string, std::string>& stacks) {
  if (stacks.empty()) return "";
  return scripted_section(
      "flames", "Where the processor's time goes",
      "Samples of the stacks, callers above: the width of a box is its share of the samples. "
      "A click or Enter zooms, Esc shows all of it, arrows move.");
}

std::map<std::string, JsonBox> page_stacks(const std::map<std::string, std::string>& stacks) {
  std::map<std::string, JsonBox> pages;
  for (const auto& [name, text] : stacks)
    if (Json json =
            stacks_json(text, profile_file(name, kProfileStacksFile), kMaxFlameFrames / stacks.size());
        !json.is_null())
      pages[name] = std::move(json);
  return pages;
}

}  // namespace aqbench
