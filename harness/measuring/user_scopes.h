#pragma once
// Makes stages of the ranges that other LibTorch code marks.

#include <cstdint>
#include <optional>

namespace aqbench {

// While this object exists, reports the ranges that LibTorch code marks with RECORD_USER_SCOPE to the
// observer of StageScope (core/stage_scope.h) as if they were StageScopes, so that an observer sees both,
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
