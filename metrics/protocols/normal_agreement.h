#pragma once
// How well normals agree, as papers on surfaces score them.

#include "metrics/protocols/protocol_result.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Compares each normal with that of the nearest point of the other cloud (Mescheder et al., "Occupancy
// networks", CVPR 2019, im2mesh/eval.py): normals_accuracy, normals_completeness and their mean
// normals_consistency are mean absolute cosines, 0 to 1. Of points equally near the first counts; points
// without a finite place and a normal are left out. Normals need not be of unit length. Undefined where one
// side has none.
ProtocolResult normal_agreement(const PointCloud& cloud, const PointCloud& truth);

// Returns the vertices of a mesh with the mean normals of their triangles, weighted by area; vertices of no
// triangle with an area are left out.
PointCloud vertices_with_normals(const TriangleMesh& mesh);

}  // namespace aqbench
