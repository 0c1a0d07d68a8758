#include "harness/ab/tiles.h"

#include <cstdint>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxTilesBytes = std::uintmax_t{64} << 20;

}  // namespace

void keep_tiles(const std::string& case_name, AbSide side, bool keep, CaseResult& unit) {
  std::erase_if(unit.artefacts,
                [&](const auto& file) { return !keep || !is_in_folder(file.first, kTilesFolder); });
  for (auto& [path, bytes] : unit.artefacts) {
    path = ab_tiles_file(case_name, side);
    unit.record.files.push_back({path, sha256_hex(bytes)});
  }
}

std::map<std::string, std::string> read_ab_tiles(const std::filesystem::path& bundle,
                                                 const AbSamples& samples) {
  std::map<std::string, std::string> found;
  for (const Record& unit : samples.units)
    for (const CaseFile& file : unit.files) try {
        std::string text = read_file(bundle / file.path, kMaxTilesBytes);
        if (sha256_hex(text) == file.sha256) found.emplace(file.path, std::move(text));
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;  // a file that is missing or none
      }
  return found;
}

}  // namespace aqbench
