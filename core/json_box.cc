#include "core/json_box.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace aqbench {

JsonBox::JsonBox() {
  static const auto empty = std::make_shared<const Json>(Json::object());
  json_ = empty;
}

JsonBox::JsonBox(Json json) : json_(std::make_shared<const Json>(std::move(json))) {}

bool JsonBox::operator==(const JsonBox& other) const { return *json_ == *other.json_; }

}  // namespace aqbench
