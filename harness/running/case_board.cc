#include "harness/running/case_board.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "core/error.h"

namespace aqbench {

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
}

void CaseBoard::count_fault(std::size_t slot) { ++page_->fault_counts.at(slot); }

std::uint64_t CaseBoard::fault_count(std::size_t slot) const { return page_->fault_counts.at(slot); }

void CaseBoard::set_stage(const char* stage) {
  std::size_t i = 0;
  if (stage != nullptr)
    for (; i + 1 < page_->stage.size() && stage[i] != '\0'; ++i)
      page_->stage[i].store(stage[i], std::memory_order_relaxed);
  page_->stage[i].store('\0', std::memory_order_relaxed);
}

std::string CaseBoard::stage() const {
  std::string name;
  for (const auto& letter : page_->stage) {
    const char c = letter.load(std::memory_order_relaxed);
    if (c == '\0') break;
    name += c;
  }
  return name;
}

}  // namespace aqbench
