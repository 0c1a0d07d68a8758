// `aqbench ab --cmd-a --cmd-b`: any two commands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/ab_fixture.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

class AbCommands : public Ab {
 protected:
  ProgramResult compare(const std::string& a, const std::string& b, const Arguments& more = {}) const {
    return run(with({"ab", "--cmd-a", a, "--cmd-b", b, "--out", "out"}, more));
  }
};

const Arguments kShort = words("--looks 1 --pairs 20 --repetitions 1 --no-confirm");

TEST_F(AbCommands, AKnownRatioIsSeenAndTheBundleVerifies) {
  const auto ran = exits(compare("sleep 0.02", "sleep 0.2", kShort), 1);
  EXPECT_THAT(ran.out, HasSubstr("REGRESSED"));
  EXPECT_THAT(ran.err, HasSubstr("20 pairs of 1 run each: about"));
  const auto bundle = only_bundle(dir_ / "out");
  succeeded(run({"verify", bundle}));
  Json json = json_file<Json>(bundle / "results.json");
  EXPECT_EQ(json["comparison"]["a"]["command"]["line"], "sleep 0.02");
  EXPECT_GT(json["records"][0]["unit"]["outcomes"]["cpu_ms"][0].get<double>(), 0);
}

// A stand-in for a program of Google Benchmark: its benchmarks take that long, whatever is filtered.
std::string fake_benchmarks(const std::filesystem::path& file, const std::string& sort_ns,
                            const std::string& read_ns) {
  const auto row = [](const std::string& name, const std::string& time_ns) {
    return R"(printf "{\"name\": \")" + name + R"(\", \"run_type\": \"iteration\", \"time_unit\": \"ns\", )" +
           R"(\"real_time\": %.9f}", )" + time_ns + " * (1 + 0.01 * rand());\n";
  };
  std::ofstream(file) << "awk -v seed=\"$(od -An -N4 -tu4 /dev/urandom)\" 'BEGIN { srand(seed);\n"
                      << R"(print "not a report\n{\"benchmarks\": [";)"
                      << "\n"
                      << row("BM_sort/8", sort_ns) << R"(print ",";)"
                      << "\n"
                      << row("BM_read", read_ns) << R"(print "]}" }')"
                      << "\n";
  return "sh " + file.string();
}

// Where a benchmark counts its instructions they decide, whatever its times do; else the output says why not.
TEST_F(AbCommands, InstructionsOfBenchmarksDecideWhereTheyAreCounted) {
  const auto script = [&](const char* name, int time_ns, const std::string& counter) {
    std::ofstream(dir_ / name)
        << R"(case "$*" in *--benchmark_perf_counters=INSTRUCTIONS*) ;; *) exit 3 ;; esac
echo '{"benchmarks": [{"name": "BM_x", "run_type": "iteration", "time_unit": "ns", "real_time": )"
        << time_ns << R"(, "cpu_time": )" << time_ns << counter << "}]}'\n";
    return "sh " + (dir_ / name).string();
  };
  const auto compare_benchmarks = [&](const std::string& a, const std::string& b) {
    return run(with({"ab", "--gbench-a", a, "--gbench-b", b, "--decide-by", "instructions", "--label-b",
                     "head", "--label-a", "base", "--github"},
                    kShort));
  };
  const std::string fewer = script("a.sh", 1000, R"(, "INSTRUCTIONS": 1000000)"),
                    more = script("b.sh", 900, R"(, "INSTRUCTIONS": 1040000)");
  const auto counted = exits(compare_benchmarks(fewer, more), 1);
  EXPECT_THAT(counted.out, HasSubstr("::error title=BM_x::head is 4.0 %25 slower"));
  EXPECT_THAT(counted.out, HasSubstr("by instructions"));
  const auto uncounted = compare_benchmarks(fewer, script("c.sh", 1000, ""));
  EXPECT_THAT(uncounted.out, HasSubstr("instructions do not decide: the reports of BM_x have no counter"));
}

