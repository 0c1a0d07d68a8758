#include "core/json_members.h"

namespace aqbench {

// The library's own growth of an object copies all that it holds.
void add_member(Json& object, std::string_view key, Json value) {
  Json::object_t& members = object.get_ref<Json::object_t&>();
  if (members.size() == members.capacity()) {
    Json::object_t larger;
    larger.reserve(std::max<std::size_t>(8, 2 * members.size()));
    for (auto& [name, inside] : members)
      static_cast<Json::object_t::Container&>(larger).emplace_back(name, std::move(inside));
    members = std::move(larger);
  }
  members.emplace_back(key, std::move(value));
}

bool take_numbers(const Json& array, unsigned rules, std::vector<double>& numbers) {
  const auto is_good = [&](const Json& one) {
    return one.is_number() && std::isfinite(one.get<double>()) &&
           ((rules & kNotNegative) == 0 || one.get<double>() >= 0);
  };
  if (!array.is_array() || !std::ranges::all_of(array, is_good)) return false;
  for (const Json& one : array) numbers.push_back(one.get<double>());
  return true;
}

}  // namespace aqbench
