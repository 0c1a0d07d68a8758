#include "scenes/dataset/dataset_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

DatasetPlan cache_plan(std::uint64_t seed = 42, std::vector<Override> overrides = {}) {
  DatasetRequest request;
  request.rig = "single_pair";
  request.imaging = "textureless";  // the texture would take most of the time
  request.width_px = 32;
  request.seed = seed;
  request.mesh_pitch_m = 0.05;
  request.generator_version = "1.2.3";
  request.overrides = std::move(overrides);
  return plan_dataset(request);
}

// Whether a call had to render.
bool renders(const DatasetPlan& plan, const CacheOptions& options) {
  bool rendered = false;
  const auto used =
      cached_dataset(plan, options, [&](std::size_t, std::size_t, const std::string&) { rendered = true; });
  EXPECT_TRUE(fs::exists(used.dir() / "images" / "cam01" / "000000.png"));
  EXPECT_TRUE(fs::exists(used.dir() / "calibration.json"));
  return rendered;
}

TEST(DatasetCache, EqualPlansAreRenderedOnceAndOthersApart) {
  const TemporaryDirectory dir;
  const CacheOptions options{dir / "new" / "cache"};
  EXPECT_TRUE(renders(cache_plan(), options));
  EXPECT_FALSE(renders(cache_plan(), options));
  EXPECT_TRUE(renders(cache_plan(43), options));
  EXPECT_TRUE(renders(cache_plan(42, {{"undulating", "amplitude_m", "0.004"}}), options));
  const auto entries = list_cache(options);
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries[1].seed, 43u);
  EXPECT_EQ(entries[1].scene, "undulating");
  EXPECT_EQ(entries[1].rig, "single_pair");
  EXPECT_EQ(entries[1].width_px, 32);
  EXPECT_FALSE(entries[1].in_use);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(entries[1].dir))
    if (entry.is_regular_file()) bytes += entry.file_size();
  EXPECT_EQ(entries[1].bytes, bytes);
}

TEST(DatasetCache, KeyFollowsEverythingThatDecidesBytes) {
  const std::string key = dataset_key(cache_plan());
  EXPECT_EQ(key, dataset_key(cache_plan()));
  EXPECT_NE(key, dataset_key(cache_plan(42, {{"single_pair", "k1", "0"}})));
  EXPECT_NE(key, dataset_key(cache_plan(42, {{"imaging", "noise_sigma", "0"}})));
  EXPECT_NE(key, dataset_key(cache_plan(42, {{"undulating", "x_min_m", "-0.2"}})));
  // The size asked for in two ways is the same size.
  DatasetRequest request = cache_plan().request;
  request.width_px.reset();
  request.overrides = {{"single_pair", "width", "32"}, {"single_pair", "height", "24"}};
  EXPECT_EQ(key, dataset_key(plan_dataset(request)));
  DatasetPlan later = cache_plan();
  std::vector<ParameterSpec> specs = find_rig("single_pair").parameters;
  specs.push_back({"added_later", "1", 0.5, 0, 1, "", {}});
  later.rig_parameters = Parameters(specs);
  const DatasetPlan now = cache_plan();
  for (const auto& [name, value] : now.rig_parameters.items()) later.rig_parameters.at(name) = value;
  EXPECT_EQ(key, dataset_key(later)) << "a parameter at its default changes no key";
  later.rig_parameters.at("added_later") = 0.25;
  EXPECT_NE(key, dataset_key(later));
}

TEST(DatasetCache, DamagedEntriesAreRenderedAnew) {
  const TemporaryDirectory dir;
  const CacheOptions options{dir / "cache"};
  const DatasetPlan plan = cache_plan();
  const fs::path entry = cached_dataset(plan, options).dir();
  const std::string image = read_file(entry / "images/cam00/000000.png");
  fs::resize_file(entry / "images/cam00/000000.png", image.size() / 2);
  EXPECT_TRUE(renders(plan, options));
  EXPECT_EQ(read_file(entry / "images/cam00/000000.png"), image);
  fs::remove(entry / "truth/cam01/depth.npy");
  EXPECT_TRUE(renders(plan, options));
  fs::path manifest = entry;
  manifest += ".json";
  std::ofstream(manifest) << "{\"format\": 1, \"files\"";
  EXPECT_TRUE(renders(plan, options));
  std::ofstream(manifest) << "[]";
  EXPECT_TRUE(renders(plan, options));
  EXPECT_FALSE(renders(plan, options));
}

