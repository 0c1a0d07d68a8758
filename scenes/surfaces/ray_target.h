#pragma once
// A surface of flat faces that rays can be cast at, many at a time.

#include <span>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A ray in the world frame; the direction has the length 1.
struct SurfaceRay {
  Vec3 origin_m, direction;
};

// Where a ray first meets a face.
struct FaceHit {
  double depth_m = 0;  // along the ray; NaN where it meets none
  Vec3 normal;         // of the face, unit, towards the cameras
};

// What a renderer needs of a mesh, beside its functions as a Surface.
class RayTarget {
 public:
  virtual ~RayTarget() = default;

  // Finds the first face on each ray, from its origin on. Faces are searched in single precision, the depth
  // is that of the face's plane in double. rays.size() == hits.size(). Runs on the calling thread.
  virtual void first_hits(std::span<const SurfaceRay> rays, std::span<FaceHit> hits) const = 0;
};

}  // namespace aqbench
