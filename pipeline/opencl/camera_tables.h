#pragma once
// Cameras as the kernels of plane_sweep.cl read them: single precision, lengths from a reference camera's
// centre.

#include <cstddef>
#include <span>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench::opencl {

// Returns the constant INTERFACE of a camera. Throws Error(usage) for an interface that the kernels do not
// have.
int interface_number(const RefractiveCamera& camera);

// Returns the numbers that project() reads.
std::vector<float> camera_table(const RefractiveCamera& camera, const RefractiveCamera& reference);

// Returns the rays of all pixels of the reference camera, [origin x, y, z, direction x, y, z][y][x], rows of
// `pitch` pixels; NaN where there is none. Uses parallel_for.
std::vector<float> ray_table(const RefractiveCamera& reference, std::size_t pitch);

// Returns rows of `width` values as rows of `pitch`, filled up with NaN.
std::vector<float> with_pitch(std::span<const float> values, std::size_t width, std::size_t pitch);

}  // namespace aqbench::opencl
