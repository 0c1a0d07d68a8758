#pragma once
// Ranges that other LibTorch code marks with RECORD_USER_SCOPE become stages: while this lives, they are
// given to the observer of StageScope (core/stage_scope.h) as if they were StageScopes, so that
// whoever looks at stages sees both, nested as they ran.

#include <cstdint>
#include <optional>

namespace aqbench {

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
