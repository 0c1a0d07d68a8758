#include "harness/measuring/environment.h"

#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "harness/measuring/build_info.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

TEST(Environment, KnowsTheMachineAndTheBuild) {
  const Json json = environment_json({.threads = 2});
  EXPECT_EQ(json["cpu"]["cores_online"], ::sysconf(_SC_NPROCESSORS_ONLN));
  EXPECT_GE(json["cpu"]["cores_usable"].get<int>(), 1);
  EXPECT_LE(json["cpu"]["cores_usable"].get<int>(), static_cast<int>(json["cpu"]["affinity"].size()));
  const auto pages = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(json["memory"]["total_bytes"].get<std::uint64_t>(), pages);
  EXPECT_THAT(json["build"]["compiler"].get<std::string>(), HasSubstr("."));
  EXPECT_THAT(json["build"]["flags"].get<std::string>(), HasSubstr("-O"));
  EXPECT_EQ(json["build"]["program_sha256"], sha256_file_hex("/proc/self/exe"));
  EXPECT_EQ(json["threads"], 2);
  for (const char* name :
       {"libtorch", "open3d", "embree", "eigen", "boost", "nlohmann_json", "fmt", "openssl"})
    EXPECT_TRUE(json["libraries"][name].is_string()) << name;
  EXPECT_THAT(json["blas_files"].dump(), HasSubstr("blas")) << "LibTorch needs one";
}

// The paths of what is null without a reason beside it.
std::vector<std::string> unexplained(const Json& object, const std::string& path = "") {
  std::vector<std::string> found;
  for (const auto& [key, value] : object.items()) {
    if (value.is_object())
      for (std::string& inner : unexplained(value, path + key + ".")) found.push_back(std::move(inner));
    const bool explained = object.contains(key + "_reason") || object.contains("reason");
    if (value.is_null() && !explained && path != "comparability.") found.push_back(path + key);
  }
  return found;
}

TEST(Environment, WhatIsUnknownHasAReason) {
  EXPECT_THAT(unexplained(environment_json({})), testing::IsEmpty());
  const Json silent = {{"a", nullptr}, {"a_reason", "x"}, {"b", {{"c", nullptr}}}};
  EXPECT_THAT(unexplained(silent), testing::ElementsAre("b.c")) << "this test can fail";
}

TEST(Environment, ComparabilityKeyHasWhatDecidesTimes) {
  const Json one = environment_json({.threads = 1})["comparability"];
  for (const char* key : {"architecture", "cpu_model", "cores", "cgroup_quota_cores", "compiler", "flags",
                          "build_type", "blas", "libtorch", "device", "dtype", "threads", "memory", "gpu"})
    EXPECT_TRUE(one.contains(key)) << key;
  EXPECT_EQ(environment_json({.threads = 1})["comparability"], one);
  EXPECT_NE(environment_json({.threads = 2})["comparability"], one);
  EXPECT_NE(environment_json({.threads = 1, .device = "cuda"})["comparability"], one);
}

TEST(Environment, DescribesAnOpenClDeviceAlsoInTheKey) {
  EXPECT_FALSE(environment_json({}).contains("opencl"));
  const Json environment = environment_json({.device = "opencl"});
  const Json& device = environment.at("opencl");
  EXPECT_EQ(environment.at("comparability").at("opencl"), device);
  if (device.contains("reason")) GTEST_SKIP() << device.at("reason");
  for (const char* key : {"name", "model", "kind", "driver", "compiler"})
    EXPECT_TRUE(device.contains(key)) << key;
  EXPECT_THAT(environment_json({.device = "opencl:999"}).at("opencl").at("reason").get<std::string>(),
              HasSubstr("'opencl:999'"));
}

TEST(Environment, SeesTheRepositoryOfTheWorkingDirectory) {
  const auto before = std::filesystem::current_path();
  const test::TemporaryFolder folder;
  std::filesystem::current_path(folder.path());
  const Json outside = environment_json({})["working_directory_git"];
  std::filesystem::current_path(before);
  EXPECT_TRUE(outside["commit"].is_null());
  EXPECT_THAT(outside["reason"].get<std::string>(), HasSubstr("git"));
}

TEST(Environment, LoadStandsBesideIt) {
  Json json = Json::object();
  add_load(json, LoadAverage{{1, 2, 3}}, std::nullopt);
  EXPECT_EQ(json["load"]["before"], Json({1.0, 2.0, 3.0}));
  EXPECT_TRUE(json["load"]["after"].is_null());
  ASSERT_TRUE(load_average().has_value());
  EXPECT_GE(load_average()->front(), 0);
}

}  // namespace
}  // namespace aqbench
