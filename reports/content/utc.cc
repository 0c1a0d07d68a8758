#include "reports/content/utc.h"

#include <array>
#include <ctime>

namespace aqbench {

std::optional<std::int64_t> seconds_of_utc(const std::string& utc) {
  constexpr const char* form = "%Y-%m-%dT%H:%M:%SZ";
  std::tm time{};
  const char* const end = ::strptime(utc.c_str(), form, &time);
  if (end == nullptr || *end != '\0') return std::nullopt;
  const std::time_t seconds = ::timegm(&time);
  // 30 February is 2 March to timegm(), and strptime() reads more than one form.
  std::array<char, 32> again{};
  if (::gmtime_r(&seconds, &time) == nullptr) return std::nullopt;
  const std::size_t size = std::strftime(again.data(), again.size(), form, &time);
  if (utc != std::string(again.data(), size)) return std::nullopt;
  return static_cast<std::int64_t>(seconds);
}

}  // namespace aqbench
