#pragma once
// A page of memory shared by the parent and the child that runs a case, with the child's last state.

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/records/fault.h"

namespace aqbench {

// Notes of the child for the parent. Create it before the fork. Both sides may use all members at any time.
class CaseBoard {
 public:
  CaseBoard();  // throws Error(io) if the page cannot be mapped
  ~CaseBoard();
  CaseBoard(const CaseBoard&) = delete;
  CaseBoard& operator=(const CaseBoard&) = delete;

  // Clears all counts and the stage.
  void reset();

  // Counts another strike of the fault with this index (< kMaxFaultsPerCase).
  void count_fault(std::size_t slot);
  std::uint64_t fault_count(std::size_t slot) const;

  // A folder that the parent removes after the case, however the child ended. Set it before the fork.
  void set_scratch_dir(const std::filesystem::path& dir) { scratch_dir_ = dir; }
  const std::filesystem::path& scratch_dir() const { return scratch_dir_; }  // empty: none

  // The stage of the case's main thread; empty outside of stages. A torn read while the child lives gives at
  // worst a wrong name.
  void set_stage(const char* stage);  // nullptr: none
  std::string stage() const;

  // What the case is doing now, for display: "rendering", "cold", "warm 3 of 10", "scoring". A torn read
  // gives at worst a wrong word.
  void set_phase(const std::string& phase);
  std::string phase() const;

  // How the process of a real method was sandboxed, as recorded; empty until then.
  void set_isolation(const std::string& how);
  std::string isolation() const;

  // Folders hidden from methods: the bundle of the case, and the results of a shared sweep. Set them before
  // the fork.
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
