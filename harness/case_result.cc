// How a child hands its result to the parent.
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "harness/json_place.h"
#include "harness/run_case.h"
#include "scenes/core/error.h"

namespace aqbench {
namespace {

void put_part(std::string& bytes, std::string_view part) {
  const std::uint64_t size = part.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes += part;
}

std::string_view take_part(std::string_view& bytes) {
  std::uint64_t size = 0;
  if (bytes.size() >= sizeof size) {
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size <= bytes.size()) {
      const std::string_view part = bytes.substr(0, size);
      bytes.remove_prefix(size);
      return part;
    }
  }
  throw Error(ErrorKind::input, "the result of a case is cut off");
}

}  // namespace

std::string encode_case_result(const CaseResult& result) {
  std::string bytes;
  put_part(bytes, to_json(result.record).dump());
  for (const auto& [path, content] : result.artefacts) {
    put_part(bytes, path);
    put_part(bytes, content);
  }
  return bytes;
}

CaseResult decode_case_result(std::string_view bytes) {
  CaseResult result;
  const std::string_view record = take_part(bytes);
  result.record = record_from_json(parse_json_strictly(record, "the result of a case"));
  while (!bytes.empty()) {
    const std::string path(take_part(bytes));
    result.artefacts.emplace_back(path, std::string(take_part(bytes)));
  }
  return result;
}

}  // namespace aqbench
