#pragma once
// A page of memory shared by the parent and the child that runs a case: what the child did until it died.

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/records/fault.h"

namespace aqbench {

// Notes of the child that the parent can read. Create it before the fork. All members may be used from both
// sides at any time.
class CaseBoard {
 public:
  CaseBoard();  // throws Error(io) if the page cannot be mapped
  ~CaseBoard();
  CaseBoard(const CaseBoard&) = delete;
  CaseBoard& operator=(const CaseBoard&) = delete;

  // Clears all counts and the stage.
  void reset();

  // Counts one more strike of the fault with this index (< kMaxFaultsPerCase).
  void count_fault(std::size_t slot);
  std::uint64_t fault_count(std::size_t slot) const;

  // A folder that the parent removes after the case, however the child ended. Set it before the fork.
  void set_scratch_dir(const std::filesystem::path& dir) { scratch_dir_ = dir; }
  const std::filesystem::path& scratch_dir() const { return scratch_dir_; }  // empty: none

  // The stage the case's main thread is in; empty outside of stages. A torn read while the child lives gives
  // a wrong name at worst.
  void set_stage(const char* stage);  // nullptr: none
  std::string stage() const;

  // What is done with the case right now, for people: "rendering", "cold", "warm 3 of 10", "scoring". A torn
  // read gives a wrong word at worst.
  void set_phase(const std::string& phase);
  std::string phase() const;

  // How the process of a real method was shut in, as the record says it; empty until it is.
  void set_isolation(const std::string& how);
  std::string isolation() const;

  // Folders that no method may see: the bundle that the case is written to, and where a shared sweep keeps
  // results. Name them before the fork.
  void hide(const std::filesystem::path& dir) { hidden_dirs_.push_back(dir); }
  const std::vector<std::filesystem::path>& hidden_dirs() const { return hidden_dirs_; }

 private:
  struct Page {
    std::array<std::atomic<std::uint64_t>, kMaxFaultsPerCase> fault_counts;
    std::array<std::atomic<char>, 64> stage, phase;
    std::array<std::atomic<char>, 256> isolation;
  };
  Page* page_;
  std::filesystem::path scratch_dir_;
  std::vector<std::filesystem::path> hidden_dirs_;
};

}  // namespace aqbench
