#pragma once
// The layouts of other programs: read as cameras with one image each and the truth beside them, and written
// for methods that read those; and the masks of images.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The truth that comes with a layout. Methods do not see it.
struct LayoutTruth {
  std::vector<std::filesystem::path> surface;  // a mesh, scans, or a MeshLab project of scans; empty: none
  std::string unit = "m";                      // of the surface and the crops
  std::vector<std::filesystem::path> crops;    // files that limit what is scored (scenes/cloud/crop.h)
  bool depths_are_surface = false;             // the true depth maps are the scans of the surface
  std::vector<std::filesystem::path> files;    // all files of the truth, those above included
  std::vector<std::filesystem::path> unread;   // folders that hold more of it, which is not read
};

// The cameras of a layout. A dry world in metres: that of the truth where there is one.
struct LayoutCameras {
  std::vector<std::filesystem::path> files;  // that describe the cameras
  std::vector<Camera> cameras;
  std::vector<std::filesystem::path> images;  // of each camera
  std::vector<std::filesystem::path> masks;   // that a file names, of each camera; empty: none
  std::size_t without_image = 0;              // cameras left out since their images are not there
  LayoutTruth truth;
};

// Returns a file of the folder that `name` names, relative to images/ or to the folder itself. Throws
// Error(input) naming folder and camera for a file that is not there or lies outside of the folder.
std::filesystem::path named_image(const std::filesystem::path& dir, const std::string& name,
                                  const std::string& camera);
// Returns the same; an empty path for a file that is not there.
std::filesystem::path find_named_image(const std::filesystem::path& dir, const std::string& name,
                                       const std::string& camera);

// Returns the name of a camera from the name of its image: without the ending, with "_" for a slash, a
// backslash or a quotation mark.
std::string camera_name_of(const std::filesystem::path& image);

// Sets width and height to those of an image file. Throws Error(input) as inspect_image() does.
void take_size(const std::filesystem::path& image, Intrinsics& intrinsics);

// Throws Error(input) "FILE: ...; WHY" for a principal point in the outer quarter of an image whose size the
// cameras' file does not say.
void check_principal_point(const Intrinsics& intrinsics, const std::filesystem::path& file,
                           std::string_view why);

// Throws Error(input) "FILE: ..." for a principal point that is off the middle of the image by one factor
// along both sides: the intrinsics are those of an image that many times as large.
void check_image_scale(const Camera& camera, const std::filesystem::path& file);

// Moves cameras into another world: x_new = new_from_old x_old. Lengths in their frames change by its scale,
// pixels do not.
void move_cameras(const Similarity& new_from_old, std::vector<Camera>& cameras);

// Returns the rotation nearest to a matrix of rounded numbers. Throws Error(input) "WHERE: ..." unless it is
// one within `tolerance` per entry.
Mat3 rotation_near(const Mat3& rounded, double tolerance, const std::string& where);

// Throws Error(input) "FILE: no such file (named by SOURCE)" unless it is there.
void require_file(const std::filesystem::path& file, const std::string& source);

// Returns the files of a folder, sorted by name; none if there is no such folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

// ---- cameras.json: the cameras of a flat folder of images, in a short hand-written form ----

// Cameras and the names of their images, one per frame.
struct NamedImages {
  Rig rig;
  std::vector<std::vector<std::string>> images;  // of each camera, relative to the folder of images
};

// Reads {"water": {"z_m": .., "n_air": 1, "n_water": 1.333}, "cameras": [{"name": .., "image": FILE or
// "images": [FILE, ..], "size": [w, h], "K": 3x3, "distortion": [..], "fisheye": false, "auxiliary": false,
// "R": 3x3, "t_m": [x, y, z]}]}. Without "water" rays are straight, and depths
// begin at the camera's centre instead of at `z_m`. The default name is that of the first image without its
// extension; the default distortion is none. Throws Error(input) "FILE: cameras[1].K: ..." for a field that
// is missing, unknown or wrong, and as check(Rig) does.
NamedImages read_cameras_file(const std::filesystem::path& file);

