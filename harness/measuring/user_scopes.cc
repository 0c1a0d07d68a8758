#include "harness/measuring/user_scopes.h"

#include <ATen/record_function.h>

#include <memory>

#include "core/stage_scope.h"

namespace aqbench {
namespace {

// The observer that saw the start gets the end.
struct ObservedRange final : at::ObserverContext {
  explicit ObservedRange(StageObserver* seen_by) : observer(seen_by) {}
  StageObserver* observer;
};

std::unique_ptr<at::ObserverContext> range_begins(const at::RecordFunction& range) {
  StageObserver* const observer = detail::stage_observer.load(std::memory_order_acquire);
  if (observer == nullptr) return nullptr;
  auto observed = std::make_unique<ObservedRange>(observer);
  // LibTorch swallows what is thrown here; a range that was refused then has no end either.
  observer->enter(range.name());
  return observed;
}

void range_ends(const at::RecordFunction& range, at::ObserverContext* context) {
  if (context != nullptr) static_cast<ObservedRange*>(context)->observer->leave(range.name());
}

}  // namespace

UserScopeBridge::UserScopeBridge()
    : handle_(at::addGlobalCallback(
          at::RecordFunctionCallback(&range_begins, &range_ends).scopes({at::RecordScope::USER_SCOPE}))) {}

UserScopeBridge::~UserScopeBridge() { at::removeCallback(handle_); }

}  // namespace aqbench
