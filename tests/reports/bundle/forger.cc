#include "tests/reports/bundle/forger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "core/error.h"
#include "core/sha256.h"
#include "harness/records/results.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/statement.h"

namespace aqbench::forging {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

void put(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

std::vector<std::string> files_of(const fs::path& bundle) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(bundle))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), bundle).string());
  std::ranges::sort(files);
  return files;
}

bool is_of(const Json& record, const std::string& start) {
  return record.at("case").get<std::string>().starts_with(start);
}

}  // namespace

ForgedSweep::ForgedSweep(const fs::path& bundle)
    : folder(bundle),
      results(Json::parse(bytes_of(bundle / "results.json"))),
      journal(read_chain(bundle / "journal.jsonl")) {}

void ForgedSweep::record(const std::string& start, const std::function<void(Json&)>& lie) {
  bool found = false;
  for (Json& one : results.at("records"))
    if (is_of(one, start)) {
      lie(one);
      found = true;
    }
  for (Json& line : journal)
    if (line.contains("record") && is_of(line.at("record"), start)) lie(line.at("record"));
  EXPECT_TRUE(found) << start;
}

void ForgedSweep::planned(const std::string& start, const std::function<void(Json&)>& lie) {
  for (Json& one : header().at("cases"))
    if (is_of(one, start)) lie(one);
}

void ForgedSweep::environment(const std::function<void(Json&)>& lie) {
  lie(results.at("environment"));
  lie(header().at("environment"));
}

void ForgedSweep::drop(const std::string& start, bool from_plan) {
  const auto erase = [&](Json& list) {
    Json kept = Json::array();
    for (Json& one : list)
      if (!is_of(one, start)) kept.push_back(one);
    list = kept;
  };
  erase(results.at("records"));
  std::erase_if(journal, [&](const Json& line) {
    return (line.contains("record") && is_of(line.at("record"), start)) ||
           (line.contains("block") && is_of(line.at("block"), start));
  });
  if (!from_plan) return;
  erase(header().at("cases"));
  run()["planned_cases"] = header().at("cases").size();
  for (const char* const key : {"cases", "cases_in_all_shards"})
    run()["effective"][key] = header().at("cases").size();
}

std::string ForgedSweep::file_of(const std::string& start, const std::string& in_folder) {
  for (const Json& one : results.at("records")) {
    if (!is_of(one, start)) continue;
    for (const auto& [path, hash] : one.at("files").items())
      if (path.starts_with(in_folder)) return path;
  }
  ADD_FAILURE() << start << " has no file in " << in_folder;
  return {};
}

void ForgedSweep::edit(const std::string& file, const std::string& from, const std::string& to) const {
  std::string text = bytes_of(folder / file);
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << file << " has no " << from;
  put(folder / file, text.replace(at, from.size(), to));
}

void ForgedSweep::seal() {
  const std::string before = header().at("plan_sha256").get<std::string>(),
                    now = sha256_hex(header().at("cases").dump());
  for (Json* const place : {&header(), &run(), &run()["effective"]})
    for (const char* const key : {"plan_sha256", "all_shards_sha256"})
      if (place->contains(key) && place->at(key) == before) (*place)[key] = now;
  const auto hash_files = [&](Json& record) {
    if (!record.contains("files")) return;
    for (auto& [path, hash] : record.at("files").items())
      if (fs::exists(folder / path)) hash = sha256_hex(bytes_of(folder / path));
  };
  for (Json& record : results.at("records")) hash_files(record);
  const std::string log = bytes_of(folder / "bench.log");
  std::size_t start = 0;
  for (std::size_t i = 1; i < journal.size(); ++i) {
    for (const char* const key : {"record", "block"})
      if (journal[i].contains(key)) hash_files(journal[i].at(key));
    if (!journal[i].contains("log")) continue;
    const bool last = i + 1 == journal.size();
    const std::size_t end =
        last ? log.size() : std::clamp(journal[i]["log"]["bytes"].get<std::size_t>(), start, log.size());
    journal[i]["log"] = {{"bytes", end}, {"sha256", sha256_hex(log.substr(start, end - start))}};
    start = end;
  }
  write_chain(folder / "journal.jsonl", journal);
  const std::string text = results.dump(1) + "\n";
  put(folder / "results.json", text);
  try {
    finalise_bundle(folder, results_from_text(text, "forged"));
  } catch (const Error&) {  // what the program would not even read is hashed as it is
  }
  put(folder / "results.json", text);
  rehash(folder);
}

void rehash(const fs::path& bundle, bool inventory) {
  const auto files = files_of(bundle);
  if (inventory && fs::exists(bundle / "inventory.txt")) {
    std::vector<InventoryItem> items;
    for (const std::string& file : files)
      if (file != "inventory.txt" && file != "statement.json" && file != "sha256.txt" &&
          file != "signature.json")
        items.push_back({file, fs::file_size(bundle / file)});
    put(bundle / "inventory.txt", inventory_text(items));
  }
  if (fs::exists(bundle / "statement.json")) {
    Json statement = Json::parse(bytes_of(bundle / "statement.json"));
    Json subjects = Json::array();
    for (const std::string& file : files)
      if (file != "statement.json" && file != "sha256.txt" && file != "signature.json")
        subjects.push_back({{"name", file}, {"digest", {{"sha256", sha256_hex(bytes_of(bundle / file))}}}});
    statement["subject"] = subjects;
    put(bundle / "statement.json", statement.dump(1) + "\n");
  }
  std::string lines;
  for (const std::string& file : files)
    if (file != "sha256.txt" && file != "signature.json")
      lines += sha256_hex(bytes_of(bundle / file)) + "  " + file + "\n";
  put(bundle / "sha256.txt", lines + "# sha256 of the lines above: " + sha256_hex(lines) + "\n");
}

void write_chain(const fs::path& file, const std::vector<Json>& lines) {
  std::string text, before;
  for (const Json& line : lines) {
    Json chained = Json::object();
    if (!before.empty()) chained["prev"] = before;
    chained.update(line);
    std::string sealed = chained.dump();
    const std::string hash = sha256_hex(sealed);
    sealed.back() = ',';
    sealed += "\"sha256\":\"" + hash + "\"}";
    before = sha256_hex(sealed);
    text += sealed + "\n";
  }
  put(file, text);
}

std::vector<Json> read_chain(const fs::path& file) {
  std::vector<Json> lines;
  std::istringstream stream(bytes_of(file));
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(Json::parse(line));
    lines.back().erase("prev");
    lines.back().erase("sha256");
  }
  return lines;
}

bool has_finding(const VerifyReport& report, std::string_view text) {
  return std::ranges::any_of(
      report.findings, [&](const Finding& found) { return found.what.find(text) != std::string::npos; });
}

}  // namespace aqbench::forging
