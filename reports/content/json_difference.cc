#include "reports/content/json_difference.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace aqbench {

std::string first_difference(const Json& a, const Json& b, const std::string& path) {
  if (a.type() != b.type() && !(a.is_number() && b.is_number())) return path;
  if (a.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (auto found = first_difference(a[i], b[i], fmt::format("{}[{}]", path, i)); !found.empty())
        return found;
    return {};
  }
  if (a.is_object() && a.size() == b.size()) {
    for (const auto& [key, value] : a.items()) {
      const std::string inner = path.empty() ? key : path + "." + key;
      if (!b.contains(key)) return inner;
      if (auto found = first_difference(value, b.at(key), inner); !found.empty()) return found;
    }
    return {};
  }
  return a == b ? std::string() : path;
}

}  // namespace aqbench
