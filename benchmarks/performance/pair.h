#pragma once
// A stage of aqbench beside its peer, on the same input and one thread, as a benchmark of which each
// repetition is one pair: both sides once, one right after the other, in an order that a coin decides.

#include <functional>
#include <string>

namespace aqbench {

// What the table says of a pair. It goes into the context of the report as {"NAME": "INPUT | PEER |
// UNEQUAL"}.
struct PairText {
  std::string name;     // of the stage; unique
  std::string input;    // "1 M points"
  std::string peer;     // empty: there is none
  std::string unequal;  // how the work of both differs
};

// Both sides over an input, which they own, and what ours has to do at least.
struct Pair {
  std::function<void()> ours, peer;  // peer: empty where there is none
  // Throws std::logic_error unless both sides, which have run, gave the same.
  std::function<void()> check = {};
  double flops = 0;  // of single precision; one of double precision counts as two
  double bytes = 0;  // input read once and output written once
};

// Registers the benchmark; `make` is called once, before the first repetition.
void add_pair(const PairText& text, const std::function<Pair()>& make);

// Throws std::logic_error with the message unless `holds`.
void require(bool holds, const char* message);

// Register all pairs.
void add_cloud_pairs();
void add_depth_pairs();
void add_file_pairs();

}  // namespace aqbench
