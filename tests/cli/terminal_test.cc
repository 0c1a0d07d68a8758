// What the tables of the commands look like on terminals of several widths, and in a pipe.

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <regex>
#include <thread>

#include "core/files.h"
#include "core/text.h"
#include "tests/cli/program.h"

namespace aqbench {
namespace {

using testing::Arguments;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_program;
using testing::TemporaryDir;

// Runs the program on a terminal of this width and returns what it shows, without colours; 0: in a pipe.
std::string shown_at(unsigned short columns, const Arguments& arguments, int exit_code = 0) {
  if (columns == 0) return run_program(arguments).out;
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  EXPECT_GE(terminal, 0);
  EXPECT_EQ(::grantpt(terminal), 0);
  EXPECT_EQ(::unlockpt(terminal), 0);
  const std::string name = ::ptsname(terminal);
  const int held = ::open(name.c_str(), O_RDWR | O_NOCTTY);  // what is read ends with it
  const winsize size{40, columns, 0, 0};
  EXPECT_EQ(::ioctl(held, TIOCSWINSZ, &size), 0);
  std::string text;
  std::thread reader([&] {
    char bytes[4096];
    for (ssize_t count; (count = ::read(terminal, bytes, sizeof(bytes))) > 0;)
      text.append(bytes, static_cast<std::size_t>(count));
  });
  EXPECT_EQ(run_program(arguments, {.working_dir = {}, .stdout_to = name}).exit_code, exit_code);
  ::close(held);
  reader.join();
  ::close(terminal);
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*[A-Za-z]|\r"), "");
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const std::string_view line : split_at(text, '\n')) most = std::max(most, display_width(line));
  return most;
}

class Terminal : public ::testing::TestWithParam<unsigned short> {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryDir;
    for (const auto& [name, more] : {std::pair<const char*, Arguments>{"a", {}},
                                     {"b", {"--inject", "*:*=+5%"}},
                                     {"worse", {"--inject", "undulating/roma_like*:*=corrupt"}}}) {
      testing::succeeded(
          run_program(testing::with({"sweep", "--suite", "seed", "--out", *folder_ / name}, more)));
    }
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::string bundle(const char* name) { return testing::only_bundle(*folder_ / name).string(); }

