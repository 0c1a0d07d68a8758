#pragma once
// Two commands that are compared: what of each is run. Plain data.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/members.h"

namespace aqbench {

// A command as the user gave it. Every line runs in /bin/sh.
struct AbCommand {
  std::string line;
  std::string folder;                                                 // absolute: the working directory
  std::vector<std::pair<std::string, std::string>> environment = {};  // on top of this process's
  std::string prepare = {};  // before each run, not timed; "": nothing
  std::string relink = {};   // of records of older versions: linked the program before each unit

  template <class Row>
  static void members(const Row& row) {
    row("line", &AbCommand::line);
    row("folder", &AbCommand::folder);
    row("environment", &AbCommand::environment);
    row("prepare", &AbCommand::prepare);
    row("relink", &AbCommand::relink);
  }
};

// The settings that are the same for both sides.
struct AbCommandRules {
  std::string compare_output = {};  // the file, below each side's folder, that must be the same; "": stdout
  bool any_exit_code = false;       // another exit code than 0 is part of the output and no failure
  bool quick = false;               // as many pairs as fit into a minute
  std::uint64_t layouts = 0;        // of records of older versions: code layouts that units drew from
  bool gbench = false;        // programs of Google Benchmark, by the time per iteration that they measured
  bool instructions = false;  // instructions of runs, or of iterations, are counted

  template <class Row>
  static void members(const Row& row) {
    row("compare_output", &AbCommandRules::compare_output);
    row("any_exit_code", &AbCommandRules::any_exit_code);
    row("quick", &AbCommandRules::quick);
    row("layouts", &AbCommandRules::layouts);
    row("gbench", &AbCommandRules::gbench, kLeftOut);
    row("instructions", &AbCommandRules::instructions, kLeftOut);
  }
};

}  // namespace aqbench
