#include "core/interned_text.h"

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <mutex>
#include <ostream>
#include <unordered_set>

namespace aqbench {
namespace {

struct HashOfText {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// All texts of the process. Elements of the set never move.
struct KeptTexts {
  std::mutex mutex;
  std::unordered_set<std::string, HashOfText, std::equal_to<>> texts;
};

// Never destroyed: objects that end later may still hold texts. No thread interns a text while a child is
// forked, so a child can use it too.
KeptTexts& kept_texts() {
  static KeptTexts& kept = []() -> KeptTexts& {
    const auto lock = [] { kept_texts().mutex.lock(); };
    const auto unlock = [] { kept_texts().mutex.unlock(); };
    ::pthread_atfork(lock, unlock, unlock);
    return *new KeptTexts;
  }();
  return kept;
}

const std::string* kept_text(std::string_view text) {
  KeptTexts& kept = kept_texts();
  const std::lock_guard lock(kept.mutex);
  const auto found = kept.texts.find(text);
  return found != kept.texts.end() ? &*found : &*kept.texts.emplace(text).first;
}

}  // namespace

InternedText::InternedText(std::string_view text) : text_(text.empty() ? nullptr : kept_text(text)) {}

const std::string& InternedText::text() const {
  static const std::string& empty = *new std::string;
  return text_ == nullptr ? empty : *text_;
}

std::ostream& operator<<(std::ostream& out, InternedText text) { return out << text.text(); }

}  // namespace aqbench
