// What a bundle keeps of one sweep: a finished one is not resumed, several processes do not mix, and the
// baseline that was read first decides.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"
#include "tests/cli/when_lines.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

using OneBundle = Folder;

TEST_F(OneBundle, AFinishedOneIsNotResumed) {
  succeeded(run("sweep --scene flat_plane --method roma_like"));
  const auto bundle = only_bundle(dir_ / "out");
  const auto contents = [&] {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(bundle))
      if (entry.is_regular_file()) files[entry.path().string()] = read_file(entry.path());
    return files;
  };
  const auto before = contents();
  expect_mistake(run({"sweep", "--resume", bundle}), "is complete");
  EXPECT_EQ(contents(), before);
  // One whose files could not be written has something to go on with.
  std::filesystem::remove(bundle / "sha256.txt");
  succeeded(run({"sweep", "--resume", bundle}));
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
}

TEST_F(OneBundle, SeveralThatResumeOneBundleLeaveItGood) {
  ProgramOptions options;
  options.interrupt_when = [&] { return bundle_lines(dir_ / "out", "journal.jsonl") >= 2; };
  exits(run(words("sweep --scene flat_plane --method roma_like --repeat 60 --threads 1"), options), 130);
  const auto bundle = only_bundle(dir_ / "out");
  std::vector<ProgramResult> results(3);
  std::vector<std::thread> all;
  for (ProgramResult& result : results)
    all.emplace_back([&] { result = run({"sweep", "--resume", bundle, "--local", "2"}); });
  for (std::thread& one : all) one.join();
  EXPECT_GE(std::ranges::count(results, 0, &ProgramResult::exit_code), 1);
  for (const ProgramResult& result : results)
    EXPECT_THAT(result.err + result.out, ::testing::Not(HasSubstr("does not verify")));
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
}

// It is read once, and what was read is sealed and decides.
TEST_F(OneBundle, ABaselineThatChangesMeanwhileDecidesNothing) {
  const auto sweep = [&](const char* out, const Arguments& more) {
    return run(with(words("sweep --scene flat_plane --method roma_like --repeat 60 --out {}", out), more));
  };
  succeeded(sweep("first", {}));
  const std::string file = dir_ / "base.json";
  succeeded(run("accept {} --baseline {} --leave-out-undefined", only_bundle(dir_ / "first"), file));
  const std::string accepted = read_file(file);
  Json worse = Json::parse(accepted);
  for (Json& one : worse.at("cases")) one.at("metrics").at("accuracy_mean_mm").at("value") = 1e-3;
  std::thread editor = when_lines(dir_ / "out", 2, [&] { write_text(file, worse.dump()); });
  const auto swept = succeeded(sweep("out", words("--baseline {} --gate", file)));
  editor.join();
  ASSERT_NE(read_file(file), accepted);
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_EQ(read_file(bundle / "baseline.json"), accepted);
  EXPECT_EQ(json_file<Json>(bundle / "statement.json").at("predicate").at("result"), "PASSED");
  EXPECT_THAT(swept.out, HasSubstr("PASS"));
}

}  // namespace
}  // namespace aqbench::testing
