// Every file of the fuzzer's corpus, saved crashes among them: each is read or refused in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/fuzz/fuzz_target.h"
#include "tests/temporary_directory.h"

namespace aqbench::fuzz {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(AQBENCH_SOURCE_DIR) / "tests" / "fuzz" / "corpus";

std::string corpus_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

class FuzzCorpus : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, IsReadOrRefusedInOneLine) {
  const TemporaryDirectory folder;
  std::size_t read = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / GetParam().name)) {
    std::string bytes = corpus_bytes(entry.path());
    EXPECT_NO_THROW(run_target(GetParam(), bytes, folder.path())) << entry.path();
    ++read;
    if (GetParam().name == std::string("bundle")) continue;  // edits, of which half are edits, too
    bytes.resize(bytes.size() / 2);                          // as a full disk leaves it
    EXPECT_NO_THROW(run_target(GetParam(), bytes, folder.path())) << "the first half of " << entry.path();
  }
  EXPECT_GT(read, 0U);
}

INSTANTIATE_TEST_SUITE_P(Of, FuzzCorpus, ::testing::ValuesIn(all_targets()),
                         [](const auto& target) { return std::string(target.param.name); });

TEST(FuzzCorpus, HasNoFolderWithoutATargetAndIsSmall) {
  std::set<std::string> names;
  for (const Target& target : all_targets()) EXPECT_TRUE(names.insert(target.name).second) << target.name;
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kCorpus)) {
    if (entry.is_regular_file())
      bytes += entry.file_size();
    else
      EXPECT_TRUE(names.contains(entry.path().filename().string())) << entry.path();
  }
  EXPECT_LT(bytes, 200'000U);
}

// The corpus holds what is accepted: else the fuzzer would start from refusals alone.
TEST(FuzzCorpus, HoldsAFileThatIsAcceptedByEachReader) {
  const TemporaryDirectory folder;
  for (const Target& target : all_targets()) {
    if (target.name == std::string("bundle")) continue;  // never refused
    bool accepted = false;
    std::string refused;
    for (const auto& entry : fs::directory_iterator(kCorpus / target.name)) {
      if (accepted) break;
      const std::string why = run_target(target, corpus_bytes(entry.path()), folder.path());
      accepted = why.empty();
      refused += entry.path().filename().string() + ": " + why + "\n";
    }
    EXPECT_TRUE(accepted) << target.name << "\n" << refused;
  }
}

}  // namespace
}  // namespace aqbench::fuzz
