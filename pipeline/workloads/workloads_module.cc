// The workloads' part of the module `pipeline`.
#include "pipeline/workloads/absorption.h"
#include "pipeline/workloads/tricubic.h"
#include "pipeline/workloads/workloads_table.h"

extern "C" const aqbench::WorkloadsTable aqbench_workloads_table;
const aqbench::WorkloadsTable aqbench_workloads_table = {
    .absorption_torch = &aqbench::absorption_torch,
    .tricubic_torch = &aqbench::tricubic_torch,
    .prepare_plane_sweep = &aqbench::prepare_plane_sweep,
    .prepare_synthetic = &aqbench::prepare_synthetic,
    .prepare_equirect_views = &aqbench::prepare_equirect_views,
    .prepare_equirect_pipeline = &aqbench::prepare_equirect_pipeline};
