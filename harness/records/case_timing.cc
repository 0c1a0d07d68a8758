#include "harness/records/case_timing.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/json.h"
#include "harness/records/json_values.h"

namespace aqbench {
namespace {

Json block_json(const TimedBlock& block) {
  return {{"first", block.first},
          {"count", block.count},
          {"process", block.process},
          {"load_1m", finite_json(block.load_1m)},
          {"others_cpus", finite_json(block.others_cpus)},
          {"steal_cpus", finite_json(block.steal_cpus)},
          {"cpu_mhz", finite_json(block.cpu_mhz)},
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

bool has_details(const Timing& timing) {
  return !timing.cpu_ms.empty() || !timing.blocks.empty() || !timing.threads.empty() ||
         !timing.figures.empty() || !timing.more_cold_ms.empty() || !timing.verdict.empty() ||
         !timing.note.empty();
}

Json details_json(const Timing& timing) {
  Json blocks = Json::array(), threads = Json::object(), figures = Json::object();
  for (const TimedBlock& block : timing.blocks) blocks.push_back(block_json(block));
  for (const auto& [name, count] : timing.threads) threads[name] = count;
  for (const auto& [name, value] : timing.figures) figures[name] = finite_json(value);
  Json more_cold = Json::array();
  for (const double ms : timing.more_cold_ms) more_cold.push_back(finite_json(ms));
  return {{"cpu_ms", timing.cpu_ms},
          {"more_cold_ms", std::move(more_cold)},
          {"blocks", std::move(blocks)},
          {"stopped", text_json(timing.stopped)},
          {"precision", finite_json(timing.precision)},
          {"note", text_json(timing.note)},
          {"threads", std::move(threads)},
          {"figures", std::move(figures)},
          {"verdict", text_json(timing.verdict)}};
}

void read_details(const JsonPlace& place, Timing& timing) {
  place.allow_only(
      {"cpu_ms", "more_cold_ms", "blocks", "stopped", "precision", "note", "threads", "figures", "verdict"});
  timing.cpu_ms = numbers_from_json(place.at("cpu_ms"));
  for (const JsonPlace& cold : place.at("more_cold_ms").elements())
    timing.more_cold_ms.push_back(cold.number_or_null().value_or(std::nan("")));
  for (const JsonPlace& block : place.at("blocks").elements()) timing.blocks.push_back(read_block(block));
  for (const TimedBlock& block : timing.blocks)
    if (block.first > timing.warm_ms.size() || block.count > timing.warm_ms.size() - block.first)
      place.at("blocks").fail("exceeds warm_ms");
  timing.stopped = place.at("stopped").text_or_null();
  timing.precision = place.at("precision").number_or_null();
  timing.note = place.at("note").text_or_null();
  for (const auto& [name, count] : place.at("threads").members())
    timing.threads.emplace_back(name, count.integer());
  for (const auto& [name, value] : place.at("figures").members())
    timing.figures.emplace_back(name, value.number_or_null().value_or(std::nan("")));
  timing.verdict = place.at("verdict").text_or_null();
}

}  // namespace

Json timing_json(const Timing& timing, const std::string& case_name) {
  Json throughput = nullptr;
  if (timing.throughput && std::isfinite(*timing.throughput))
    throughput = {{"value", *timing.throughput}, {"unit", timing.throughput_unit}};
  Json json = {{"cold_ms", finite_json(timing.cold_ms)},
               {"warm_ms", samples_json(timing.warm_ms, case_name, "warm_ms")},
               {"throughput", throughput}};
  if (has_details(timing)) json["details"] = details_json(timing);
  if (timing.dataset_ms) json["dataset_ms"] = finite_json(timing.dataset_ms);
  return json;
}

Timing timing_from_json(const JsonPlace& place) {
  place.allow_only({"cold_ms", "warm_ms", "throughput", "details", "dataset_ms"});
  Timing timing;
  timing.cold_ms = place.at("cold_ms").number_or_null();
  timing.warm_ms = numbers_from_json(place.at("warm_ms"));
  if (const auto dataset = place.find("dataset_ms")) timing.dataset_ms = dataset->number_or_null();
  if (const JsonPlace throughput = place.at("throughput"); !throughput.is_null()) {
    throughput.allow_only({"value", "unit"});
    timing.throughput = throughput.at("value").number();
    timing.throughput_unit = throughput.at("unit").text();
  }
  if (const auto details = place.find("details")) read_details(*details, timing);
  return timing;
}

}  // namespace aqbench
