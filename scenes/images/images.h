#pragma once
// Images and depth maps in files of other programs; OpenEXR and Fourier transforms by a module
// (core/module.h).

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/images/image_file.h"

namespace aqbench {

// Returns the real part of the inverse Fourier transform of a square of complex amplitudes, without the
// factor 1 / n^2. Row-major: `re_im` holds n * n pairs (real, imaginary) that are conjugate-symmetric; the
// result holds n * n values. Throws Error(input) where the module is not installed.
std::vector<float> inverse_real_dft(int n, std::span<const float> re_im);

// Decodes an OpenEXR image of scan lines, uncompressed or by any of the format's compressions, with half or
// float samples. Of several channels the one is taken that is called depth, or Z or V in a layer called depth
// or in none; a channel of its own, whatever it is called; or R, G and B if all three are equal. Normals,
// positions and colours (N.Z, X Y Z, H S V, Y U V) are no depths. Throws Error(input), one line that starts
// with `name`, for several parts, tiles, deep data, channels that do not say which of them holds depths,
// damaged data, and where the module is not installed.
DepthImage read_exr_depths(std::string_view bytes, const std::string& name);

// A grey image, row by row from the top.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> values;  // width * height, 0 (black) to 1
};

// Decodes a PNG, JPEG or TIFF file of 8 or 16 bits a channel as 0.114 B + 0.587 G + 0.299 R. Beside the 4
// bytes of each pixel it takes what read_rgb_png() and read_rgb_tiff() say, of a JPEG 3 bytes more. Throws
// Error(input), one line that starts with `name`, for what is no such image (inspect_image()) or of another
// size, before memory for its pixels is asked for.
GreyImage decode_grey(std::string_view bytes, int width_px, int height_px, const std::string& name);

// Returns an image of 8 or 16 bits with its colours as PNG bytes, made smaller by a whole factor: each pixel
// is the mean of factor x factor ones, rounded, halves up; what is left over at the right and at the bottom
// falls away. Throws Error(input), one line that starts with `name`, for what is no such image or smaller
// than the factor.
std::string shrink_image(std::string_view bytes, int factor, const std::string& name);

// A small photograph for people.
struct SmallPhotograph {
  std::string jpeg;
  int every_px = 1;  // each of its pixels is the mean of every_px x every_px ones
};

// Returns an image as a JPEG of 8 bits, made smaller as by shrink_image(): about 640 px wide, or as much
// less, down to about 256 px, as it takes for at most `most_bytes`. The same image gives the same bytes.
// Throws as shrink_image().
SmallPhotograph small_photograph(std::string_view bytes, const std::string& name, std::size_t most_bytes);

// The functions of the module `images`.
struct ImagesTable {
  std::vector<float> (*inverse_real_dft)(int n, std::span<const float> re_im);
  DepthImage (*decode_exr_depths)(std::string_view bytes, const std::string& name);
};

// Reads a depth map, by content:
// - NPY: rows x columns, or rows x columns x 1, of float32 or float64, or integers as counts
// - PFM with one channel (Debevec, "PF format"), of either byte order; its rows go from the bottom up
// - COLMAP's .bin of dense stereo: "WIDTH&HEIGHT&1&" and float32
// - PNG with one channel of 16 bits
// - OpenEXR as read_exr_depths()
// - TIFF with one channel: floats of 32 or 64 bits, or counts of 16 bits
// What stands for "nothing here" is NaN then (drop_far_values()). Throws Error(input), one line with the
// file, for anything else, for more than 2^28 pixels, and for OpenEXR where the module `images` is not
// installed.
DepthImage read_depth_image(const std::filesystem::path& path);

}  // namespace aqbench
