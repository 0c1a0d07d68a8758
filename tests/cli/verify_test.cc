// Bundles verify as written, also those of unusual commands, but not after an accident.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "core/files.h"
#include "core/text.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

struct Honest {
  const char* name;
  Arguments arguments;
  int exit_code = 0;
};

void PrintTo(const Honest& honest, std::ostream* stream) { *stream << honest.name; }

// Words in which a test's folder takes the place of DIR.
Arguments placed(Arguments words, const std::string& dir) {
  for (std::string& word : words)
    for (std::size_t at = 0; (at = word.find("DIR", at)) != std::string::npos; at += dir.size())
      word.replace(at, 3, dir);
  return words;
}

// A dataset whose truth is its depth maps, scored by lengths of its own in a part of the view, and a cloud
// for it: the true surface.
void make_recording(const std::filesystem::path& dir, const std::string& truth) {
  const std::filesystem::path dataset = dir / "tank";
  succeeded(run_line(
      "render flat_plane --rig single_pair --width 48 --imaging textureless --mesh-pitch-mm 20 --out {}",
      dataset));
  std::filesystem::rename(dataset / "truth/surface.ply", dir / "cloud.ply");
  std::filesystem::remove(dataset / "truth/scene.json");
  write_text(dataset / "truth/truth.json", truth);
}

class HonestBundles : public Folder, public ::testing::WithParamInterface<Honest> {};

TEST_P(HonestBundles, Verify) {
  if (std::ranges::find(GetParam().arguments, "dataset:tank") != GetParam().arguments.end()) {
    ASSERT_NO_FATAL_FAILURE(make_recording(
        dir_.path(), R"({"surface": {"depths": true, "thresholds_mm": [3, 17.5], "outlier_mm": 33,
                                              "spacing_mm": 4, "tile_mm": 40, "crop": "z:0.5,5"}})"));
  }
  const auto ran = run(with(placed(GetParam().arguments, dir_.path().string()), {"--out", "out"}));
  ASSERT_EQ(ran.exit_code, GetParam().exit_code) << ran.out << ran.err;
  EXPECT_THAT(succeeded(run({"verify", only_bundle(dir_ / "out")})).out, ::testing::HasSubstr("verified: "));
}

INSTANTIATE_TEST_SUITE_P(
    Of, HonestBundles,
    ::testing::Values(Honest{"ARecordingWithLengthsOfItsOwn",
                             {"sweep", "--scene", "dataset:tank", "--method", "external", "--set",
                              "external.command=/bin/cp DIR/cloud.ply {output}/cloud.ply"}},
                      Honest{"ACommandOfSeveralLinesThatFails",
                             {"sweep", "--scene", "dataset:tank", "--method", "external", "--set",
                              "external.command=/bin/sh -c 'true\nfalse {output}\n# twice'"},
                             3},
                      Honest{"ANoteOfSeveralLines",
                             {"sweep", "--scene", "flat_plane", "--method", "roma_like", "--note",
                              "one\ntwo\t\u00fc\n# three"}},
                      Honest{"AProfileThatFails", {"profile", "roma_like", "--inject", "noise=throw"}, 3}),
    [](const auto& honest) { return std::string(honest.param.name); });

namespace fs = std::filesystem;

void change(const fs::path& file, const std::function<void(std::string&)>& edit) {
  std::string text = read_file(file);
  edit(text);
  std::ofstream(file, std::ios::binary) << text;
}

void flip_a_bit(const fs::path& file) {
  change(file, [](std::string& text) { text[text.size() / 2] ^= 1; });
}

void cut_off(const fs::path& file) {
  change(file, [](std::string& text) { text.resize(text.size() * 2 / 3); });
}

void edit_a_number(const fs::path& file) {
  change(file, [](std::string& text) {
    char& digit = text[text.find_last_of("0123456789")];
    digit = digit == '7' ? '3' : '7';
  });
}

// Edits the lines of the journal, each with its line break.
void edit_lines(const fs::path& bundle, const std::function<void(std::vector<std::string>&)>& edit) {
  change(bundle / "journal.jsonl", [&](std::string& text) {
    std::vector<std::string> lines;
    for (const std::string_view line : split_at(text, '\n'))
      if (!line.empty()) lines.push_back(std::string(line) + "\n");
    edit(lines);
    text.clear();
    for (const std::string& line : lines) text += line;
  });
}

// Edits the records and makes all again that follows from results.json.
void edit_results(const fs::path& bundle, const std::function<void(Results&)>& edit) {
  Results results = read_results(bundle / "results.json");
  edit(results);
  finalise_bundle(bundle, results);
}

