// The methods' part of the module `pipeline`.
#include "pipeline/dense_flow/dense_flow.h"
#include "pipeline/method/method.h"
#include "pipeline/plane_sweep/plane_sweep_method.h"
#include "pipeline/sparse/sparse.h"

extern "C" const aqbench::MethodsTable aqbench_methods_table;
const aqbench::MethodsTable aqbench_methods_table = {.dense_flow = &aqbench::dense_flow::run,
                                                     .sparse = &aqbench::sparse::run,
                                                     .plane_sweep = &aqbench::run_plane_sweep,
                                                     .torchscript = &aqbench::dense_flow::run_torchscript};
