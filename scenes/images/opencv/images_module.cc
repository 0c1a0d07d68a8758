// The module `images`: OpenCV's Fourier transform, depths of OpenEXR files.
#include <OpenEXR/openexr.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <utility>
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

// A channel's name: what stands before its last dot, and behind it.
struct ExrName {
  std::string layer, part;  // in small letters
};

std::vector<ExrName> exr_names(const exr_attr_chlist_t& channels) {
  std::vector<ExrName> names;
  for (int i = 0; i < channels.num_channels; ++i) {
    const std::string name = lower_case(channels.entries[i].name.str);
    const std::size_t dot = name.rfind('.');
    if (dot == std::string::npos)
      names.push_back({"", name});
    else
      names.push_back({name.substr(0, dot), name.substr(dot + 1)});
  }
  return names;
}

bool is_part(const ExrName& name, std::initializer_list<std::string_view> parts) {
  return std::ranges::find(parts, name.part) != parts.end();
}

// Returns whether the layer, the last of several, is one of depths: "ViewLayer.Depth".
bool is_depth_layer(const ExrName& name) {
  const std::string last = name.layer.substr(name.layer.rfind('.') + 1);  // npos + 1 is 0
  return last == "z" || last.find("depth") != std::string::npos;
}

// Returns whether a channel holds depths by its name. Z beside X or Y is a coordinate, V beside H, S, Y or U
// a colour.
bool names_depth(const ExrName& name, const std::vector<ExrName>& all) {
  if (name.part.ends_with("depth")) return true;
  if (!is_part(name, {"z", "v"}) || !(name.layer.empty() || is_depth_layer(name))) return false;
  return std::ranges::none_of(all, [&](const ExrName& other) {
    if (other.layer != name.layer) return false;
    return name.part == "z" ? is_part(other, {"x", "y"}) : is_part(other, {"h", "s", "y", "u", "ry", "by"});
  });
}

// Returns whether a file's only channel may hold depths; names that say nothing may.
bool may_be_depth(const ExrName& name) {
  if (name.layer.empty()) return !is_part(name, {"x", "u", "h", "s", "a"});
  return is_depth_layer(name) || !is_part(name, {"x", "y", "z", "u", "v", "h", "s", "a"});
}

// Returns the channels R, G and B where one layer alone has them; empty otherwise.
std::vector<int> rgb_channels(const std::vector<ExrName>& names) {
  std::vector<int> found;
  for (const std::string_view part : {"r", "g", "b"})
    for (std::size_t i = 0; i < names.size(); ++i)
      if (names[i].part == part) found.push_back(static_cast<int>(i));
  const auto layer = [&](std::size_t i) { return names[static_cast<std::size_t>(found[i])].layer; };
  if (found.size() != 3 || layer(0) != layer(1) || layer(0) != layer(2)) return {};
  return found;
}

// Returns the channels that hold depths by their names: one, or R, G and B; empty where nothing says which.
std::vector<int> depth_channels(const std::vector<ExrName>& names) {
  std::vector<int> found;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names_depth(names[i], names)) found.push_back(static_cast<int>(i));
  if (found.size() > 1) return {};
  if (found.empty() && names.size() == 1 && may_be_depth(names.front())) return {0};
  return found.empty() ? rgb_channels(names) : found;
}

void check_channel(const exr_attr_chlist_entry_t& channel, const std::string& name) {
  if (channel.pixel_type == EXR_PIXEL_UINT)
    throw unreadable(name + ": EXR", "depths must be half or float, not integers");
  if (channel.x_sampling != 1 || channel.y_sampling != 1)
    throw unreadable(name + ": EXR", "channel {} is subsampled", channel.name.str);
}

// Decodes scan lines chunk by chunk, so memory follows the actual file content.
void read_exr_lines(exr_context_t file, int channel, int first_line, const std::string& name,
                    DepthImage& image) {
  image.values.clear();
  const auto width = static_cast<std::size_t>(image.width);
  ExrDecoder decoder(file);
  int y = 0;
  while (y < image.height) {
    exr_chunk_info_t chunk = {};
    check_exr(exr_read_scanline_chunk_info(file, 0, first_line + y, &chunk), file, name);
    if (chunk.start_y != first_line + y || chunk.height < 1 || chunk.height > image.height - y)
      throw unreadable(name + ": EXR", "chunks out of order");
    check_packing(chunk.unpacked_size, source_of(file).bytes.size(), name + ": EXR");
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

// Returns the channels R, G and B as one, if they are equal bit by bit.
void read_exr_channels(exr_context_t file, const exr_attr_chlist_t& channels, int first_line,
                       const std::string& name, DepthImage& image) {
  std::vector<std::string_view> all, read;
  for (int i = 0; i < channels.num_channels; ++i) all.emplace_back(channels.entries[i].name.str);
  const std::vector<int> found = depth_channels(exr_names(channels));
  if (found.empty())
    throw unreadable(name + ": EXR", "unknown depth channel; one must be named Z, depth or V, got {}",
                     fmt::join(all, ", "));
  std::vector<float> before;
  for (const int channel : found) {
    check_channel(channels.entries[channel], name);
    before = std::move(image.values);
    read_exr_lines(file, channel, first_line, name, image);
    read.push_back(all[static_cast<std::size_t>(channel)]);
    if (read.size() > 1 &&
        std::memcmp(before.data(), image.values.data(), before.size() * sizeof(float)) != 0)
      throw unreadable(name + ": EXR", "{} differ: colours are no depths", fmt::join(all, ", "));
  }
  image.channel = fmt::format("{}", fmt::join(read, ", "));
}

// Returns the image without its values: the size of a file that holds one whole image of scan lines.
DepthImage exr_image(exr_context_t file, const std::string& name, int& first_line) {
  int parts = 0;
  check_exr(exr_get_count(file, &parts), file, name);
  if (parts != 1) throw unreadable(name + ": EXR", "{} parts; a depth map has one", parts);
  exr_storage_t storage = EXR_STORAGE_LAST_TYPE;
  check_exr(exr_get_storage(file, 0, &storage), file, name);
  if (storage != EXR_STORAGE_SCANLINE)
    throw unreadable(name + ": EXR", "tiles and deep data are not supported; write scan lines");
  exr_attr_box2i_t data = {}, display = {};
  check_exr(exr_get_data_window(file, 0, &data), file, name);
  check_exr(exr_get_display_window(file, 0, &display), file, name);
  if (std::memcmp(&data, &display, sizeof data) != 0)
    throw unreadable(name + ": EXR", "cropped data window; write the whole image");
  first_line = data.min.y;
  const std::int64_t width = std::int64_t{data.max.x} - data.min.x + 1,
                     height = std::int64_t{data.max.y} - data.min.y + 1;
  return depth_image_of_size(name, static_cast<std::uint64_t>(std::max<std::int64_t>(width, 0)),
                             static_cast<std::uint64_t>(std::max<std::int64_t>(height, 0)));
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
  int first_line = 0;
  DepthImage image = exr_image(file.context, name, first_line);
  const exr_attr_chlist_t* channels = nullptr;
  check_exr(exr_get_channels(file.context, 0, &channels), file.context, name);
  read_exr_channels(file.context, *channels, first_line, name, image);
  return image;
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::ImagesTable aqbench_images_table;
const aqbench::ImagesTable aqbench_images_table = {.inverse_real_dft = &aqbench::inverse_real_dft_with_opencv,
                                                   .decode_exr_depths = &aqbench::decode_exr_depths};