// A benchmark that fails on one side has failed; it is not left out.
TEST_F(AbCommands, ABenchmarkThatFailsInBHasFailed) {
  const auto script = [&](const char* name, const char* second) {
    std::ofstream(dir_ / name)
        << R"(echo '{"benchmarks": [{"name": "BM_a", "run_type": "iteration", "real_time": 5},)" << second
        << "]}'\n";
    return "sh " + (dir_ / name).string();
  };
  const auto ran =
      exits(run({"ab", "--gbench-a",
                 script("a.sh", R"({"name": "BM_b", "run_type": "iteration", "real_time": 5})"), "--gbench-b",
                 script("b.sh", R"({"name": "BM_b", "error_occurred": true, "error_message": "no disk"})"),
                 "--looks", "1", "--pairs", "20", "--no-confirm", "--out", "out"}),
            3);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("FAILED"), HasSubstr("BM_b"), HasSubstr("no disk")));
  // So has one that B has lost: what became slower must not pass by being deleted.
  constexpr const char* kOthers = R"({"name": "first", "run_type": "iteration", "real_time": 5},
      {"name": "second", "run_type": "iteration", "real_time": 5})";
  const std::string a = script("a.sh", R"({"name": "BM_b", "run_type": "iteration", "real_time": 5})"),
                    b = script("b.sh", kOthers);
  const auto lost = exits(run({"ab", "--gbench-a", a, "--gbench-b", b, "--looks", "1", "--pairs", "20",
                               "--no-confirm", "--out", "lost"}),
                          3);
  EXPECT_THAT(lost.out, AllOf(HasSubstr("FAILED"), HasSubstr("BM_b"), HasSubstr("did not measure BM_b")));
}

TEST_F(AbCommands, ProgramsOfGoogleBenchmarkAreComparedByWhatTheyMeasured) {
  const std::string a = fake_benchmarks(dir_ / "a.sh", "1000", "5e6"),
                    b = fake_benchmarks(dir_ / "b.sh", "1060", "5e6");
  const auto compare_benchmarks = [&](const std::string& line_b) {
    return run("ab --gbench-a {} --gbench-b {} --looks 1 --pairs 24 --no-confirm --json --out out", a,
               line_b);
  };
  const auto ran = exits(compare_benchmarks(b), 1);
  EXPECT_THAT(ran.err, HasSubstr("24 pairs of 2 benchmarks: about"));
  const Json cases = Json::parse(ran.out)["decision"]["cases"];
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0]["name"], "BM_sort/8");
  EXPECT_EQ(cases[0]["verdict"], "REGRESSED");
  EXPECT_NEAR(cases[0]["time"]["comparison"]["change"].get<double>(), 0.06, 0.006);
  EXPECT_NEAR(cases[0]["time"]["median_a_ms"].get<double>(), 1e-3, 1e-5);
  EXPECT_EQ(cases[1]["verdict"], "PASS");
  succeeded(run({"verify", only_bundle(dir_ / "out")}));
  // A benchmark that was moved or renamed is named on both sides, and the others are compared.
  std::string text = read_file(dir_ / "b.sh");
  write_file(dir_ / "c.sh", text.replace(text.find("BM_read"), 7, "BM_load"));
  const auto renamed = exits(compare_benchmarks("sh " + (dir_ / "c.sh").string()), 1);
  EXPECT_THAT(
      renamed.err,
      AllOf(HasSubstr("A has the benchmark BM_read, which B lacks: not compared; B may have it as BM_load"),
            HasSubstr("B has the benchmark BM_load, which A lacks"),
            HasSubstr("24 pairs of 1 benchmark: about")));
  EXPECT_THAT(renamed.out, HasSubstr("B may have it as BM_load")) << "in the notes of the report";
  // Without any of its benchmarks B is another program; a command that prints a report gets a hint.
  EXPECT_EQ(compare_benchmarks("echo '{\"benchmarks\": []}' #").exit_code, 4);
  const auto commands = compare(a, b, with(kShort, {"--outputs-may-differ"}));
  EXPECT_THAT(commands.err, HasSubstr("hint: both commands print a report of Google Benchmark"));
  EXPECT_THAT(run("ab --gbench-a {} --cmd-b {}", a, b).err, HasSubstr("give one of --cmd-a or --gbench-a"));
}

