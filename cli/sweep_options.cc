#include "cli/sweep_options.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/plan_options.h"
#include "core/error.h"
#include "harness/running/journal.h"
#include "reports/content/test_run.h"

namespace aqbench::cli {
namespace {

// Options that say what is run; --resume takes all of it from the bundle.
constexpr const char* kPlanOptions[] = {
    "suite",   "suite-file", "scene",     "method",          "axis",     "set",    "seed",     "repeat",
    "threads", "device",     "timeout",   "memory-limit",    "shard",    "inject", "workload", "repetitions",
    "warmup",  "min-time",   "precision", "max-repetitions", "max-time", "blocks", "rig",      "imaging",
    "width",   "height"};

}  // namespace

CommandLine sweep_command_line() {
  CommandLine line{
      "aqbench sweep [OPTION]...",
      "Runs every case (scene x method x seed x axes, or workload x seed x axes) in a process of its own,\n"
      "scores it against the exact surface or proves and times it, and leaves a bundle: results,\n"
      "environment, journal, hashes. Without options: suite `seed`.\n\n"
      "  aqbench sweep --suite seed --baseline baselines/seed.json --gate\n"
      "  aqbench sweep --scene 'und*' --method roma_like --repeat 10\n"
      "  aqbench sweep --scene undulating --axis undulating.amplitude_m=0.002:0.008:0.002\n"
      "  aqbench sweep --workload absorption --axis variant=loop,torch,fused --precision 2\n"
      "  aqbench sweep --resume out/20261120T101500Z\n\n"
      "Exit 0 pass, 1 the gate failed, 2 usage or input, 3 a case failed, 4 not comparable, 6 disk full or\n"
      "unreadable, 130 interrupted.",
      make_options(),
      {}};
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto texts = [](const char* name) { return po::value<Strings>()->composing()->value_name(name); };
  auto add = line.options.add_options();
  add_plan_options(line.options);
  add_timing_options(line.options);
  add("shard", text("i/n"), "i/n: the i-th of n parts of the cases");
  add("out", text("DIR")->default_value("out"), "where bundles are made");
  add("resume", text("BUNDLE"), "finish the sweep of this bundle");
  add("baseline", text("FILE"), "compare with these accepted values");
  add("gate", "let the comparison decide the exit code");
  add_gate_export_options(line.options);
  add("note", texts("TEXT"), "a note for the bundle; may be repeated");
  add("with-tests", po::value<std::string>()->value_name("[=DIR]")->implicit_value(""),
      "list and run the tests of a build folder (default: this program's) into tests.log; exit 1 if one "
      "fails");
  add("sign", text("KEY.pem"), "sign the bundle with this Ed25519 private key (aqbench verify --pubkey)");
  add("keep-clouds", "keep what was scored, as PLY, in the bundle's clouds/");
  add("no-pictures", "leave out the pictures of depth maps (pictures/, some 100 kB a case)");
  add("dry-run", "print the cases and stop");
  add("json", "print results.json to stdout instead of the table");
  return line;
}

SweepRequest read_sweep_request(const po::variables_map& values) {
  SweepRequest request;
  const auto given = [&](const char* name) { return values.count(name) != 0; };
  if (given("resume")) {
    const auto bundle = values["resume"].as<std::string>();
    for (const char* name : kPlanOptions)
      if (values.count(name) != 0 && !values[name].defaulted())
        throw Error(ErrorKind::usage,
                    fmt::format("--{} with --resume: a resumed sweep runs what was planned", name));
    request.resume = bundle;
    request.plan = read_journal(bundle, TornTail::accept).header.request;
  } else {
    request.plan = read_plan_request(values);
  }
  request.out = values["out"].as<std::string>();
  if (given("baseline")) request.baseline = values["baseline"].as<std::string>();
  request.gate = values.count("gate") != 0;
  if (request.gate && !request.baseline) throw Error(ErrorKind::usage, "--gate needs --baseline FILE");
  request.gate_exports = read_gate_exports(values);
  if (!request.baseline && (request.gate_exports.junit || request.gate_exports.github))
    throw Error(ErrorKind::usage,
                fmt::format("--{} needs --baseline FILE", request.gate_exports.junit ? "junit" : "github"));
  request.notes = strings(values, "note");
  if (given("with-tests")) {
    const auto folder = values["with-tests"].as<std::string>();
    request.tests_of = folder.empty() ? own_build_dir() : std::filesystem::path(folder);
  }
  if (request.tests_of) check_test_dir(*request.tests_of);
  if (given("sign")) request.sign = values["sign"].as<std::string>();
  request.pictures = values.count("no-pictures") == 0;
  request.keep_clouds = values.count("keep-clouds") != 0;
  request.dry_run = values.count("dry-run") != 0;
  request.json = values.count("json") != 0;
  return request;
}

}  // namespace aqbench::cli
