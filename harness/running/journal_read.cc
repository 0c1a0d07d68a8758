#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/records/json_parts.h"
#include "harness/records/numbers.h"
#include "harness/records/results.h"
#include "harness/running/journal.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxJournalBytes = std::uintmax_t{1} << 32;

// Calls `read` and reports its errors as damage: an unreadable line with a matching hash was not written by
// this program. Another schema version is not damage.
template <class Read>
auto read_or_damaged(const std::string& place, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::verification || error.kind() == ErrorKind::not_comparable) throw;
    std::string_view what = error.what();
    if (what.starts_with(place)) what.remove_prefix(place.size());
    while (what.starts_with(':') || what.starts_with(' ')) what.remove_prefix(1);
    throw_damaged(place, what);
  }
}

// Returns the name of a planned case from its JSON.
std::string name_in_plan(const Json& planned) { return JsonPlace(planned, "cases").at("case").text(); }

// Extracts the cases from the first line one by one, and returns the rest of it.
Json take_cases(std::string_view line, const std::string& place, JournalHeader& header) {
  header.cases_text = "[";
  const std::string rest =
      split_json(bytes_of_text(line), "cases", place, [&](std::string_view, std::string_view text) {
        const Json planned = parse_strict_json(text, place + ": cases", kMessageJson);
        header.case_names.push_back(name_in_plan(planned));
        if (header.cases_text.size() > 1) header.cases_text += ',';
        header.cases_text += planned.dump();
      });
  header.cases_text += ']';
  header.cases_text.shrink_to_fit();
  return parse_strict_json(rest, place, kMessageJson);
}

ComparedSides read_sides(const JsonPlace& root) {
  ComparedSides sides;
  const JsonPlace requested = root.at("requested");
  requested.allow_only({"arguments"});
  for (const JsonPlace& argument : requested.at("arguments").elements())
    sides.arguments.push_back(argument.text());
  for (const JsonPlace& program : root.at("programs").elements()) sides.programs.push_back(program.text());
  if (sides.programs.size() != 2) root.at("programs").fail("expected two");
  root.at("comparison").members();
  sides.comparison = root.at("comparison").value();
  return sides;
}

std::vector<std::string> texts_of(const JsonPlace& list) {
  std::vector<std::string> texts;
  for (const JsonPlace& element : list.elements()) texts.push_back(element.text());
  return texts;
}

JournalHeader read_header(std::string_view line, const std::string& place) {
  JournalHeader header;
  const Json json = take_cases(line, place, header);
  const JsonPlace root(json, place);
  if (root.at("journal").text() != "aqbench") throw_damaged(place, "is not the header of an aqbench journal");
  const std::int64_t version = root.at("schema_version").integer();
  if (version != kJournalSchemaVersion)
    throw not_comparable_error("{}: schema_version {}, this program reads {}", place, version,
                               kJournalSchemaVersion);
  root.allow_only({"journal", "schema_version", "comparison", "programs", "run", "program", "requested",
                   "plan_sha256", "all_shards_sha256", "environment", "cases", "sha256"});
  root.at("run").allow_only({"id", "suite", "started_utc"});
  root.at("program").allow_only({"sha256", "commit"});
  header.environment = root.at("environment").value();
  const JsonPlace run = root.at("run");
  header.run_id = run.at("id").text();
  header.suite = run.at("suite").text_or_null();
  header.started_utc = run.at("started_utc").text();
  header.program_sha256 = root.at("program").at("sha256").text();
  header.program_commit = root.at("program").at("commit").text_or_null();
  if (root.find("comparison"))
    header.sides = read_sides(root);
  else if (const JsonPlace requested = root.at("requested"); requested.find("numbers"))
    header.numbers = requested_json(numbers_request(requested.value(), place + ": requested"));
  else if (const auto words = requested.find(kEvalRequest))
    header.numbers = Json{{kEvalRequest, texts_of(*words)}};
  else
    header.request = request_from_json(root.at("requested").value(), place + ": requested");
  header.plan_sha256 = root.at("plan_sha256").text();
  header.all_shards_sha256 = root.at("all_shards_sha256").text();
  root.at("cases").elements();
  if (sha256_hex(header.cases_text) != header.plan_sha256)
    throw_damaged(place, "plan_sha256 does not match the cases");
  return header;
}

void read_log_mark(const JsonPlace& root, JournalContents& contents) {
  const JsonPlace log = root.at("log");
  log.allow_only({"bytes", "sha256"});
  contents.log_marks.push_back({log.at("bytes").count(), log.at("sha256").text()});
}

// Reads a journal line by line.
class JournalReader {
 public:
  JournalReader(std::string file, TornTail torn_tail, KeptRecords kept)
      : file_(std::move(file)), torn_tail_(torn_tail), kept_(kept) {}

  // Reads a line without its line break.
  void add_line(std::string_view line) {
    const std::string place = next_place();
    if (line_number_ == 1) {
      check_seal(line, place);
      check_form(line, place);
      contents_.header = read_or_damaged(place, [&] { return read_header(line, place); });
      unfinished_ = {contents_.header.case_names.begin(), contents_.header.case_names.end()};
      if (kept_ == KeptRecords::whole) contents_.records.reserve(unfinished_.size());
    } else {
      read_line(line, place);
    }
    contents_.last_line_sha256 = sha256_hex(line);
    contents_.good_bytes += line.size() + 1;
  }

  // Reads the text after the last line break.
  JournalContents finish(std::string_view tail) {
    if (!tail.empty()) {
      const std::string place = next_place();
      if (torn_tail_ == TornTail::refuse || line_number_ == 1) throw_damaged(place, "is truncated");
      contents_.torn_tail = true;
    }
    if (line_number_ == 0) throw_damaged(file_, "is empty");
    return std::move(contents_);
  }