// ---- transforms.json, the layout of nerfstudio and instant-ngp ----

// Returns the file of a folder that holds its cameras: transforms.json, else transforms_train.json; empty if
// there is neither.
std::filesystem::path find_transforms_file(const std::filesystem::path& dir);

// Reads cameras of that file and finds their images. "transform_matrix" is world_from_camera with x right, y
// up and z backwards (OpenGL); the world stays the file's. (0.5, 0.5) is the centre of the first pixel, as in
// COLMAP. Intrinsics stand in the frame, else at the top: focal_lengths_at(); cx and cy (default: the
// middle); w and h (default: the image's); camera_model or is_fisheye; k1 to k4, p1, p2. An image may be
// named without its ending. Frames without an image are left out, as nerfstudio and instant-ngp do. Other
// members are not read. Throws Error(input) naming file and field: no frame with an image, a matrix that is
// not rigid within 1e-4, another camera model, a coefficient that the lens does not have, cx and cy of
// another size.
LayoutCameras read_transforms_folder(const std::filesystem::path& dir);

// Reads all cameras of that file likewise, with or without their images, whose size it then must say.
std::vector<Camera> read_transforms_cameras(const std::filesystem::path& file);

// Returns the focal lengths of a frame for an image of this size, as instant-ngp has them: of an axis fl_x,
// else x_fov in degrees, else camera_angle_x in radians, in the frame, else at the top; an axis without any
// has that of the other one. nullopt without any. Throws Error(input) for a length or an angle that makes no
// sense.
std::optional<Vec2> focal_lengths_at(const JsonPlace& frame, const JsonPlace& root, double width_px,
                                     double height_px);

// Returns the coefficients of a frame's lens as Intrinsics::distortion has them, 4 of a fisheye lens; nullopt
// for a lens that read_transforms_folder() refuses. Throws Error(input) for a coefficient that is no number.
std::optional<std::vector<double>> distortion_at(const JsonPlace& frame, const JsonPlace& root);

// ---- COLMAP, and ETH3D's training set of high resolution, as its archives unpack it ----

// Reads the model of a folder (scenes/dataset/colmap_model.h) and finds its images. Its unit is taken for the
// metre. Throws Error(input) as read_colmap_model(), colmap_cameras(), named_image() and check(Rig) do.
LayoutCameras read_colmap_folder(const std::filesystem::path& dir);

// Returns whether a folder holds dslr_calibration_undistorted/, a COLMAP model.
bool is_eth3d_folder(const std::filesystem::path& dir);
// Reads the undistorted cameras and finds their images in images/. The truth is the scans of
// dslr_scan_eval/scan_alignment.mlp, where that is there, in metres and in the cameras' world; depth maps and
// meshes for occlusion belong to the distorted images and are not read. Throws Error(input) as
// read_colmap_model(), colmap_cameras(), named_image() and scans_of_project() do, and for a scan that the
// project names and that is missing.
LayoutCameras read_eth3d_folder(const std::filesystem::path& dir);

// ---- MVSNet: DTU as it is prepared for it, BlendedMVS, and what colmap2mvsnet.py writes ----

// Returns whether a folder holds cams/NUMBER_cam.txt.
bool is_mvsnet_folder(const std::filesystem::path& dir);

// Reads cams/NUMBER_cam.txt: "extrinsic", camera_from_world as 4 x 4, "intrinsic", K as 3 x 3, and the range
// of depths. (0, 0) is the centre of the first pixel, as MVSNet's own warping has it; there is no distortion.
// The image is images/NUMBER.* or blended_images/NUMBER.*, which gives the size. pair.txt, here or in cams/,
// must name these views. Truth:
// - rendered_depth_maps/NUMBER.pfm (BlendedMVS): depths along z, 0 where there is none.
// - Points/stl/stlNNN_total.ply of DTU for a folder scanN, in the folder, in "SampleSet/MVS Data/" or in one
//   of the two folders above: a scan in millimetres, as the cameras then are.
// Throws Error(input) naming file and line: a file of another form, a matrix that is not rigid within 1e-4, a
// principal point in the outer quarter of the image (cameras of another size), a missing image, a pair of a
// view without camera.
LayoutCameras read_mvsnet_folder(const std::filesystem::path& dir);