// `tail` holds what it will print: 50 and 82 MiB, the peak of the largest process.
TEST_F(AbCommands, MoreMemoryIsARegressionOfABenchmark) {
  const auto program = [&](const char* name, const char* bytes) {
    const std::string hold = std::string("head -c ") + bytes + " /dev/zero | tail -c " + bytes;
    std::ofstream(dir_ / name)
        << hold << " > /dev/null\n"
        << R"(echo '{"benchmarks": [{"name": "BM_a", "run_type": "iteration", "real_time": 5}]}' #)"
        << "\n";
    return "sh " + (dir_ / name).string();
  };
  const auto ran =
      exits(run({"ab", "--gbench-a", program("a.sh", "50M"), "--gbench-b", program("b.sh", "82M"), "--looks",
                 "1", "--pairs", "12", "--no-confirm", "--out", "out"}),
            1);
  EXPECT_THAT(ran.out, HasSubstr("REGRESSED: peak_memory_mib +6"));
}

TEST_F(AbCommands, OtherOutputsAreInvalidUnlessTheyMayDiffer) {
  EXPECT_THAT(exits(compare("echo one", "echo two", kShort), 1).out, HasSubstr("INVALID"));
  succeeded(compare("echo one", "echo two",
                    with(kShort, words("--outputs-may-differ --allow-inconclusive --delta 90%"))));
}

// Options of the method are what is compared; other scenes are not the same question.
TEST_F(AbCommands, BundlesOfOtherScenesAreNotComparable) {
  const auto sweep = [&](const char* out, const Arguments& more) {
    succeeded(run(with(words("sweep --scene undulating --repeat 2 --out {}", out), more)));
    return only_bundle(dir_ / out).string();
  };
  const std::string a = sweep("a", words("--method roma_like --set roma_like.points=200")),
                    b = sweep("b", words("--method roma_like --set roma_like.points=210")),
                    other = sweep("other", words("--method roma_like --set roma_like.points=200 --set "
                                                 "undulating.amplitude_m=0.009"));
  const auto judge = [&](const std::string& bundle) {
    return run("ab --bundle-a {} --bundle-b {} --metric accuracy_mean_mm --out compared", a, bundle);
  };
  exits(judge(b), 5);  // two seeds decide nothing
  EXPECT_THAT(exits(judge(other), 4).err, HasSubstr("option undulating.amplitude_m is 0.009"));
  // Of two methods each side names its own.
  const auto methods =
      exits(judge(sweep("l", words("--method lightglue_like --set lightglue_like.points=200"))), 5);
  EXPECT_THAT(methods.out, HasSubstr(", roma_like)"));
  EXPECT_THAT(methods.out, HasSubstr(", lightglue_like)"));
  EXPECT_THAT(methods.out, Not(HasSubstr("undulating/roma_like")));
}

TEST_F(AbCommands, CommandsThatCannotRunAreNamedAtOnce) {
  const auto absent = compare("true", "no-such-command-here");
  expect_mistake(absent, "--cmd-b 'no-such-command-here': no such command");
  expect_mistake(compare("echo broken >&2; exit 3", "true"), "exit code 3: broken");
  expect_mistake(compare("true", "true", {"--compare-output", "absent.txt"}), "absent.txt");
  write("old.txt", "old");
  const auto stale = compare("true", "true", {"--compare-output", dir_ / "old.txt"});
  EXPECT_THAT(stale.err, HasSubstr("did not write it"));
  EXPECT_EQ(compare("true", "true", {"--cwd-a", dir_ / "nowhere"}).exit_code, 2);
  EXPECT_THAT(compare("true", "true", {"--scene", "flat_plane"}).err,
              HasSubstr("--scene: only with --a, --variant, --method-a or --calibrate (this is ab --cmd-a, "
                        "which has no cases)"));
  EXPECT_THAT(run("ab --cmd-a true").err, HasSubstr("--cmd-a: needs --cmd-b"));
}

