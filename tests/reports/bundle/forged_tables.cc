#include "tests/reports/bundle/forged_lies.h"

namespace aqbench::forging {

std::vector<TableLie> lies_about_tables() {
  return {
      {kDepth, "depth/", "\ncam00,", "\ncam01,", "line 3: is no camera's depths"},
      {kDepth, "depth/", "cam00,1.5,2,", "cam00,1.5,1,", "depth_rmse_mm below depth_mae_mm"},
      {kDepth, "depth/", "cam00,1.5,2,1,", "cam00,1.5,2,inf,", "line 2: is no camera's depths"},
      {kDepth, "depth/", "cam00,1.5,2,1,", "cam00,1.5,2.0,1,", "line 2: is no camera's depths"},
      {kDepth, "depth/", "cam00,1.5,2,1,", "cam00,0.5,2,1,", "that the shares of bad depths do not allow"},
      {kDepth, "depth/", "cam00,1.5,2,1,", "cam00,1.5,2,3,", "further from depth_mae_mm than"},
      {kDepth, "depth/", ",60,30,25,90", ",60,30,25,", "has depth_fill_rate_pct of 1 cameras"},
      {kDepth, "depth/", ",60,30,25,90", ",60,30,25,190", "has no depth_fill_rate_pct"},
      {kDepth, "depth/", "depth_bad_4mm_pct", "depth_bad_3mm_pct", "has another first line"},
      {kDepth, "depth/", "25,90\n", "25,90", "ends within a line"},
      {kDepth, "depth/", "25,90\n", "25,90\n\n", "line 4: has 1 fields"},
      {kDepth, "diagnosis/", "bias,cam01,-0.75", "bias,cam01,-0.7", "gives camera_worst_bias_mm 0.69"},
      {kDepth, "diagnosis/", "crb_1px,patch,2,", "crb_1px,patch,3,", "gives crb_ratio"},
      {kDepth, "diagnosis/", "crb_1px,patch,2,", "crb_1px,patch,,", "holds no bound"},
      {kDepth, "diagnosis/", "rmse,cam00,1,", "rmse,cam00,0.1,", "has an rmse of cam00 below its bias"},
      {kDepth, "diagnosis/", "holes,fused,0,%\n", "", "line 6: is no row of a diagnosis there"},
      {kDepth, "diagnosis/", "holes,fused,0,", "holes,fused,1,", "gives holes_fused_pct"},
      {kDepth, "diagnosis/", "confirmed,cam00,50,%", "confirmed,cam00,50,mm", "is no row of a diagnosis"},
      {kDepth, "diagnosis/", "rmse,cam01,1,mm", "rmse,cam01,one,mm", "is no row of a diagnosis"},
      {kDepth, "diagnosis/", "area,0 views,0,", "area,0 views,1,", "is no row of a diagnosis"},
      {kDepth, "diagnosis/", "confirmed,cam00,50,", "confirmed,cam00,5000,", "is no row of a diagnosis"},
      {kDepth, "diagnosis/", "bias,cam01,-0.75,mm\nrmse,cam01,1,mm\nconfirmed,cam01,50,%\n", "",
       "its diagnosis lacks camera cam01"},
      {kDepth, "diagnosis/", "bias,cam01,-0.75,mm\nrmse,cam01,1,mm\nconfirmed,cam01,50,%\n",
       "bias,cam09,-0.75,mm\nrmse,cam09,1,mm\n", "its diagnosis has a camera cam09"},
      {kDepth, "depth/", "\ncam01,", "\nbest1,", "has depths of a camera best1"},
      {kDepth, "views/", "\n0,", "\n00,", "line 2: is not the share that 0 cameras see"},
      {kDepth, "views/", "surface_pct", "surface", "has another first line"},
      {kExternal, "tiles/", "\n0,0,-250,", "\n0,0,-251,", "lies elsewhere than the next tile"},
      {kExternal, "tiles/", "\n1,0,", "\n2,0,", "line 3: is not the next tile of a grid"},
      {kExternal, "tiles/", "\n0,0,-250,-150,0,,,", "\n0,0,-250,-150,0,,-7,", "line 2: is no tile"},
      {kExternal, "tiles/", "\n0,0,-250,-150,0,,,", "\n0,0,-250,-150,0,,,-1", "line 2: is no tile"},
  };
}

}  // namespace aqbench::forging