  static TemporaryDir* folder_;
};
TemporaryDir* Terminal::folder_ = nullptr;

TEST_P(Terminal, ASweepShowsWholeNamesAndAsManyMetricsAsFit) {
  const TemporaryDir out;
  const std::string text = shown_at(GetParam(), {"sweep", "--suite", "seed", "--out", out.path().string()});
  const std::string table = text.substr(0, text.find("\nbundle"));
  for (const char* name : {"flat_plane", "undulating", "lightglue_like", "roma_like", "mean error"})
    EXPECT_THAT(table, HasSubstr(name));
  EXPECT_THAT(table, Not(HasSubstr("…")));
  EXPECT_EQ(table.find("per mm²") != std::string::npos, GetParam() != 80) << table;
}

TEST_P(Terminal, EvalCompareAndTrendShowWholeNames) {
  const std::string cloud = (*folder_ / "cloud.xyz").string();
  {
    FILE* const file = std::fopen(cloud.c_str(), "w");
    for (int i = 0; i < 400; ++i)
      std::fprintf(file, "%g %g 1.1785\n", 0.02 * (i % 20) - 0.19, 0.012 * (i / 20) - 0.114);
    std::fclose(file);
  }
  const std::string scored = shown_at(GetParam(), {"eval", cloud, "--scene", "flat_plane"});
  for (const char* name : {"accuracy_mean_mm", "points_per_mm2"}) EXPECT_THAT(scored, HasSubstr(name));
  if (GetParam() > 0) {
    EXPECT_LE(widest(scored), GetParam());
  }
  const std::string compared = shown_at(GetParam(), {"compare", bundle("a"), bundle("b")});
  for (const char* name : {"undulating/roma_like", "flat_plane/lightglue_like"})
    EXPECT_THAT(compared, HasSubstr(name));
  EXPECT_THAT(compared, Not(HasSubstr("…")));
  const std::string trend = shown_at(GetParam(), {"trend", bundle("a"), bundle("b")});
  EXPECT_THAT(trend, Not(HasSubstr("…")));
  EXPECT_THAT(trend, HasSubstr("2 runs"));
}

TEST_P(Terminal, AFailedGateShowsWholeNamesAndItsVerdictLast) {
  const TemporaryDir folder;
  const std::string baseline = (folder / "baseline.json").string();
  ASSERT_EQ(run_program({"accept", bundle("a"), "--baseline", baseline}).exit_code, 0);
  const std::string text = shown_at(GetParam(), {"gate", bundle("worse"), "--baseline", baseline}, 1);
  EXPECT_THAT(text, Not(HasSubstr("…")));
  for (const char* part : {"undulating/roma_like", "median error [mm]", "6.8 x", "± 5 %", "regressed"})
    EXPECT_THAT(text, HasSubstr(part));
  const std::string verdict = text.substr(text.rfind("\nFAIL: 1 of 4 cases worse.") + 1);
  EXPECT_THAT(verdict, HasSubstr("accepted in run"));
  if (GetParam() > 0) {
    EXPECT_LE(widest(text), GetParam());
  }
}

TEST_P(Terminal, AComparisonShowsWholeNamesAndThreeDigits) {
  const TemporaryDir folder;
  const std::string name =
      "undulating/plane_sweep:balanced/rig=arc6/width=480/height=360/plane_sweep.surface=none";
  std::string sides[2];
  for (int i = 0; i < 40; ++i)
    for (int side = 0; side < 2; ++side)
      sides[side] += fmt::format("{}{:.4f}", i > 0 ? "," : "",
                                 (411.63 + 30 * side) * (1 + 0.002 * std::sin(7.0 * i + side)));
  write_file(folder / "times.json", fmt::format(R"({{"cases": [{{"name": "{}", "a": [{}], "b": [{}]}}]}})",
                                                name, sides[0], sides[1]));
  const std::string text =
      shown_at(GetParam(),
               {"ab", "--samples", (folder / "times.json").string(), "--out", (folder / "out").string()}, 1);
  EXPECT_THAT(text, Not(HasSubstr("…")));
  EXPECT_THAT(
      text, ::testing::ContainsRegex(std::regex_replace(name, std::regex("/"), "/[ \n]*") +
                                     "[ \n]+wall time \\[ms\\][ \n]+(A )?41[0-9] +(B )?44[0-9] .*REGRESSED"));
  EXPECT_THAT(text, HasSubstr("\nREGRESSED: B is 7."));
  if (GetParam() > 0) {
    EXPECT_LE(widest(text), GetParam());
  }
}

// Names of three axes are longer than a narrow terminal is wide: lines end behind their slashes.
TEST_P(Terminal, NoLineIsWiderOrEndsInsideOfANumber) {
  const TemporaryDir folder;
  const auto swept = [&](const char* name, const Arguments& more) {
    const std::filesystem::path out = folder / name;
    testing::succeeded(run_program(testing::with(
        {"sweep", "--scene", "undulating", "--method", "roma_like", "--axis",
         "undulating.amplitude_m=0.00254321,0.003", "--axis", "roma_like.noise_sigma_m=0.0011234,0.002",
         "--axis", "roma_like.dropout=0.053,0.1", "--out", out.string()},
        more)));
    return testing::only_bundle(out).string();
  };
  const std::string a = swept("a", {}), b = swept("b", {"--inject", "*0.053*:*=corrupt"});
  const std::string baseline = (folder / "base.json").string();
  const std::string name =
      "undulating/roma_like/seed=42/undulating.amplitude_m=0.00254321/roma_like.noise_sigma_m=0.002/"
      "roma_like.dropout=0.053";
  const auto expect_fits = [&](const Arguments& arguments, int exit_code = 0) {
    std::string text = shown_at(GetParam(), arguments, exit_code);
    text.resize(std::min(text.size(), text.find("\nreport: ")));  // paths are as long as they are
    if (GetParam() > 0) {
      EXPECT_LE(widest(text), GetParam()) << text;
    }
    EXPECT_THAT(text, Not(::testing::ContainsRegex("[0-9]\n +[.0-9%]"))) << arguments[0];
    return std::regex_replace(text, std::regex("/\n +"), "/");
  };
  expect_fits({"accept", a, "--baseline", baseline});
  for (const std::string& text :
       {expect_fits({"compare", a, b}), expect_fits({"gate", b, "--baseline", baseline}, 1)})
    EXPECT_THAT(text, HasSubstr(name.substr(name.find("undulating.amplitude"))));
  expect_fits({"trend", a, b});
  expect_fits({"verify", a});
  for (const char* const what : {"metrics", "methods", "suites", "stages", "undulating"})
    expect_fits({"list", what});
  const std::string profiled =
      expect_fits({"profile", "roma_like", "--scene", "undulating", "--sampler", "none", "--set",
                   "roma_like.points=300000", "--out", (folder / "profiled").string()});
  for (const char* const part : {"simulation", "inclusive", "resident"})
    EXPECT_THAT(profiled, HasSubstr(part));
}

// A folder's name may hold what moves the cursor, changes colours or renames the window.
TEST(TerminalNames, OfFoldersDoNotSteerIt) {
  const testing::WithoutLibTorch fast;
  const TemporaryDir folder;
  const std::filesystem::path odd = folder.path() / "a\x1b[31mb\x1b]0;c\x07";
  std::filesystem::create_directory(odd);
  const auto expect_plain = [&](const Arguments& arguments, const std::filesystem::path& in = {}) {
    const testing::ProgramResult run = run_program(arguments, {.working_dir = in});
    EXPECT_EQ((run.out + run.err).find_first_of("\x1b\x07"), std::string::npos)
        << arguments[0] << run.out << run.err;
    return run;
  };
  expect_plain({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--out", odd / "out"});
  const std::string bundle = testing::only_bundle(odd / "out");
  for (const char* command : {"status", "verify", "report", "trend"}) expect_plain({command, bundle});
  expect_plain({"status", bundle, "--json"});
  expect_plain({"compare", bundle, bundle});
  expect_plain({"replay", bundle, "--all"});
  expect_plain({"accept", bundle, "--baseline", odd / "base.json"});
  expect_plain({"gate", bundle, "--baseline", odd / "base.json"});
  expect_plain({"sweep", "--resume", bundle});
  expect_plain({"site", bundle, "--out", odd / "site"});
  expect_plain(
      {"render", "flat_plane", "--out", odd / "set", "--rig", "arc6", "--width", "64", "--height", "48"});
  expect_plain({"run", "no_such_method", "--dataset", odd / "set"});
  std::filesystem::remove(std::filesystem::path(bundle) / "sha256.txt");
  EXPECT_THAT(expect_plain({"status", bundle}).out, HasSubstr("?[31mb"));
  write_file(folder / "aqbench.json",
             R"({"version": 1, "datasets": {"reef": "a\u001b[31mb\u001b]0;c\u0007/set"}, "methods": []})");
  EXPECT_THAT(expect_plain({"list", "datasets"}, folder.path()).out, HasSubstr("?[31mb"));
}

INSTANTIATE_TEST_SUITE_P(Widths, Terminal, ::testing::Values(0, 80, 120, 200));

}  // namespace
}  // namespace aqbench