// Moves one depth of a file of true depths without changing its size.
void move_first_depth(const fs::path& npy, float by_m) {
  std::fstream file(npy, std::ios::in | std::ios::out | std::ios::binary);
  constexpr std::streamoff header = 128;
  float depth_m = 0;
  file.seekg(header);
  file.read(reinterpret_cast<char*>(&depth_m), sizeof depth_m);
  depth_m += by_m;
  file.seekp(header);
  file.write(reinterpret_cast<const char*>(&depth_m), sizeof depth_m);
}

TEST(DatasetCache, WhatWasChangedIsFoundByContentAndRenderedAgain) {
  const TemporaryDirectory dir;
  const CacheOptions options{dir / "cache"};
  const DatasetPlan plan = cache_plan();
  const fs::path entry = cached_dataset(plan, options).dir();
  const std::string sha256 = cached_dataset(plan, options).sha256();
  const std::string depth = read_file(entry / "truth/cam00/depth.npy");
  const std::string calibration = read_file(entry / "calibration.json");

  move_first_depth(entry / "truth/cam00/depth.npy", 0.05F);
  ASSERT_NE(read_file(entry / "truth/cam00/depth.npy"), depth);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(renders(plan, options));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "cache: " + (entry / "truth/cam00/depth.npy").string() +
                ": changed since it was rendered (its SHA-256 differs); rendering the dataset again\n");
  EXPECT_EQ(read_file(entry / "truth/cam00/depth.npy"), depth);

  std::string moved = calibration;
  const std::size_t digit = moved.find_first_of("123456789", moved.find("water_z"));
  moved[digit] = moved[digit] == '9' ? '8' : '9';
  std::ofstream(entry / "calibration.json") << moved;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(renders(plan, options));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("calibration.json: changed since it was rendered"));
  EXPECT_EQ(read_file(entry / "calibration.json"), calibration);
  EXPECT_EQ(cached_dataset(plan, options).sha256(), sha256);
  EXPECT_FALSE(renders(plan, options));
}

TEST(DatasetCache, NothingThatAMethodSeesNamesTheEntry) {
  const TemporaryDirectory dir;
  const DatasetPlan plan = cache_plan();
  const CachedDataset dataset = cached_dataset(plan, {dir / "cache"});
  const std::string calibration = read_file(dataset.dir() / "calibration.json");
  EXPECT_EQ(calibration.find(dataset_key(plan)), calibration.npos);
  EXPECT_EQ(calibration.find(dataset.sha256()), calibration.npos);
}

TEST(DatasetCache, AnInterruptedRenderingLeavesNoEntry) {
  const TemporaryDirectory dir;
  const CacheOptions options{dir / "cache"};
  const pid_t child = ::fork();
  if (child == 0) {  // killed in the middle, as by the out-of-memory killer
    cached_dataset(cache_plan(), options, [](std::size_t done, std::size_t work, const std::string&) {
      if (2 * done > work) ::_exit(9);
    });
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 9);
  EXPECT_THAT(list_cache(options), IsEmpty());
  const auto partial = [&] {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(options.dir))
      if (entry.path().filename().string().starts_with(".")) ++count;
    return count;
  };
  EXPECT_EQ(partial(), 1u);
  EXPECT_TRUE(renders(cache_plan(43), options));
  EXPECT_EQ(partial(), 0u) << "adding an entry cleans up";
  EXPECT_TRUE(renders(cache_plan(), options));
}