// ---- Tanks and Temples: photographs, the trajectory of its reference reconstruction, truth ----

// Returns the trajectory of a folder, NAME_COLMAP_SfM.log; empty if there is none or more than one.
std::filesystem::path find_tanks_trajectory(const std::filesystem::path& dir);

// Reads the trajectory: three whole numbers, then world_from_camera as 4 x 4 (x right, y down, z forward) for
// each image in images/, in NAME/ or beside it, in the order of their names, the first of the numbers
// counting from 0. An image without pose has -1 as second number, and is left out. The benchmark gives no
// intrinsics: they are read from intrinsics.json, as Open3D writes a pinhole camera ("width", "height",
// "intrinsic_matrix" by columns; (0, 0) is the centre of the first pixel). Truth: NAME.ply in metres,
// NAME_trans.txt, which moves the cameras into its frame, and NAME.json, the crop. Throws Error(input) naming
// file and line or field.
LayoutCameras read_tanks_folder(const std::filesystem::path& dir);

// ---- Masks: which pixels of a recording's images count. 0 does not, everything else does ----

// Fills in the masks of images that have none yet: masks/IMAGE.png, as COLMAP names them, or masks/IMAGE with
// the ending .png in place of its own, IMAGE being the path below images/ or below `dir`. Leaves `masks`
// empty if no image has one. Throws Error(input) for a folder masks/ without a mask of any image.
void find_masks(const std::filesystem::path& dir,
                const std::vector<std::vector<std::filesystem::path>>& images,
                std::vector<std::vector<std::filesystem::path>>& masks);

// Throws Error(input) naming the file for bytes that are no complete PNG image of the camera's size.
void check_mask(std::string_view bytes, const Intrinsics& intrinsics, const std::string& file);

// Reads a mask. Throws as check_mask() and decode_grey() do.
PixelMask read_mask(const std::filesystem::path& file, const Intrinsics& intrinsics);

// ---- Writing, for methods that read those layouts ----

// A layout to write, and what it needs beside cameras and images.
struct LayoutRequest {
  std::string layout;                          // "colmap", "transforms" or "mvsnet"
  double least_depth_m = 0, most_depth_m = 0;  // of mvsnet's cameras, along z
};

// What a camera took: its image and the mask of that, a PNG file; empty: none.
struct CameraFiles {
  std::filesystem::path image, mask;
};

// Writes cameras and a copy of one image and mask for each into a new folder. Water and ports have a place in
// colmap alone; in the others rays are straight from each camera's centre. The world and the metre stay,
// pixels follow the layout's convention (docs/layouts.md):
// - colmap: sparse/0/{cameras,images,points3D}.txt, without points (write_colmap_model()), images/CAMERA.EXT,
//   masks/CAMERA.EXT.png.
// - transforms: transforms.json, images/CAMERA.EXT and masks/CAMERA.png, which mask_path names.
// - mvsnet: cams/NUMBER_cam.txt with DEPTH_MIN INTERVAL 192 DEPTH_MAX, images/NUMBER.EXT, masks/NUMBER.png,
//   and pair.txt, which lists up to ten sources of each view, the nearest first, with 1000 by their rank as
//   score. NUMBER is the place of the camera.
// Throws Error(input) naming the camera for a lens or a name that the layout cannot hold, Error(io).
void write_layout(const std::filesystem::path& dir, const LayoutRequest& request,
                  const std::vector<Camera>& cameras, const std::vector<CameraFiles>& files);

}  // namespace aqbench
