#include "harness/ab/tiles.h"

#include <cstdint>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxTilesBytes = std::uintmax_t{64} << 20;

}  // namespace

std::map<std::string, std::string> read_ab_tiles(const std::filesystem::path& bundle,
                                                 const AbSamples& samples) {
  std::map<std::string, std::string> found;
  for (const AbUnit& unit : samples.units) {
    if (unit.tiles_sha256.empty()) continue;
    const std::string file = ab_tiles_file(samples.cases.at(unit.case_index).name, unit.side);
    try {
      std::string text = read_file(bundle / file, kMaxTilesBytes);
      if (sha256_hex(text) == unit.tiles_sha256) found.emplace(file, std::move(text));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;  // a file that is missing or none
    }
  }
  return found;
}

}  // namespace aqbench