TEST(DatasetCache, SeveralProcessesRenderOneDatasetOnce) {
  const TemporaryDirectory dir;
  const CacheOptions options{dir / "cache"};
  const DatasetPlan plan = cache_plan();
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    int code = 0;
    try {
      const auto used = cached_dataset(plan, options, [&](std::size_t, std::size_t, const std::string&) {
        code = 1;
        ::usleep(10000);
      });
      if (!fs::exists(used.dir() / "calibration.json")) code = 2;
    } catch (...) {
      code = 3;
    }
    ::_exit(code);
  }
  std::vector<int> codes;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  EXPECT_THAT(codes, testing::UnorderedElementsAre(1, 0, 0, 0));
}

TEST(DatasetCache, TheLimitEvictsWhatWasNotUsedForLongestButNothingInUse) {
  const TemporaryDirectory dir;
  CacheOptions options{dir / "cache"};
  const CachedDataset held = cached_dataset(cache_plan(1), options);  // the oldest, in use
  for (std::uint64_t seed : {2, 3}) cached_dataset(cache_plan(seed), options);
  auto when = fs::file_time_type::clock::now() - std::chrono::hours(3);
  for (std::uint64_t seed : {1, 2, 3}) {
    fs::last_write_time(options.dir / (dataset_key(cache_plan(seed)) + ".json"), when);
    when += std::chrono::hours(1);
  }
  EXPECT_FALSE(renders(cache_plan(2), options));  // now 3 is the oldest unused one
  const auto entries = list_cache(options);
  ASSERT_THAT(entries, SizeIs(3));
  EXPECT_EQ(entries[0].seed, 2u);
  EXPECT_EQ(entries[2].seed, 1u);
  EXPECT_TRUE(entries[2].in_use);
  EXPECT_FALSE(entries[0].in_use);
  options.limit_bytes = 7 * entries[0].bytes / 2;  // room for three
  cached_dataset(cache_plan(4), options);
  std::vector<std::uint64_t> seeds;
  for (const CacheEntry& entry : list_cache(options)) seeds.push_back(entry.seed);
  EXPECT_THAT(seeds, testing::ElementsAre(4, 2, 1));
  // The newest stays even where there is no room at all.
  options.limit_bytes = 0;
  const CachedDataset newest = cached_dataset(cache_plan(5), options);
  seeds.clear();
  for (const CacheEntry& entry : list_cache(options)) seeds.push_back(entry.seed);
  EXPECT_THAT(seeds, testing::ElementsAre(5, 1));
  EXPECT_TRUE(fs::exists(held.dir() / "calibration.json"));
}

TEST(DatasetCache, ClearingSparesWhatIsInUse) {
  const TemporaryDirectory dir;
  const CacheOptions options{dir / "cache"};
  EXPECT_EQ(clear_cache(options).removed, 0u);
  EXPECT_THAT(list_cache(options), IsEmpty());
  CacheClearing done;
  {
    const CachedDataset held = cached_dataset(cache_plan(1), options);
    cached_dataset(cache_plan(2), options);
    done = clear_cache(options);
    EXPECT_EQ(done.removed, 1u);
    EXPECT_EQ(done.in_use, 1u);
    EXPECT_GT(done.removed_bytes, 0u);
    EXPECT_TRUE(fs::exists(held.dir() / "calibration.json"));
  }
  EXPECT_EQ(clear_cache(options).removed, 1u);
  for (const auto& entry : fs::directory_iterator(options.dir))
    EXPECT_EQ(entry.path().filename(), "evict") << entry.path();
}