 private:
  std::string next_place() { return fmt::format("{} line {}", file_, ++line_number_); }

  static void check_form(std::string_view line, const std::string& place) {
    if (!is_compact_json(line)) throw_damaged(place, "was not written by aqbench");
  }

  void read_line(std::string_view line, const std::string& place) {
    const Json json = open_sealed_line(line, place);
    check_form(line, place);
    const bool is_block = json.contains("block"), is_record = json.contains("record");
    const bool is_units = json.contains("units");
    const char* const what = is_block ? "block" : is_record ? "record" : is_units ? "units" : "resumed";
    std::vector<Record> records;
    read_or_damaged(place, [&] {
      const JsonPlace root(json, place);
      if (is_block || is_record)
        root.allow_only({"prev", what, "log", "sha256"});
      else
        root.allow_only({"prev", what, "sha256"});
      if (root.at("prev").text() != contents_.last_line_sha256)
        throw_damaged(place, "its hash of the previous line does not match");
      const JsonPlace held = root.at(what);
      const std::string source = fmt::format("{}: {}", place, what);
      if (is_units) {
        for (const JsonPlace& unit : held.elements())
          records.push_back(record_from_json(unit.value(), source));
      } else if (is_block || is_record) {
        records.push_back(record_from_json(held.value(), source));
        read_log_mark(root, contents_);
      } else {
        held.allow_only({"utc", "environment"});
        contents_.resumptions.push_back(
            {held.at("utc").text(), held.at("environment").value(), contents_.measured_lines});
      }
    });
    if (!records.empty()) ++contents_.measured_lines;
    for (Record& record : records) {
      const bool known =
          is_record ? unfinished_.erase(record.case_name) > 0 : unfinished_.contains(record.case_name);
      if (!known || record.unit.has_value() != contents_.header.sides.has_value())
        throw_damaged(place, fmt::format("'{}' was not planned or is a duplicate", record.case_name));
      if (!is_block) keep(std::move(record));  // "block": by older versions, one process of several
    }
  }

  void keep(Record record) {
    if (kept_ == KeptRecords::whole) return contents_.records.push_back(std::move(record));
    contents_.ends.push_back(case_end(record));
    contents_.ends.back().record_sha256 = sha256_hex(record_text(record));
  }

  std::string file_;
  TornTail torn_tail_;
  KeptRecords kept_;
  JournalContents contents_;
  std::unordered_set<std::string> unfinished_;
  std::size_t line_number_ = 0;
};

}  // namespace

JournalContents parse_journal(const ReadBytes& read, const std::string& file, TornTail torn_tail,
                              KeptRecords kept) {
  JournalReader reader(file, torn_tail, kept);
  std::string line;
  for (std::string_view bytes = read(); !bytes.empty(); bytes = read())
    for (std::size_t end = 0; !bytes.empty(); bytes.remove_prefix(std::min(end + 1, bytes.size()))) {
      end = bytes.find('\n');
      line += bytes.substr(0, end);
      if (end == bytes.npos) break;
      reader.add_line(line);
      line = std::string();  // frees the first line, which is long
    }
  return reader.finish(line);
}

JournalContents read_journal(const std::filesystem::path& bundle, TornTail torn_tail, KeptRecords kept) {
  return read_journal_file(bundle / kJournalFile, torn_tail, kept);
}

JournalContents read_journal_file(const std::filesystem::path& path, TornTail torn_tail, KeptRecords kept) {
  try {
    return parse_journal(bytes_of_file(path, kMaxJournalBytes, ZeroBytes::one_at_end), path.string(),
                         torn_tail, kept);
  } catch (const Error& error) {
    if (error.problem().find("zero byte") == std::string::npos) throw;
    throw_damaged(path.string(), error.problem());
  }
}

bool is_comparison(const std::filesystem::path& bundle) {
  const std::string begins =
      fmt::format(R"({{"journal":"aqbench","schema_version":{},"comparison":)", kJournalSchemaVersion);
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(bundle / kJournalFile, error)))
    return false;  // opening a FIFO would wait
  std::string read(begins.size(), '\0');
  std::ifstream file(bundle / kJournalFile, std::ios::binary);
  file.read(read.data(), static_cast<std::streamsize>(read.size()));
  return read == begins;
}

CaseEnd case_end(const Record& record) {
  return {record_key(record), record.status, record.reason, {}, record.method, record.guest};
}

std::vector<CaseEnd> case_ends(const JournalContents& contents) {
  std::vector<CaseEnd> ends = contents.ends;
  for (const Record& record : contents.records) {
    ends.push_back(case_end(record));
    ends.back().record_sha256 = sha256_hex(record_text(record));
  }
  return ends;
}

Json environment_of_run(const JournalContents& journal) {
  std::vector<const Json*> measured;
  const Json* now = &*journal.header.environment;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    if (end > begin) measured.push_back(now);
    begin = end;
  };
  for (const JournalResumption& resumption : journal.resumptions) {
    end_at(resumption.after);
    now = &*resumption.environment;
  }
  end_at(journal.measured_lines);
  Json environment = measured.empty() ? *now : *measured.back();
  const bool same = std::ranges::all_of(
      measured, [&](const Json* other) { return comparability_of(*other) == comparability_of(environment); });
  if (!same && environment.is_object())
    environment["comparability"] = {{"mixed", "the run continued on another machine or with other settings"}};
  return environment;
}

}  // namespace aqbench
