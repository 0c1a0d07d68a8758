// The module `images`: OpenCV's Fourier transform, depths of OpenEXR files.
#include <OpenEXR/openexr.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <opencv2/core.hpp>
#include <vector>

#include "core/text.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

std::vector<float> inverse_real_dft_with_opencv(int n, std::span<const float> re_im) {
  // OpenCV reads the amplitudes; its type has no const view of them.
  const cv::Mat waves(n, n, CV_32FC2, const_cast<float*>(re_im.data()));
  cv::Mat real;
  cv::dft(waves, real, cv::DFT_INVERSE | cv::DFT_REAL_OUTPUT);
  return {real.begin<float>(), real.end<float>()};
}

// ---- OpenEXR ----

// A file in memory, as OpenEXR's callbacks see it.
struct ExrBytes {
  std::string_view bytes;
  char message[200] = {};  // what OpenEXR said first
};

ExrBytes& source_of(exr_const_context_t context) {
  void* source = nullptr;
  exr_get_user_data(context, &source);
  return *static_cast<ExrBytes*>(source);
}

std::int64_t read_exr_bytes(exr_const_context_t, void* user_data, void* to, std::uint64_t count,
                            std::uint64_t offset, exr_stream_error_func_ptr_t) {
  const auto& source = *static_cast<const ExrBytes*>(user_data);
  if (offset >= source.bytes.size()) return 0;
  const auto some = std::min<std::uint64_t>(count, source.bytes.size() - offset);
  std::memcpy(to, source.bytes.data() + offset, some);
  return static_cast<std::int64_t>(some);
}

std::int64_t size_of_exr(exr_const_context_t, void* user_data) {
  return static_cast<std::int64_t>(static_cast<const ExrBytes*>(user_data)->bytes.size());
}

// Stores OpenEXR's first message instead of printing it.
void keep_exr_error(exr_const_context_t context, exr_result_t, const char* message) {
  auto& source = source_of(context);
  if (source.message[0] == '\0') std::snprintf(source.message, sizeof source.message, "%s", message);
}

struct ExrFile {
  exr_context_t context = nullptr;
  ExrFile() = default;
  ExrFile(const ExrFile&) = delete;
  ExrFile& operator=(const ExrFile&) = delete;
  ~ExrFile() { exr_finish(&context); }
};

struct ExrDecoder {
  exr_const_context_t context;
  exr_decode_pipeline_t pipeline = EXR_DECODE_PIPELINE_INITIALIZER;
  explicit ExrDecoder(exr_const_context_t file) : context(file) {}
  ExrDecoder(const ExrDecoder&) = delete;
  ExrDecoder& operator=(const ExrDecoder&) = delete;
  ~ExrDecoder() { exr_decoding_destroy(context, &pipeline); }
};

void check_exr(exr_result_t result, exr_const_context_t context, const std::string& name) {
  if (result == EXR_ERR_SUCCESS) return;
  const char* said = context != nullptr ? source_of(context).message : "";
  throw unreadable(name + ": EXR", "{}", said[0] != '\0' ? said : exr_get_default_error_message(result));
}

// Returns whether a channel's name, without its layer, is one that programs use for depths.
bool names_depth(const std::string& channel) {
  const std::string name = lower_case(channel.substr(channel.rfind('.') + 1));  // npos + 1 is 0
  return name == "z" || name == "v" || name == "depth";
}

// Returns the index of the channel that holds depths.
int depth_channel(const exr_attr_chlist_t& channels, const std::string& name) {
  std::vector<std::string> all;
  std::vector<int> named;
  for (int i = 0; i < channels.num_channels; ++i) {
    all.emplace_back(channels.entries[i].name.str);
    if (names_depth(all.back())) named.push_back(i);
  }
  if (all.empty()) throw unreadable(name + ": EXR", "no channels");
  const bool single = all.size() == 1;
  if (!single && named.size() != 1)
    throw unreadable(name + ": EXR", "unknown depth channel; one must be named Z, depth or V, got {}",
                     fmt::join(all, ", "));
  const int index = single ? 0 : named.front();
  const auto& channel = channels.entries[index];
  if (channel.pixel_type == EXR_PIXEL_UINT)
    throw unreadable(name + ": EXR", "depths must be half or float, not integers");
  if (channel.x_sampling != 1 || channel.y_sampling != 1)
    throw unreadable(name + ": EXR", "channel {} is subsampled", all[static_cast<std::size_t>(index)]);
  return index;
}

