#include "harness/records/json_values.h"

#include <nlohmann/json.hpp>

namespace aqbench {

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string indented_json(const Json& json, std::size_t level) {
  const std::string flat = json.dump(1, ' ', false, Json::error_handler_t::replace);
  if (level == 0) return flat;
  std::string text;
  text.reserve(flat.size() + flat.size() / 4);
  for (const char c : flat) {  // texts contain no line breaks
    text += c;
    if (c == '\n') text.append(level, ' ');
  }
  return text;
}

}  // namespace aqbench
