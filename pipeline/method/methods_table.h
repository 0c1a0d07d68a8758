#pragma once
// The methods that need LibTorch, OpenCV or Open3D: in the module `pipeline` (core/module.h).

#include "pipeline/method/method.h"

namespace aqbench {

// The module's functions, each the run of the method of its name.
struct MethodsTable {
  RealMethod dense_flow;
  RealMethod sparse;
  RealMethod plane_sweep;
  RealMethod torchscript;
};

// Returns the table, loading the module if need be. Throws Error(input) where the module is not installed.
const MethodsTable& methods_table();

}  // namespace aqbench
