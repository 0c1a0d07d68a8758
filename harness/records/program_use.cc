#include "harness/records/program_use.h"

#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

Json count_or_null(const std::optional<std::uint64_t>& count) { return count ? Json(*count) : Json(nullptr); }

std::optional<std::uint64_t> read_count(const JsonPlace& place) {
  if (place.is_null()) return std::nullopt;
  return place.count();
}

double read_seconds(const JsonPlace& place) {
  const double seconds = place.number();
  if (!(seconds >= 0)) place.fail("is not a valid time");
  return seconds;
}

}  // namespace

Json to_json(const ProgramUse& use) {
  return {{"cpu_user_s", use.cpu_user_s},
          {"cpu_system_s", use.cpu_system_s},
          {"peak_resident_bytes", count_or_null(use.peak_resident_bytes)},
          {"read_bytes", count_or_null(use.read_bytes)},
          {"written_bytes", count_or_null(use.written_bytes)},
          {"minor_faults", use.minor_faults},
          {"major_faults", use.major_faults},
          {"voluntary_switches", use.voluntary_switches},
          {"involuntary_switches", use.involuntary_switches}};
}

ProgramUse program_use_from_json(const JsonPlace& place) {
  place.allow_only({"cpu_user_s", "cpu_system_s", "peak_resident_bytes", "read_bytes", "written_bytes",
                    "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches"});
  ProgramUse use;
  use.cpu_user_s = read_seconds(place.at("cpu_user_s"));
  use.cpu_system_s = read_seconds(place.at("cpu_system_s"));
  use.peak_resident_bytes = read_count(place.at("peak_resident_bytes"));
  use.read_bytes = read_count(place.at("read_bytes"));
  use.written_bytes = read_count(place.at("written_bytes"));
  use.minor_faults = place.at("minor_faults").count();
  use.major_faults = place.at("major_faults").count();
  use.voluntary_switches = place.at("voluntary_switches").count();
  use.involuntary_switches = place.at("involuntary_switches").count();
  return use;
}

}  // namespace aqbench
