#include "reports/bundle/ab_tiles_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/sha256.h"
#include "harness/ab/tiles.h"
#include "harness/records/case_result.h"
#include "reports/tables/table_check.h"

namespace aqbench {
namespace {

// Returns the metrics of the unit's output; nullptr where it was not scored, or by the unit's outcomes alone.
const MetricSet* metrics_of(const AbUnit& unit, const AbSamples& samples) {
  for (const AbOutput& output : samples.outputs)
    if (output.case_index == unit.case_index && output.side == unit.side &&
        output.output_sha256 == unit.output_sha256)
      return &output.metrics;
  return nullptr;
}

// What the samples say of the unit's output, as a record does.
Record record_of(const AbUnit& unit, const AbSamples& samples) {
  Record record;
  record.case_name = samples.cases[unit.case_index].name;
  if (const MetricSet* const metrics = metrics_of(unit, samples)) record.metrics = *metrics;
  for (const AbOutcomeSamples& outcome : unit.outcomes)
    if (outcome.values.size() == 1)
      record.metrics.emplace_back(outcome.name, Metric{outcome.values.front(), "", Better::lower, ""});
  return record;
}

// A method's tiles are kept beside the metrics that follow from them.
bool lacks_tiles(const AbUnit& unit, const AbSamples& samples) {
  const MetricSet* const metrics = may_keep_tiles(unit) ? metrics_of(unit, samples) : nullptr;
  const Metric* const empty = metrics == nullptr ? nullptr : find_metric(*metrics, "tile_empty_pct");
  return empty != nullptr && empty->value;
}

}  // namespace

std::vector<Finding> check_ab_tiles(const std::filesystem::path& bundle, const AbDocument& document,
                                    const std::vector<std::string>& files, bool keeps_all) {
  const AbSamples& samples = document.samples;
  const std::map<std::string, std::string> whole = read_ab_tiles(bundle, samples);
  std::vector<Finding> findings;
  std::set<std::string> claimed;
  for (std::size_t i = 0; i < samples.units.size(); ++i) {
    const AbUnit& unit = samples.units[i];
    if (unit.tiles_sha256.empty()) {
      if (keeps_all && lacks_tiles(unit, samples))
        findings.push_back({kAbFile, fmt::format("samples.units[{}]: has tile_empty_pct, and no tiles", i)});
      continue;
    }
    if (document.schema_version < kAbSchemaVersionWithTiles) {
      findings.push_back({kAbFile, fmt::format("samples.units[{}]: has tiles, which version {} does not have",
                                               i, document.schema_version)});
      continue;
    }
    if (!may_keep_tiles(unit)) {
      findings.push_back(
          {kAbFile, fmt::format("samples.units[{}]: has tiles, which the first pair alone keeps", i)});
      continue;
    }
    const std::string file = ab_tiles_file(samples.cases[unit.case_index].name, unit.side);
    claimed.insert(file);
    if (!std::ranges::binary_search(files, file))
      findings.push_back({file, "is missing"});
    else if (!whole.contains(file))
      findings.push_back({file, fmt::format("is not what samples.units[{}] kept", i)});
    else
      std::ranges::move(check_table(bundle, file, record_of(unit, samples)), std::back_inserter(findings));
  }
  for (const std::string& file : files)
    if (is_in_folder(file, kTilesFolder) && !claimed.contains(file))
      findings.push_back({file, "belongs to no unit of the samples"});
  return findings;
}

std::vector<Finding> check_calibration_tiles(const std::filesystem::path& bundle,
                                             const std::vector<const AbSamples*>& parts,
                                             const std::vector<std::string>& files) {
  std::map<std::string, std::vector<Record>> named;  // what units say of their outputs, by the hash of tiles
  for (const AbSamples* const part : parts)
    for (const AbUnit& unit : part->units)
      if (!unit.tiles_sha256.empty()) named[unit.tiles_sha256].push_back(record_of(unit, *part));
  std::vector<Finding> findings;
  for (const std::string& file : files) {
    if (!is_in_folder(file, kTilesFolder)) continue;
    const auto units = named.find(sha256_file_hex(bundle / file));
    if (units == named.end()) findings.push_back({file, "belongs to no unit of the samples"});
    if (units == named.end()) continue;
    for (const Record& record : units->second)
      std::ranges::move(check_table(bundle, file, record), std::back_inserter(findings));
  }
  return findings;
}

}  // namespace aqbench