TEST(DatasetCache, RemovesOnlyWhatCarriesItsMark) {
  const TemporaryDirectory dir;
  CacheOptions options{dir.path()};
  const std::string key(64, 'a');
  const std::vector<std::string> foreign = {"yarn.lock",        ".yarnrc.yml", "yarn/package.json",
                                            "yarn.json",        key + ".lock", key + "/mine",
                                            "." + key + ".txt", "Cargo.lock",  "notes.json"};
  for (const std::string& name : foreign) {
    fs::create_directories((dir / name).parent_path());
    dir.file(name, name == key + ".lock" ? "" : "not the cache's");
  }
  const auto all_there = [&] {
    for (const std::string& name : foreign) EXPECT_TRUE(fs::exists(dir / name)) << name;
  };
  { cached_dataset(cache_plan(1), options); }
  options.limit_bytes = 0;
  { cached_dataset(cache_plan(2), options); }  // evicts the first one
  EXPECT_THAT(list_cache(options), SizeIs(1));
  all_there();
  EXPECT_EQ(clear_cache(options).removed, 1u);
  all_there();
  EXPECT_THAT(list_cache(options), IsEmpty());
  EXPECT_FALSE(fs::exists(dir / dataset_key(cache_plan(2))));
  // A lock that is a link to a mark does not belong to the cache.
  { cached_dataset(cache_plan(1), options); }
  fs::rename(dir / (dataset_key(cache_plan(1)) + ".lock"), dir / "mark");
  fs::create_symlink("mark", dir / (dataset_key(cache_plan(1)) + ".lock"));
  EXPECT_EQ(clear_cache(options).removed, 0u);
  EXPECT_TRUE(fs::exists(dir / dataset_key(cache_plan(1)) / "calibration.json"));
}

TEST(DatasetCache, EntriesOfAnEarlierVersionAreItsOwnOnceTheyAreUsed) {
  const TemporaryDirectory dir;
  const CacheOptions options{dir / "cache"};
  const std::string key = dataset_key(cache_plan());
  { cached_dataset(cache_plan(), options); }
  std::ofstream(options.dir / (key + ".lock")).close();  // it had an empty lock
  EXPECT_THAT(list_cache(options), IsEmpty()) << "anyone could have created it";
  EXPECT_EQ(clear_cache(options).removed, 0u);
  EXPECT_TRUE(fs::exists(options.dir / key));
  EXPECT_FALSE(renders(cache_plan(), options));
  std::ofstream(options.dir / ("." + key + "-notes")) << "mine";
  EXPECT_EQ(clear_cache(options).removed, 1u);
  EXPECT_FALSE(fs::exists(options.dir / key));
  EXPECT_TRUE(fs::exists(options.dir / ("." + key + "-notes")));
}

TEST(DatasetCache, SizesAndPlacesComeFromTheEnvironment) {
  EXPECT_EQ(parse_byte_count("20G"), std::uintmax_t{20} << 30);
  EXPECT_EQ(parse_byte_count("0"), 0u);
  EXPECT_EQ(parse_byte_count("500M"), std::uintmax_t{500} << 20);
  for (const char* wrong : {"", "G", "-1", "1.5G", "20 G", "20GB", "99999999T"})
    EXPECT_THAT(error_of(ErrorKind::usage, [&] { parse_byte_count(wrong); }), HasSubstr("expected a size"));
  ::setenv("AQBENCH_CACHE_DIR", "/somewhere", 1);
  EXPECT_EQ(default_cache_dir(), "/somewhere");
  ::unsetenv("AQBENCH_CACHE_DIR");
  ::setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(default_cache_dir(), "/xdg/aqbench");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(default_cache_dir(), "/home/me/.cache/aqbench");
  ::setenv("AQBENCH_CACHE_LIMIT", "lots", 1);
  EXPECT_THAT(error_of(ErrorKind::usage, [] { cache_options_from_environment(); }),
              HasSubstr("AQBENCH_CACHE_LIMIT: 'lots'"));
  ::setenv("AQBENCH_CACHE_LIMIT", "3K", 1);
  EXPECT_EQ(cache_options_from_environment().limit_bytes, 3072u);
  ::unsetenv("AQBENCH_CACHE_LIMIT");
}

TEST(DatasetCache, AFolderThatCannotBeMadeIsNamed) {
  const TemporaryDirectory dir;
  const fs::path file = dir.file("file", "");
  EXPECT_THAT(error_of(ErrorKind::io, [&] { cached_dataset(cache_plan(), {file / "cache"}); }),
              HasSubstr("file/cache"));
}

}  // namespace
}  // namespace aqbench
