#include <algorithm>
#include <array>
#include <string_view>

#include "pipeline/external/external.h"

namespace aqbench {
namespace {

constexpr std::array<std::string_view, 19> kNames = {"PATH",
                                                     "HOME",
                                                     "USER",
                                                     "LOGNAME",
                                                     "SHELL",
                                                     "LANG",
                                                     "LANGUAGE",
                                                     "TZ",
                                                     "TERM",
                                                     "TMPDIR",
                                                     "VIRTUAL_ENV",
                                                     "LD_PRELOAD",
                                                     "PKG_CONFIG_PATH",
                                                     "PERL5LIB",
                                                     "CC",
                                                     "CXX",
                                                     "LD_LIBRARY_PATH",
                                                     "MPLBACKEND",
                                                     "CPATH"};

constexpr std::array<std::string_view, 58> kFamilies = {
    "LC_",        "XDG_",        "OMP_",    "GOMP_",    "KMP_",   "MKL_",    "OPENBLAS_",     "GOTO_",
    "BLIS_",      "BLAS_",       "VECLIB_", "NUMEXPR_", "NUMBA_", "TBB_",    "MALLOC_",       "CUDA_",
    "CUDNN_",     "CUBLAS_",     "NVIDIA_", "NCCL_",    "CUPY_",  "HIP_",    "HSA_",          "ROCR_",
    "ROCM_",      "MIOPEN_",     "GPU_",    "AMD_",     "SYCL_",  "ONEAPI_", "ZE_",           "OCL_",
    "OPENCL_",    "POCL_",       "TORCH",   "PYTORCH_", "TF_",    "XLA_",    "JAX_",          "TRITON_",
    "OPENCV_",    "OPEN3D_",     "GDAL_",   "PROJ_",    "QT_",    "MESA_",   "LIBGL_",        "PYTHON",
    "CONDA",      "MAMBA_",      "PYENV_",  "JULIA_",   "MATLAB", "HF_",     "TRANSFORMERS_", "KERAS_",
    "APPTAINER_", "SINGULARITY_"};

// Parts of names of secrets.
constexpr std::array<std::string_view, 9> kSecrets = {"TOKEN", "SECRET", "PASS",   "CREDENTIAL", "AUTH",
                                                      "KEY",   "COOKIE", "BEARER", "SIGNATURE"};

}  // namespace

bool is_passed_on(std::string_view variable) {
  if (std::ranges::find(kNames, variable) != kNames.end()) return true;
  return std::ranges::any_of(kFamilies,
                             [&](std::string_view start) { return variable.starts_with(start); }) &&
         std::ranges::none_of(
             kSecrets, [&](std::string_view secret) { return variable.find(secret) != variable.npos; });
}

}  // namespace aqbench
