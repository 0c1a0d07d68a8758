// Every file of the fuzzer's corpus, saved crashes among them, and files changed at random: each is read or
// refused in one line.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
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

// Changes bytes at random as disks, editors and people do: one byte, a lost part, a repeated part, a cut end,
// another number or bracket.
std::string mutated(std::string bytes, std::mt19937_64& random) {
  static constexpr const char* kTokens[] = {
      "nan", "-1", "1e308", "99999999999999999999", "0", "", "\n", "[[[[[[", "{}", "null", "-inf",
      "\"",  ":",  "\xff"};
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  const std::size_t changes = 1 + below(3);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = below(bytes.size()),
                      length = below(1 + std::min<std::size_t>(bytes.size() - at, 64));
    switch (random() % 6) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(random());
        break;
      case 1:
        if (!bytes.empty()) bytes[at] ^= static_cast<char>(1U << below(8));
        break;
      case 2:
        bytes.erase(at, length);
        break;
      case 3:
        bytes.insert(at, bytes.substr(at, length));
        break;
      case 4:
        bytes.resize(at);
        break;
      default:
        bytes.replace(at, std::min<std::size_t>(length, 8), kTokens[below(std::size(kTokens))]);
    }
  }
  return bytes;
}

// AQBENCH_MUTATIONS=100000 tries more of each reader (docs/robustness.md).
TEST_P(FuzzCorpus, ChangedAtRandomIsReadOrRefusedInOneLine) {
  const std::size_t usual = GetParam().name == std::string("bundle") ? 40 : 1000;
  const char* const asked = std::getenv("AQBENCH_MUTATIONS");
  const std::size_t tries = asked == nullptr ? usual : std::strtoul(asked, nullptr, 10);
  ASSERT_GT(tries, 0U) << "AQBENCH_MUTATIONS";
  const TemporaryDirectory folder;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(kCorpus / GetParam().name)) files.push_back(entry.path());
  std::ranges::sort(files);
  ASSERT_FALSE(files.empty());
  std::mt19937_64 random(42);
  for (std::size_t i = 0; i < tries; ++i) {
    const std::string bytes = mutated(corpus_bytes(files[i % files.size()]), random);
    try {
      run_target(GetParam(), bytes, folder.path());
    } catch (const std::exception& error) {
      std::ofstream(fs::path(testing::TempDir()) / (std::string("aqbench_fuzz_") + GetParam().name))
          .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
      FAIL() << "try " << i << " of " << files[i % files.size()] << ": " << error.what();
    }
  }
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

// The corpus contains accepted files: otherwise the fuzzer would start only from refusals.
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
