#include "harness/measuring/torch_table.h"

#include "core/module.h"

AQBENCH_MODULE_TABLE aqbench::TorchTable aqbench_torch_table;

namespace aqbench {

const TorchTable& torch_table() {
  return module_table<TorchTable>(Module::pipeline, "aqbench_torch_table", &aqbench_torch_table);
}

const TorchTable* loaded_torch_table() {
  const bool linked = &aqbench_torch_table != nullptr;
  return linked || is_loaded(Module::pipeline) ? &torch_table() : nullptr;
}

UserScopeBridge::UserScopeBridge() {
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr)
    handle_ = torch->add_user_scopes();
}

UserScopeBridge::~UserScopeBridge() {
  if (handle_) torch_table().remove_user_scopes(*handle_);
}

}  // namespace aqbench
