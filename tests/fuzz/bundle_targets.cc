// Readers of sealed lines and whole bundles. A wrong hash would end every attempt, so hashes are recomputed
// after each change, as a forger would.

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/records/bundle_path.h"
#include "harness/records/case_result.h"
#include "harness/records/json_parts.h"
#include "harness/running/journal.h"
#include "reports/bundle/verify.h"
#include "reports/content/bundle_content.h"
#include "tests/fuzz/fuzz_target.h"

namespace aqbench::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    parts.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

// Chains and seals the lines that are JSON objects; others stay as they are.
std::string resealed(const std::vector<std::string>& lines) {
  std::string text, previous;
  for (const std::string& line : lines) {
    std::string sealed = line;
    try {
      Json json = parse_strict_json(line, "line", kMessageJson);
      if (json.is_object()) {
        json.erase("sha256");
        if (json.contains("plan_sha256") && json.contains("cases"))
          json["plan_sha256"] =
              sha256_hex(json["cases"].dump(-1, ' ', false, Json::error_handler_t::replace));
        if (json.contains("prev")) json["prev"] = previous;
        sealed = seal_line(json);
      }
    } catch (const Error&) {  // no JSON: the reader says so
    }
    previous = sha256_hex(sealed);
    text += sealed + '\n';
  }
  return text;
}

void read_journal_target(std::string_view bytes, const fs::path&) {
  const auto read = [](std::string_view text) {
    const JournalContents contents = parse_journal(bytes_of_text(text), "journal.jsonl", TornTail::accept);
    if (contents.good_bytes > text.size()) throw Broken("journal: good_bytes lies behind its end");
  };
  try {
    read(bytes);
  } catch (const Error&) {
    read(resealed(split(bytes, '\n')));
  }
}

// What one process hands to another; accepted, it comes out the same again.
void read_case_result_target(std::string_view bytes, const fs::path&) {
  const std::string text = encode_case_result(decode_case_result(bytes));
  require_same(text, encode_case_result(decode_case_result(text)), "the result of a case");
}

void read_hash_list_target(std::string_view bytes, const fs::path&) {
  const HashList list = parse_hash_list(bytes);
  if (list.problems.empty()) require_same(bytes, hash_list_text(list.lines), "sha256.txt");
}

// A copy of the committed bundle of the suite `seed`, whose texts are kept to put it right after each
// attempt.
class SeedBundle {
 public:
  explicit SeedBundle(fs::path folder) : folder_(std::move(folder)) {
    const fs::path source = fs::path(AQBENCH_SOURCE_DIR) / "docs" / "bundles" / "seed";
    fs::copy(source, folder_, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    for (const std::string& file : list_bundle_files(folder_).files) texts_[file] = read_file(folder_ / file);
    for (const auto& [file, text] : texts_) hashes_[file] = sha256_hex(text);
  }

  // Runs verify on the bundle with these files changed or added.
  void verify_with(const std::map<std::string, std::string>& changed) {
    std::map<std::string, std::string> hashes = hashes_;
    for (const auto& [file, text] : changed) {
      put_file(folder_ / file, text);
      hashes[file] = sha256_hex(text);
    }
    if (!changed.contains(kHashListName)) {
      std::vector<HashLine> lines;
      for (const auto& [file, hash] : hashes)
        if (file != kHashListName) lines.push_back({hash, file});
      put_file(folder_ / kHashListName, hash_list_text(lines));
    }
    try {
      (void)verify_bundle(folder_);
    } catch (const Error& error) {
      throw Broken(std::string("verify threw: ") + error.what());
    }
    for (const auto& [file, text] : changed)
      if (texts_.contains(file))
        put_file(folder_ / file, texts_.at(file));
      else
        fs::remove(folder_ / file);
  }

  const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  fs::path folder_;
  std::map<std::string, std::string> texts_, hashes_;
};

// Replaces, adds or ("-") takes out the value at a JSON pointer. Returns whether there is such a place.
bool edit_json(Json& document, const std::string& pointer, const std::string& value) {
  try {
    const Json::json_pointer place(pointer);
    if (place.empty()) return false;
    Json& parent = document.at(place.parent_pointer());
    if (!document.contains(place) && !parent.is_object()) return false;
    if (value == "-") {
      if (parent.is_object()) parent.erase(place.back());
      if (parent.is_array()) parent.erase(std::stoul(place.back()));
      return true;
    }
    Json parsed = Json::parse(value, nullptr, false);
    document[place] = parsed.is_discarded() ? Json(value) : parsed;
    return true;
  } catch (const std::exception&) {  // no pointer, or one that leads nowhere
    return false;
  }
}

// One line of an attempt: "results.json /records/0/scene VALUE", "journal.jsonl /3/record/scene VALUE" (the
// first step is the line), "summary.md OFFSET REMOVED TEXT", or "NAME = TEXT" for a whole file.
void edit_text(std::map<std::string, std::string>& texts, const std::string& line) {
  const std::size_t first = line.find(' '), second = line.find(' ', first + 1);
  if (second == std::string::npos) return;
  const std::string file = line.substr(0, first), place = line.substr(first + 1, second - first - 1);
  const std::string rest = line.substr(second + 1);
  if (place == "=") {
    if (is_bundle_path(file) && file.size() < 64 && file.find('/') == file.npos) texts[file] = rest;
  } else if (!texts.contains(file)) {
    return;
  } else if (place.starts_with('/') && file == "results.json") {
    Json json = Json::parse(texts[file], nullptr, false);
    if (edit_json(json, place, rest))
      texts[file] = json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  } else if (place.starts_with('/') && file == kJournalFile) {
    Json lines = Json::array();
    for (const std::string& one : split(texts[file], '\n')) lines.push_back(Json::parse(one, nullptr, false));
    if (!edit_json(lines, place, rest)) return;
    std::vector<std::string> edited;
    for (const Json& one : lines)
      edited.push_back(one.is_discarded() ? "" : one.dump(-1, ' ', false, Json::error_handler_t::replace));
    texts[file] = resealed(edited);
  } else {
    std::size_t offset = 0, removed = 0;
    const char* const end = place.data() + place.size();
    if (std::from_chars(place.data(), end, offset).ptr != end || offset > texts[file].size()) return;
    const std::size_t third = std::min(rest.find(' '), rest.size());
    if (std::from_chars(rest.data(), rest.data() + third, removed).ptr != rest.data() + third) return;
    texts[file].replace(offset, removed, third < rest.size() ? rest.substr(third + 1) : "");
  }
}

void verify_bundle_target(std::string_view bytes, const fs::path& folder) {
  static std::map<fs::path, SeedBundle> bundles;
  SeedBundle& bundle = bundles.try_emplace(folder / "bundle", folder / "bundle").first->second;
  std::map<std::string, std::string> texts = bundle.texts();
  std::vector<std::string> lines = split(bytes, '\n');
  if (lines.size() > 20) lines.resize(20);
  for (const std::string& line : lines) edit_text(texts, line);
  std::erase_if(texts, [&](const auto& file) {
    const auto old = bundle.texts().find(file.first);
    return old != bundle.texts().end() && old->second == file.second;
  });
  bundle.verify_with(texts);
}

}  // namespace

std::vector<Target> bundle_targets() {
  return {{"journal", read_journal_target},
          {"hash_list", read_hash_list_target},
          {"case_result", read_case_result_target},
          {"bundle", verify_bundle_target}};
}

}  // namespace aqbench::fuzz
