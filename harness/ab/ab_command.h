#pragma once
// Two commands that are compared: what of each is run, and code layout as noise. Plain data.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/members.h"
#include "harness/ab/samples.h"

namespace aqbench {

// A command as the user gave it. Every line runs in /bin/sh.
struct AbCommand {
  std::string line;
  std::string folder;                                                 // absolute: the working directory
  std::vector<std::pair<std::string, std::string>> environment = {};  // on top of this process's
  std::string prepare = {};  // before each run, not timed; "": nothing
  // Before each unit, not timed: builds the program in another order; "": nothing.
  std::string relink = {};

  template <class Row>
  static void members(const Row& row) {
    row("line", &AbCommand::line);
    row("folder", &AbCommand::folder);
    row("environment", &AbCommand::environment);
    row("prepare", &AbCommand::prepare);
    row("relink", &AbCommand::relink);
  }
};

// The most code layouts that units may draw from (AbCommandRules::layouts).
inline constexpr std::uint64_t kMaxLayouts = 100000;

// The settings that are the same for both sides.
struct AbCommandRules {
  std::string compare_output;  // the file, below each side's folder, that must be the same; "": stdout
  bool any_exit_code = false;  // another exit code than 0 is part of the output and no failure
  bool quick = false;          // as many pairs as fit into a minute
  std::uint64_t layouts = 0;   // code layouts that units draw from; 0: the layout is left as it is
  bool gbench = false;         // programs of Google Benchmark, by the time per iteration that they measured

  template <class Row>
  static void members(const Row& row) {
    row("compare_output", &AbCommandRules::compare_output);
    row("any_exit_code", &AbCommandRules::any_exit_code);
    row("quick", &AbCommandRules::quick);
    row("layouts", &AbCommandRules::layouts);
    row("gbench", &AbCommandRules::gbench, kLeftOut);
  }
};

// Where the parts of a program lie in memory moves its time: by the order in which it was linked and by the
// size of its environment, at the end of the stack. Units draw both anew, so that a verdict is about the
// program and not about one layout of it. Mytkowicz et al., "Producing wrong data without doing anything
// obviously wrong!", ASPLOS 2009; Curtsinger and Berger, "Stabilizer", ASPLOS 2013.

// Returns the number of the layout, below `layouts`, that a unit draws. Sides draw apart and with
// replacement: two sides that are the same program can then be swapped in any pair, so that the test stays
// exact. `draw` numbers the pairs of a case (AbUnitTask).
std::uint64_t drawn_layout(std::uint64_t order_seed, std::uint64_t layouts, std::size_t case_index,
                           std::size_t draw, AbSide side);

// Returns the bytes that a layout adds to the environment: 0 to 4095.
std::size_t layout_padding(std::uint64_t layout);

// Returns the bytes of the file that $AQBENCH_ORDER names while a program is linked for a layout: 64 KiB of
// random bytes, the same for the same layout, as `shuf --random-source` reads them.
std::string layout_order_bytes(std::uint64_t layout);

// How much of the spread of the units' times comes from the layout.
struct LayoutShare {
  double share = 0;         // of the variance of ln u within a side, 0 to 1
  std::size_t layouts = 0;  // that were drawn, of both sides together
  std::size_t units = 0;
};

// Splits the variance of one case's units into that between layouts and that within one (one-way analysis of
// variance with random effects, each side for itself). nullopt where no layout was drawn twice.
std::optional<LayoutShare> layout_share(const AbSamples& samples, std::size_t case_index);

}  // namespace aqbench
