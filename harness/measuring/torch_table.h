#pragma once
// The harness's queries to LibTorch, which is in the module `pipeline` (core/module.h).

#include <cstdint>
#include <optional>

namespace aqbench {

// The module's functions.
struct TorchTable {
  void (*set_threads)(int count);
  int (*threads)();
  bool (*has_cuda_device)();

  // Makes the calling thread report its tensor memory to report_tensor_memory() (tensor_memory.h).
  void (*report_memory_here)();

  // Makes the threads of the OpenMP pool do so; false if LibTorch has another pool.
  bool (*report_memory_of_pool)();

  // Passes ranges marked with RECORD_USER_SCOPE to the observer of StageScope, until they are removed.
  std::uint64_t (*add_user_scopes)();
  void (*remove_user_scopes)(std::uint64_t handle);
};

// Returns the table, loading the module if necessary. Throws Error(input) if the module is not installed.
const TorchTable& torch_table();

// Returns the table if the module is loaded or linked, otherwise nullptr: then LibTorch has done nothing in
// this process.
const TorchTable* loaded_torch_table();

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
