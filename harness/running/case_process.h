#pragma once
// The process of one case - what sweeps, tasks of a shared sweep and units of a comparison have in common -,
// what it notes for its parent, and the result made from how it ended.

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/processes/isolate.h"
#include "core/sandbox/sandbox.h"
#include "core/scratch_folder.h"
#include "harness/records/case.h"
#include "harness/records/case_result.h"

namespace aqbench {

// Notes of the child for the parent. Create it before the fork. Both sides may use all members at any time.
class CaseBoard {
 public:
  CaseBoard();  // throws Error(io) if the page cannot be mapped
  ~CaseBoard();
  CaseBoard(const CaseBoard&) = delete;
  CaseBoard& operator=(const CaseBoard&) = delete;

  // Counts another strike of the fault with this index (< kMaxFaultsPerCase).
  void count_fault(std::size_t slot) { ++page_->fault_counts.at(slot); }
  std::uint64_t fault_count(std::size_t slot) const { return page_->fault_counts.at(slot); }

  // A folder that the parent removes after the case, however the child ended. Set it before the fork.
  void set_scratch_dir(const std::filesystem::path& dir) { scratch_dir_ = dir; }
  const std::filesystem::path& scratch_dir() const { return scratch_dir_; }  // empty: none

  // The stage of the case's main thread; empty outside of stages. A torn read while the child lives gives at
  // worst a wrong name.
  void set_stage(const char* stage) { page_->stage.set(stage == nullptr ? "" : stage); }  // nullptr: none
  std::string stage() const { return page_->stage.text(); }

  // What the case is doing now, for display: "rendering", "cold", "warm 3 of 10", "scoring". A torn read
  // gives at worst a wrong word.
  void set_phase(const std::string& phase) { page_->phase.set(phase); }
  std::string phase() const { return page_->phase.text(); }

  // How the process of a real method was sandboxed, as recorded; empty until then.
  void set_isolation(const std::string& how) { page_->isolation.set(how); }
  std::string isolation() const { return page_->isolation.text(); }

  // Folders hidden from methods: the bundle of the case, and the results of a shared sweep. Set them before
  // the fork.
  void hide(const std::filesystem::path& dir) { hidden_dirs_.push_back(dir); }
  const std::vector<std::filesystem::path>& hidden_dirs() const { return hidden_dirs_; }

 private:
  template <std::size_t kSize>
  struct SharedText {
    std::array<std::atomic<char>, kSize> letters{};  // up to a zero, which is always there

    void set(std::string_view text) {
      text = text.substr(0, kSize - 1);
      for (std::size_t i = 0; i < text.size(); ++i) letters[i].store(text[i], std::memory_order_relaxed);
      letters[text.size()].store('\0', std::memory_order_relaxed);
    }
    std::string text() const {
      std::string text;
      for (const auto& letter : letters)
        if (const char c = letter.load(std::memory_order_relaxed); c != '\0')
          text += c;
        else
          break;
      return text;
    }
  };
  struct Page {
    std::array<std::atomic<std::uint64_t>, kMaxFaultsPerCase> fault_counts{};
    SharedText<64> stage, phase;
    SharedText<256> isolation;
  };
  Page* page_;
  std::filesystem::path scratch_dir_;
  std::vector<std::filesystem::path> hidden_dirs_;
};

// Returns the child's own result or, without one, a record with status and reason: its stage and the last
// line it printed. Never throws for errors of a child: a result of another case and artefacts outside the
// bundle make a failed record, too. A reason contains no folder that is removed with the case: the copy of
// the dataset in the board's scratch folder is named `dataset_name`, the others "{output}" and "{scratch}".
CaseResult result_of(const Case& planned, const IsolateOutcome& outcome, const IsolateOptions& options,
                     const CaseBoard& board, const std::string& dataset_name = "{dataset}");

// Compares the settings of this process, such as its processors, with those `before` the case. If they
// changed, restores them as far as permitted and sets `before` to the result. If a real method ran meanwhile,
// its result becomes a failed one naming the change, since times of this case and of later ones may be wrong.
void check_own_settings(const Case& planned, OwnSettings& before, CaseResult& result);

// Runs one case in its child process.
using CaseRunner = std::function<CaseResult(const Case&, CaseBoard&)>;

// A case in a child of this process. `planned` must outlive it.
struct CaseProcess {
  // `limits` are those of the child, `hidden` the folders that no method may reach.
  CaseProcess(const Case& the_case, IsolateOptions limits, const std::vector<std::filesystem::path>& hidden);

  void start(const CaseRunner& run);  // once; options may be changed before
  // Waits for the end of the child and returns what it gave, or how it failed; nullopt if it was cancelled.
  std::optional<CaseResult> wait();

  const Case& planned;
  IsolateOptions options;
  CaseBoard board;                       // outlives the child
  std::optional<ScratchFolder> scratch;  // of a real method; removed after the child has ended
  std::unique_ptr<IsolatedProcess> process;
};

}  // namespace aqbench
