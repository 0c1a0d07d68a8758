#pragma once
// Turns ranges marked by other LibTorch code into stages.

#include <cstdint>
#include <optional>

namespace aqbench {

// During its lifetime, reports ranges that LibTorch code marks with RECORD_USER_SCOPE to the observer of
// StageScope (core/stage_scope.h) like StageScopes, nested as they ran. Does nothing if LibTorch is not
// loaded.
class UserScopeBridge {
 public:
  UserScopeBridge();
  ~UserScopeBridge();
  UserScopeBridge(const UserScopeBridge&) = delete;
  UserScopeBridge& operator=(const UserScopeBridge&) = delete;

 private:
  std::optional<std::uint64_t> handle_;  // none if LibTorch is not loaded
};

}  // namespace aqbench