// Decodes scan lines chunk by chunk, so memory follows the actual file content.
void read_exr_lines(exr_context_t file, int channel, int first_line, const std::string& name,
                    DepthImage& image) {
  const auto width = static_cast<std::size_t>(image.width);
  ExrDecoder decoder(file);
  int y = 0;
  while (y < image.height) {
    exr_chunk_info_t chunk = {};
    check_exr(exr_read_scanline_chunk_info(file, 0, first_line + y, &chunk), file, name);
    if (chunk.start_y != first_line + y || chunk.height < 1 || chunk.height > image.height - y)
      throw unreadable(name + ": EXR", "chunks out of order");
    // Deflate packs at most 1032 to 1: refuses a size that the file cannot fill before allocating memory.
    if (width * static_cast<std::size_t>(chunk.height) * sizeof(float) / 1032 > source_of(file).bytes.size())
      throw unreadable(name + ": EXR", "the file is too short for its image");
    check_exr(y == 0 ? exr_decoding_initialize(file, 0, &chunk, &decoder.pipeline)
                     : exr_decoding_update(file, 0, &chunk, &decoder.pipeline),
              file, name);
    image.values.resize(image.values.size() + width * static_cast<std::size_t>(chunk.height));
    for (int i = 0; i < decoder.pipeline.channel_count; ++i) {
      exr_coding_channel_info_t& to = decoder.pipeline.channels[i];
      to.decode_to_ptr =
          i == channel
              ? reinterpret_cast<std::uint8_t*>(image.values.data() + width * static_cast<std::size_t>(y))
              : nullptr;
      to.user_bytes_per_element = sizeof(float);
      to.user_data_type = EXR_PIXEL_FLOAT;
      to.user_pixel_stride = sizeof(float);
      to.user_line_stride = static_cast<std::int32_t>(width * sizeof(float));
    }
    if (y == 0) check_exr(exr_decoding_choose_default_routines(file, 0, &decoder.pipeline), file, name);
    check_exr(exr_decoding_run(file, 0, &decoder.pipeline), file, name);
    y += chunk.height;
  }
}

DepthImage decode_exr_depths(std::string_view bytes, const std::string& name) {
  ExrBytes source{bytes};
  exr_context_initializer_t setting = EXR_DEFAULT_CONTEXT_INITIALIZER;
  setting.error_handler_fn = &keep_exr_error;
  setting.user_data = &source;
  setting.read_fn = &read_exr_bytes;
  setting.size_fn = &size_of_exr;
  setting.flags = EXR_CONTEXT_FLAG_SILENT_HEADER_PARSE | EXR_CONTEXT_FLAG_DISABLE_CHUNK_RECONSTRUCTION;
  ExrFile file;
  check_exr(exr_start_read(&file.context, name.c_str(), &setting), file.context, name);
  int parts = 0;
  check_exr(exr_get_count(file.context, &parts), file.context, name);
  if (parts != 1) throw unreadable(name + ": EXR", "{} parts; a depth map has one", parts);
  exr_storage_t storage = EXR_STORAGE_LAST_TYPE;
  check_exr(exr_get_storage(file.context, 0, &storage), file.context, name);
  if (storage != EXR_STORAGE_SCANLINE)
    throw unreadable(name + ": EXR", "tiles and deep data are not supported; write scan lines");
  const exr_attr_chlist_t* channels = nullptr;
  check_exr(exr_get_channels(file.context, 0, &channels), file.context, name);
  const int channel = depth_channel(*channels, name);
  exr_attr_box2i_t data = {}, display = {};
  check_exr(exr_get_data_window(file.context, 0, &data), file.context, name);
  check_exr(exr_get_display_window(file.context, 0, &display), file.context, name);
  if (std::memcmp(&data, &display, sizeof data) != 0)
    throw unreadable(name + ": EXR", "cropped data window; write the whole image");
  const std::int64_t width = std::int64_t{data.max.x} - data.min.x + 1,
                     height = std::int64_t{data.max.y} - data.min.y + 1;
  DepthImage image = depth_image_of_size(name, static_cast<std::uint64_t>(std::max<std::int64_t>(width, 0)),
                                         static_cast<std::uint64_t>(std::max<std::int64_t>(height, 0)));
  read_exr_lines(file.context, channel, data.min.y, name, image);
  return image;
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::ImagesTable aqbench_images_table;
const aqbench::ImagesTable aqbench_images_table = {.inverse_real_dft = &aqbench::inverse_real_dft_with_opencv,
                                                   .decode_exr_depths = &aqbench::decode_exr_depths};
