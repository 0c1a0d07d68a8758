#include "harness/measuring/user_scopes.h"

#include "harness/measuring/torch_table.h"

namespace aqbench {

UserScopeBridge::UserScopeBridge() {
  if (const TorchTable* const torch = loaded_torch_table(); torch != nullptr)
    handle_ = torch->add_user_scopes();
}

UserScopeBridge::~UserScopeBridge() {
  if (handle_) torch_table().remove_user_scopes(*handle_);
}

}  // namespace aqbench
