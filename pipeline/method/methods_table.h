#pragma once
// The methods that need LibTorch, OpenCV or Open3D: in the module `pipeline` (core/module.h).

#include "pipeline/method/method.h"

namespace aqbench {

// The run functions of the methods in the module, by method name.
struct MethodsTable {
  RealMethod dense_flow;
  RealMethod sparse;
  RealMethod plane_sweep;
  RealMethod torchscript;
};

// Returns the table, loading the module if necessary. Throws Error(input) if the module is not installed.
const MethodsTable& methods_table();

}  // namespace aqbench