fs::path tiles_of(const fs::path& bundle) { return fs::directory_iterator(bundle / "tiles")->path(); }

struct Accident {
  const char* name;
  std::function<void(const fs::path& bundle)> happen;
  bool hashes_made_right = false;
};

const std::vector<Accident>& accidents() {
  static const std::vector<Accident> all = {
      {"a bit of results.json", [](const fs::path& b) { flip_a_bit(b / "results.json"); }},
      {"a bit of the journal", [](const fs::path& b) { flip_a_bit(b / "journal.jsonl"); }},
      {"a bit of the report", [](const fs::path& b) { flip_a_bit(b / "report.html"); }},
      {"a bit of the log", [](const fs::path& b) { flip_a_bit(b / "bench.log"); }},
      {"a bit of the commands", [](const fs::path& b) { flip_a_bit(b / "commands.txt"); }},
      {"a bit of a table", [](const fs::path& b) { flip_a_bit(tiles_of(b)); }},
      {"a bit of the hashes", [](const fs::path& b) { flip_a_bit(b / "sha256.txt"); }},
      {"results.json cut", [](const fs::path& b) { cut_off(b / "results.json"); }},
      {"the journal cut", [](const fs::path& b) { cut_off(b / "journal.jsonl"); }},
      {"a table cut", [](const fs::path& b) { cut_off(tiles_of(b)); }},
      {"the environment lost", [](const fs::path& b) { fs::remove(b / "env.json"); }},
      {"a table lost", [](const fs::path& b) { fs::remove(tiles_of(b)); }},
      {"a file more", [](const fs::path& b) { std::ofstream(b / "extra.txt") << "x"; }},
      {"a record dropped",
       [](const fs::path& b) {
         edit_results(b, [](Results& r) {
           r.records.pop_back();
           r.run.complete = false;
         });
       }},
      {"records swapped",
       [](const fs::path& b) {
         edit_results(b, [](Results& r) { std::swap(r.records[0].metrics, r.records[1].metrics); });
       }},
      {"a line of the journal dropped",
       [](const fs::path& b) { edit_lines(b, [](auto& lines) { lines.pop_back(); }); }, true},
      {"lines of the journal swapped",
       [](const fs::path& b) { edit_lines(b, [](auto& lines) { std::swap(lines[1], lines[2]); }); }, true},
      {"the journal torn", [](const fs::path& b) { cut_off(b / "journal.jsonl"); }, true},
      {"the log cut", [](const fs::path& b) { cut_off(b / "bench.log"); }, true},
      {"a table edited", [](const fs::path& b) { edit_a_number(tiles_of(b)); }, true},
      {"the summary edited", [](const fs::path& b) { edit_a_number(b / "summary.md"); }},
      {"the report edited", [](const fs::path& b) { edit_a_number(b / "report.html"); }},
      {"the times edited", [](const fs::path& b) { edit_a_number(b / "benchmark.json"); }, true},
      {"the environment edited", [](const fs::path& b) { edit_a_number(b / "env.json"); }, true},
      {"the statement edited", [](const fs::path& b) { edit_a_number(b / "statement.json"); }, true},
      {"the inventory edited", [](const fs::path& b) { edit_a_number(b / "inventory.txt"); }, true},
  };
  return all;
}

struct Accidents : ::testing::TestWithParam<Honest> {};

TEST_P(Accidents, AreAllFound) {
  const TemporaryDir dir;
  succeeded(run_program(with(GetParam().arguments, {"--out", dir / "out"})));
  const fs::path good = only_bundle(dir / "out"), bad = dir / "bad";
  ASSERT_TRUE(verify_bundle(good).ok());
  ASSERT_GE(accidents().size(), 20u);
  for (const Accident& accident : accidents()) {
    fs::copy(good, bad, fs::copy_options::recursive);
    accident.happen(bad);
    if (accident.hashes_made_right) write_hash_list(bad, required_bundle_files());
    EXPECT_FALSE(verify_bundle(bad).ok()) << accident.name;
    fs::remove_all(bad);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Accidents,
    ::testing::Values(
        Honest{"Seed", {"sweep", "--suite", "seed"}},
        Honest{"Pipeline",
               words("sweep --suite pipeline --scene undulating --method dense_flow --rig arc6 --width 120 "
                     "--height 90 --set arc6.focal_px=200 --repeat 2")}),
    [](const auto& suite) { return std::string(suite.param.name); });

}  // namespace
}  // namespace aqbench::testing
