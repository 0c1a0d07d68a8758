#include "harness/running/case_board.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "core/error.h"

namespace aqbench {
namespace {

using SharedText = std::span<std::atomic<char>>;

void put_text(std::string_view text, SharedText shared) {
  std::size_t i = 0;
  for (; i + 1 < shared.size() && i < text.size(); ++i) shared[i].store(text[i], std::memory_order_relaxed);
  shared[i].store('\0', std::memory_order_relaxed);
}

std::string text_in(SharedText shared) {
  std::string text;
  for (const auto& letter : shared) {
    const char c = letter.load(std::memory_order_relaxed);
    if (c == '\0') break;
    text += c;
  }
  return text;
}

}  // namespace

CaseBoard::CaseBoard() : page_(nullptr) {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<char>::is_always_lock_free,
                "shared between processes");
  void* const memory =
      ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorKind::io, std::string("shared memory for a case: ") + std::strerror(errno));
  page_ = new (memory) Page();
  reset();
}

CaseBoard::~CaseBoard() { ::munmap(page_, sizeof(Page)); }

void CaseBoard::reset() {
  for (auto& count : page_->fault_counts) count = 0;
  page_->stage[0] = '\0';
  page_->phase[0] = '\0';
  page_->isolation[0] = '\0';
}

void CaseBoard::count_fault(std::size_t slot) { ++page_->fault_counts.at(slot); }

std::uint64_t CaseBoard::fault_count(std::size_t slot) const { return page_->fault_counts.at(slot); }

void CaseBoard::set_stage(const char* stage) { put_text(stage == nullptr ? "" : stage, page_->stage); }

std::string CaseBoard::stage() const { return text_in(page_->stage); }

void CaseBoard::set_phase(const std::string& phase) { put_text(phase, page_->phase); }

std::string CaseBoard::phase() const { return text_in(page_->phase); }

void CaseBoard::set_isolation(const std::string& how) { put_text(how, page_->isolation); }

std::string CaseBoard::isolation() const { return text_in(page_->isolation); }

}  // namespace aqbench
