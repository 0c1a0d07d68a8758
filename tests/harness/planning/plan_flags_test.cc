// The table of a plan's flags: what is written back reads as the same request.

#include "harness/planning/plan_flags.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace aqbench {
namespace {

std::vector<const PlanFlag*> all_flags() {
  std::vector<const PlanFlag*> flags;
  for (const auto& table : {selection_flags(), case_flags(), timing_flags(), shard_flags()})
    for (const PlanFlag& flag : table) flags.push_back(&flag);
  return flags;
}

const PlanFlag& flag_named(const std::string& name) {
  for (const PlanFlag* const flag : all_flags())
    if (name == flag->name) return *flag;
  throw Error(ErrorKind::usage, name);
}

// What the command line does with "--name value" pairs.
PlanRequest read_words(const std::vector<std::string>& words) {
  PlanRequest request;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string name = words[i].substr(2);
    flag_named(name).read(request, {name, words[i + 1]});
  }
  return request;
}

std::string refusal_of(const std::string& name, const std::string& text) {
  try {
    PlanRequest request;
    flag_named(name).read(request, {name, text});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << name;
    return error.what();
  }
  return {};
}

TEST(PlanFlags, EveryFlagHasItsNameItsPlaceAndItsHelp) {
  std::vector<int> places;
  std::map<std::string, int> names;
  for (const PlanFlag* const flag : all_flags()) {
    places.push_back(flag->place);
    ++names[flag->name];
    EXPECT_FALSE(std::string(flag->value_name).empty() || std::string(flag->help).empty()) << flag->name;
  }
  std::ranges::sort(places);
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(places[i], static_cast<int>(i) + 1);
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
}

TEST(PlanFlags, WhatIsWrittenReadsBackAsTheSameRequest) {
  const std::vector<std::string> words = {"--suite",
                                          "pipeline",
                                          "--scene",
                                          "und*",
                                          "--scene",
                                          "flat_plane",
                                          "--method",
                                          "roma_like",
                                          "--workload",
                                          "absorption",
                                          "--axis",
                                          "seed=1,2,3",
                                          "--set",
                                          "a.b=c=d",
                                          "--seed",
                                          "7",
                                          "--repeat",
                                          "3",
                                          "--rig",
                                          "sparse4",
                                          "--imaging",
                                          "clean",
                                          "--width",
                                          "480",
                                          "--height",
                                          "360",
                                          "--threads",
                                          "2",
                                          "--device",
                                          "cuda",
                                          "--timeout",
                                          "12.5",
                                          "--memory-limit",
                                          "1.5",
                                          "--repetitions",
                                          "20",
                                          "--warmup",
                                          "3",
                                          "--min-time",
                                          "0.5",
                                          "--precision",
                                          "2",
                                          "--max-repetitions",
                                          "50",
                                          "--max-time",
                                          "30",
                                          "--shard",
                                          "2/3",
                                          "--inject",
                                          "*:noise=+5%"};
  const PlanRequest request = read_words(words);
  EXPECT_EQ(plan_words(request), words);
  EXPECT_EQ(requested_json(read_words(plan_words(request))), requested_json(request));
  EXPECT_TRUE(plan_words({}).empty());
}

TEST(PlanFlags, AWrongValueIsNamedWithItsFlag) {
  EXPECT_EQ(refusal_of("threads", "x"), "the argument ('x') for option '--threads' is invalid");
  EXPECT_EQ(refusal_of("threads", ""), "the argument for option '--threads' is invalid");
  EXPECT_EQ(refusal_of("threads", "0"), "--threads 0: must be at least 1");
  EXPECT_EQ(refusal_of("threads", "2147483648"),
            "the argument ('2147483648') for option '--threads' is invalid");
  EXPECT_EQ(refusal_of("seed", "-1"), "--seed -1: must be at least 0");
  EXPECT_EQ(refusal_of("width", "16385"), "--width 16385: must be at most 16384");
  EXPECT_EQ(refusal_of("timeout", "inf"), "--timeout inf: must be a positive number");
  EXPECT_EQ(refusal_of("memory-limit", "1e10"),
            "--memory-limit '1e10': is more memory than a machine can have");
  EXPECT_EQ(refusal_of("min-time", "5e"), "the argument ('5e') for option '--min-time' is invalid");
  EXPECT_EQ(refusal_of("threads", "+3"), "");
  PlanRequest request;
  request.suite = "seed";
  EXPECT_THROW(flag_named("suite-file").read(request, {"suite-file", "x.json"}), Error);
}

}  // namespace
}  // namespace aqbench