TEST_F(AbCommands, EachSideHasItsFolderEnvironmentAndPreparation) {
  std::filesystem::create_directory(dir_ / "b");
  const Arguments flags =
      with(kShort, words("--cwd-b b --env-b WORD=x --prepare-b {} --label-b mine --allow-inconclusive "
                         "--outputs-may-differ",
                         "echo p >> prepared"));
  const auto ran = compare("printf x", "printf $WORD; test -f prepared", flags);
  EXPECT_THAT(ran.out, HasSubstr("B: mine")) << ran.err;
  EXPECT_EQ(run({"verify", only_bundle(dir_ / "out")}).exit_code, 0);
  EXPECT_GE(std::ranges::count(read_file(dir_ / "b/prepared"), '\n'), 21);
}

// One case is looked at every 12 pairs: a large change needs no more.
TEST_F(AbCommands, OneCaseEndsAsSoonAsItIsClear) {
  const auto ran =
      exits(compare("sleep 0.01", "sleep 0.05", words("--repetitions 1 --no-confirm --decide-by wall")), 1);
  EXPECT_THAT(ran.err, HasSubstr("12 pairs of 1 run each: about "));
  const Json json = json_file<Json>(only_bundle(dir_ / "out") / "results.json");
  EXPECT_EQ(json["comparison"]["settings"]["looks"], 6);
  EXPECT_EQ(json["records"].size(), 24u);
}

TEST_F(AbCommands, QuickSaysWhatCanBeSaid) {
  const auto ran = exits(compare("sleep 0.01", "sleep 0.1", {"--quick", "--repetitions", "1"}), 1);
  EXPECT_THAT(compare("true", "true", {"--quick", "--pairs", "20"}).err, HasSubstr("--pairs"));
}

TEST_F(AbCommands, MethodsAreQuickAndSayHowLongTheyTake) {
  const auto methods = [&](const Arguments& more, const ProgramOptions& options = {}) {
    return run(with(words("ab --method-a roma_like --method-b lightglue_like --scene flat_plane --metric "
                          "accuracy_rmse_mm --allow-inconclusive --out out"),
                    more),
               options);
  };
  const auto quick = exits(methods({"--quick"}), 1);  // twice the noise, however few the pairs
  EXPECT_THAT(quick.err, ::testing::ContainsRegex("aqbench: up to [0-9]+ pairs of 1 case within 0:55\n"));
  const auto bundle = only_bundle(dir_ / "out");
  EXPECT_THAT(read_file(bundle / "summary.md"), HasSubstr("as many pairs as fit into a minute (--quick)"));
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);
  EXPECT_THAT(run({"status", bundle}).out, HasSubstr(": a comparison of 1 case, "));
  // The errors by place of the first run of each side: the noise is not the same.
  for (const char* const side : {"a", "b"})
    EXPECT_TRUE(std::filesystem::exists(bundle / "tiles" / (std::string("flat_plane.") + side + ".csv")));
  EXPECT_THAT(run({"report", bundle}).out, HasSubstr("<h2>Where on the surface, tile by tile</h2>"));
  const Json json = json_file<Json>(bundle / "results.json");
  EXPECT_EQ(json["comparison"]["run"]["quick"], true);
  EXPECT_LE(json["comparison"]["settings"]["looks"], 6);
  EXPECT_LE(json["comparison"]["run"]["pairs_per_look"], 360);

  std::filesystem::remove_all(dir_ / "out");
  ProgramOptions one_pair;
  one_pair.interrupt_when = [&] { return bundle_lines(dir_ / "out", "journal.jsonl") >= 2; };
  const auto full = methods(words("--pairs 16 --looks 1 --no-confirm"), one_pair);
  EXPECT_THAT(full.err, HasSubstr("aqbench: 16 pairs of 1 case: about "));
  EXPECT_THAT(full.err, Not(HasSubstr("top-ups"))) << "there are none";
  EXPECT_THAT(methods({"--quick", "--pairs", "20"}).err, HasSubstr("--pairs: --quick takes what fits"));
}

}  // namespace
}  // namespace aqbench::testing
