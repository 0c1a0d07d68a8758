#pragma once
// Points that stand for a truth in protocols of clouds.

#include <vector>

#include "metrics/protocols/cloud_truth.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Takes the scans of a truth: as beams where all scanners are known, else as one cloud. Points of beams that
// have normals also go into `scanned`, if that is given.
void add_scans(std::vector<Scan> scans, CloudTruth& truth, PointCloud* scanned = nullptr);

// Returns points of a mesh as true surface, by area, one for each square of that side, and at least
// kFewestSamples. Throws Error(usage) where that are more than 100 million.
std::vector<Vec3> mesh_samples_m(const Surface& mesh, double spacing_m);

}  // namespace aqbench
