#include "harness/running/merge_blocks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"
#include "harness/measuring/roofline.h"
#include "harness/measuring/timing.h"

namespace aqbench {
namespace {

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

void merge_timing(const TimingPlan& plan, Timing& merged, const Timing& next) {
  const auto items_per_ms = [](const Timing& timing) {
    const auto typical = typical_ms(timing);
    return timing.throughput && typical ? *timing.throughput * *typical : 0;
  };
  const double items = items_per_ms(merged);
  const std::uint64_t process = merged.more_cold_ms.size() + 1;
  for (TimedBlock block : next.blocks) {
    block.first += merged.warm_ms.size();
    block.process = process;
    merged.blocks.push_back(block);
  }
  append(merged.warm_ms, next.warm_ms);
  append(merged.cpu_ms, next.cpu_ms);
  merged.more_cold_ms.push_back(next.cold_ms.value_or(std::nan("")));  // null in JSON
  merged.stopped = next.stopped;
  auto figures = next.figures;
  take_higher_roof(figures, merged.figures);
  merged.figures = std::move(figures);
  merged.verdict = next.verdict;
  judge_timing(plan, merged);
  const auto typical = typical_ms(merged);
  if (!typical || *typical <= 0) return;
  if (merged.throughput) merged.throughput = items / *typical;
  fill_roofline_share(*typical, merged.figures);
}

void merge_stages(std::vector<StageRecord>& merged, const std::vector<StageRecord>& next) {
  for (const StageRecord& stage : next) {
    const auto same = std::ranges::find_if(merged, [&](const StageRecord& other) {
      return other.name == stage.name && other.parent == stage.parent;
    });
    if (same == merged.end()) continue;
    same->calls += stage.calls;
    append(same->wall_ms, stage.wall_ms);
    append(same->self_ms, stage.self_ms);
  }
}

bool may_be_compared(const Case& a, const Case& b) {
  return a.workload == b.workload && a.scene == b.scene && a.method == b.method && a.seed == b.seed;
}

}  // namespace

std::vector<std::size_t> block_order(const std::vector<int>& blocks, std::uint64_t seed) {
  const RandomKey key{seed, RandomStream::case_order};
  std::vector<std::size_t> order;
  const int rounds = blocks.empty() ? 0 : *std::ranges::max_element(blocks);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t start = order.size();
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (blocks[i] > round) order.push_back(i);
    for (std::size_t left = order.size() - start; left > 1; --left) {
      const double chance = uniform01(key, order.size() * 4096 + left, static_cast<std::uint32_t>(round));
      std::swap(order[start + left - 1],
                order[start + static_cast<std::size_t>(chance * static_cast<double>(left))]);
    }
  }
  return order;
}

std::vector<std::size_t> interleaved_blocks(std::span<const Case* const> cases) {
  std::vector<std::size_t> order;
  for (std::size_t first = 0; first < cases.size();) {
    std::vector<int> blocks;
    std::size_t end = first;
    for (; end < cases.size() && may_be_compared(*cases[first], *cases[end]); ++end)
      blocks.push_back(std::max(cases[end]->timing.blocks, 1));
    for (const std::size_t index : block_order(blocks, cases[first]->seed)) order.push_back(first + index);
    first = end;
  }
  return order;
}

void merge_block(const Case& planned, Record& record, const Record& next) {
  if (record.status != Status::ok) return;
  if (next.status != Status::ok) {
    record = next;
    return;
  }
  const char* const difference =
      next.output_sha256 != record.output_sha256     ? "two processes gave different outputs"
      : next.dataset_sha256 != record.dataset_sha256 ? "two processes looked at different datasets"
                                                     : nullptr;
  if (difference != nullptr) {
    record.status = Status::invalid;
    record.reason = invalid_reason(difference);
    record.metrics.clear();
    record.timing = {};
    return;
  }
  // A record's isolation is that of its least isolated process.
  if (next.isolation.starts_with("none")) record.isolation = next.isolation;
  merge_timing(planned.timing, record.timing, next.timing);
  merge_stages(record.stages, next.stages);
  for (std::size_t i = 0; i < record.injected.size() && i < next.injected.size(); ++i)
    record.injected[i].times += next.injected[i].times;
  if (next.peak_rss_bytes)
    record.peak_rss_bytes = std::max(record.peak_rss_bytes.value_or(0), *next.peak_rss_bytes);
}

Record merged_record(const Case& planned, std::span<const Record> blocks) {
  Record record = blocks.front();
  for (const Record& next : blocks.subspan(1)) merge_block(planned, record, next);
  return record;
}

}  // namespace aqbench
