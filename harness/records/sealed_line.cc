#include "harness/records/sealed_line.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/sha256.h"

namespace aqbench {
namespace {

constexpr std::string_view kSealStart = R"(,"sha256":")";
constexpr std::string_view kSealEnd = R"("})";
constexpr std::size_t kHashBytes = 64;
constexpr std::size_t kSealBytes = kSealStart.size() + kHashBytes + kSealEnd.size();

// Returns the length of an escape as the library writes it; 0: the library would not write it.
std::size_t written_escape(std::string_view text) {
  if (text.size() < 2) return 0;
  if (std::string_view("\"\\bfnrt").find(text[1]) != std::string_view::npos) return 2;
  const bool control = text.size() >= 6 && text.starts_with("\\u00") && (text[4] == '0' || text[4] == '1') &&
                       std::string_view("0123456789abcdef").find(text[5]) != std::string_view::npos;
  return control ? 6 : 0;
}

}  // namespace

bool is_compact_json(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == ' ' || c == '\t' || c == '\r' || c == '\n')) return false;
    if (!quoted || c != '\\') continue;
    const std::size_t escaped = written_escape(line.substr(i));
    if (escaped == 0) return false;
    i += escaped - 1;
  }
  return true;
}

std::string seal_line(const Json& object) {
  return seal_text(object.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string seal_text(std::string text) {
  const std::string hash = sha256_hex(text);
  text.pop_back();
  text += kSealStart;
  text += hash;
  text += kSealEnd;
  return text;
}

void check_seal(std::string_view line, const std::string& place) {
  if (line.size() <= kSealBytes || !line.ends_with(kSealEnd) ||
      line.substr(line.size() - kSealBytes, kSealStart.size()) != kSealStart)
    throw_damaged(place, "its sha256 is missing at the end");
  const std::string_view given = line.substr(line.size() - kSealEnd.size() - kHashBytes, kHashBytes);
  Sha256 hash;
  hash.add(line.substr(0, line.size() - kSealBytes));
  hash.add("}");
  if (hash.hex() != given) throw_damaged(place, "its sha256 does not match");
}

Json open_sealed_line(std::string_view line, const std::string& place) {
  check_seal(line, place);
  try {
    return parse_strict_json(line, place, kMessageJson);
  } catch (const Error& error) {
    throw_damaged(place, error.what());
  }
}

void throw_damaged(const std::string& place, std::string_view what) {
  throw Error(ErrorKind::verification, fmt::format("{}: {}", place, what));
}

}  // namespace aqbench
