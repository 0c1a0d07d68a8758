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

// What the unit says of its output, as a record does.
Record record_of(const AbUnit& unit, const AbCase& of) {
  Record record;
  record.case_name = of.name;
  for (const AbOutcomeSamples& outcome : unit.outcomes)
    if (outcome.values.size() == 1)
      record.metrics.emplace_back(outcome.name, Metric{outcome.values.front(), "", Better::lower, ""});
  return record;
}

}  // namespace

std::vector<Finding> check_ab_tiles(const std::filesystem::path& bundle, const AbDocument& document,
                                    const std::vector<std::string>& files) {
  const AbSamples& samples = document.samples;
  const std::map<std::string, std::string> whole = read_ab_tiles(bundle, samples);
  std::vector<Finding> findings;
  std::set<std::string> claimed;
  for (std::size_t i = 0; i < samples.units.size(); ++i) {
    const AbUnit& unit = samples.units[i];
    if (unit.tiles_sha256.empty()) continue;
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
      std::ranges::move(check_table(bundle, file, record_of(unit, samples.cases[unit.case_index])),
                        std::back_inserter(findings));
  }
  for (const std::string& file : files)
    if (is_in_folder(file, kTilesFolder) && !claimed.contains(file))
      findings.push_back({file, "belongs to no unit of the samples"});
  return findings;
}

std::vector<Finding> check_calibration_tiles(const std::filesystem::path& bundle,
                                             const std::vector<const AbSamples*>& parts,
                                             const std::vector<std::string>& files) {
  std::set<std::string> named;
  for (const AbSamples* const part : parts)
    for (const AbUnit& unit : part->units) named.insert(unit.tiles_sha256);
  std::vector<Finding> findings;
  for (const std::string& file : files)
    if (is_in_folder(file, kTilesFolder) && !named.contains(sha256_file_hex(bundle / file)))
      findings.push_back({file, "belongs to no unit of the samples"});
  return findings;
}

}  // namespace aqbench
