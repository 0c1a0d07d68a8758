#pragma once
// Ranges of other LibTorch code become stages.

#include <cstdint>
#include <optional>

namespace aqbench {

// Gives, while it lives, the ranges that LibTorch code marks with RECORD_USER_SCOPE to the observer of
// StageScope (core/stage_scope.h) as if they were StageScopes, so that whoever looks at stages sees both,
// nested as they ran. Does nothing where LibTorch is not loaded.
class UserScopeBridge {
 public:
  UserScopeBridge();
  ~UserScopeBridge();
  UserScopeBridge(const UserScopeBridge&) = delete;
  UserScopeBridge& operator=(const UserScopeBridge&) = delete;

 private:
  std::optional<std::uint64_t> handle_;  // none where LibTorch is not loaded
};

}  // namespace aqbench
