#include "harness/records/timing_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

Json known_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json block_json(const TimedBlock& block) {
  return {{"first", block.first},
          {"count", block.count},
          {"process", block.process},
          {"load_1m", known_json(block.load_1m)},
          {"others_cpus", known_json(block.others_cpus)},
          {"steal_cpus", known_json(block.steal_cpus)},
          {"cpu_mhz", known_json(block.cpu_mhz)},
          {"contaminated", block.contaminated}};
}

TimedBlock read_block(const JsonPlace& place) {
  place.allow_only(
      {"first", "count", "process", "load_1m", "others_cpus", "steal_cpus", "cpu_mhz", "contaminated"});
  TimedBlock block;
  block.first = place.at("first").count();
  block.count = place.at("count").count();
  block.process = place.at("process").count();
  block.load_1m = place.at("load_1m").number_or_null();
  block.others_cpus = place.at("others_cpus").number_or_null();
  block.steal_cpus = place.at("steal_cpus").number_or_null();
  block.cpu_mhz = place.at("cpu_mhz").number_or_null();
  block.contaminated = place.at("contaminated").boolean();
  return block;
}

std::vector<double> read_numbers(const JsonPlace& place) {
  std::vector<double> numbers;
  for (const JsonPlace& element : place.elements()) numbers.push_back(element.number());
  return numbers;
}

}  // namespace

bool has_timing_details(const Timing& timing) {
  return !timing.cpu_ms.empty() || !timing.blocks.empty() || !timing.threads.empty() ||
         !timing.figures.empty() || !timing.more_cold_ms.empty() || !timing.verdict.empty() ||
         !timing.note.empty();
}

Json timing_details_json(const Timing& timing) {
  Json blocks = Json::array(), threads = Json::object(), figures = Json::object();
  for (const TimedBlock& block : timing.blocks) blocks.push_back(block_json(block));
  for (const auto& [name, count] : timing.threads) threads[name] = count;
  for (const auto& [name, value] : timing.figures) figures[name] = known_json(value);
  const auto text = [](const std::string& value) { return value.empty() ? Json(nullptr) : Json(value); };
  return {{"cpu_ms", timing.cpu_ms},
          {"more_cold_ms", timing.more_cold_ms},
          {"blocks", std::move(blocks)},
          {"stopped", text(timing.stopped)},
          {"precision", known_json(timing.precision)},
          {"note", text(timing.note)},
          {"threads", std::move(threads)},
          {"figures", std::move(figures)},
          {"verdict", text(timing.verdict)}};
}

void read_timing_details(const JsonPlace& place, Timing& timing) {
  place.allow_only(
      {"cpu_ms", "more_cold_ms", "blocks", "stopped", "precision", "note", "threads", "figures", "verdict"});
  timing.cpu_ms = read_numbers(place.at("cpu_ms"));
  timing.more_cold_ms = read_numbers(place.at("more_cold_ms"));
  for (const JsonPlace& block : place.at("blocks").elements()) timing.blocks.push_back(read_block(block));
  for (const TimedBlock& block : timing.blocks)
    if (block.first > timing.warm_ms.size() || block.count > timing.warm_ms.size() - block.first)
      place.at("blocks").fail("goes beyond warm_ms");
  timing.stopped = place.at("stopped").text_or_null();
  timing.precision = place.at("precision").number_or_null();
  timing.note = place.at("note").text_or_null();
  for (const auto& [name, count] : place.at("threads").members())
    timing.threads.emplace_back(name, count.integer());
  for (const auto& [name, value] : place.at("figures").members())
    timing.figures.emplace_back(name, value.number_or_null().value_or(std::nan("")));
  timing.verdict = place.at("verdict").text_or_null();
}

}  // namespace aqbench
