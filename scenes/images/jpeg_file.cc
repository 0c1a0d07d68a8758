#include "scenes/images/image_file.h"

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

// After <cstdio>, which it needs.
#include <jpeglib.h>

#include <jerror.h>

#include "core/error.h"

namespace aqbench {
namespace {

// libjpeg's errors: the first text, and the return point after a fatal one.
struct JpegErrors {
  jpeg_error_mgr manager;  // first: libjpeg passes its address on
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> text;
  std::string_view bytes;  // of the file
  bool failed;             // decoding ended early
  bool no_memory;          // the decoder got no memory, which says nothing about the file
};

JpegErrors& errors_of(j_common_ptr decoder) { return *reinterpret_cast<JpegErrors*>(decoder->err); }

void keep_text(j_common_ptr decoder) {
  JpegErrors& errors = errors_of(decoder);
  if (errors.text[0] == '\0') decoder->err->format_message(decoder, errors.text.data());
}

[[noreturn]] void end_decoding(j_common_ptr decoder) {
  errors_of(decoder).no_memory = decoder->err->msg_code == JERR_OUT_OF_MEMORY;
  errors_of(decoder).failed = true;
  keep_text(decoder);
  std::longjmp(errors_of(decoder).back, 1);
}

// Returns whether the bytes just skipped by the decoder are zero.
bool is_filling(j_common_ptr decoder) {
  const std::string_view bytes = errors_of(decoder).bytes;
  const auto* const next =
      reinterpret_cast<const char*>(reinterpret_cast<j_decompress_ptr>(decoder)->src->next_input_byte);
  const auto end = static_cast<std::size_t>(next - bytes.data());
  const auto count = static_cast<std::size_t>(decoder->err->msg_parm.i[0]);
  return count <= end && end <= bytes.size() &&
         bytes.substr(end - count, count).find_first_not_of('\0') == std::string_view::npos;
}

// Other warnings are about versions and colours, not the data.
bool is_damage(j_common_ptr decoder) {
  switch (decoder->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
    case JWRN_JPEG_EOF:
      return true;
    case JWRN_EXTRANEOUS_DATA:
      return !is_filling(decoder);
    default:
      return false;
  }
}

void take_message(j_common_ptr decoder, int level) {
  if (level < 0 && is_damage(decoder)) keep_text(decoder);
}

// Scans of a progressive file take no bytes, but each takes the time of the whole image. Programs write up to
// 20; the largest photographs have some 10^7 blocks.
void end_after_many_scans(j_common_ptr common) {
  constexpr int kMaxScans = 100;
  constexpr double kMaxBlocks = 1 << 28;  // over all scans
  const auto& decoder = *reinterpret_cast<j_decompress_ptr>(common);
  const double blocks = decoder.image_width / 8.0 * (decoder.image_height / 8.0) * decoder.num_components;
  if (decoder.input_scan_number <= kMaxScans && decoder.input_scan_number * blocks <= kMaxBlocks) return;
  JpegErrors& errors = errors_of(common);
  std::snprintf(errors.text.data(), errors.text.size(), "has too many scans: %d and more of %u x %u px",
                decoder.input_scan_number, decoder.image_width, decoder.image_height);
  errors.failed = true;
  std::longjmp(errors.back, 1);
}

// What is decoded of a file: without pixels the compressed data alone.
struct JpegPixels {
  bool wanted = false;
  int width = 0, height = 0, channels = 0;
  std::vector<unsigned char> bytes = {};
};

void read_jpeg_pixels(jpeg_decompress_struct& decoder, JpegPixels& pixels) {
  decoder.out_color_space = decoder.num_components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_start_decompress(&decoder);
  pixels.width = static_cast<int>(decoder.output_width);
  pixels.height = static_cast<int>(decoder.output_height);
  pixels.channels = decoder.output_components;
  const std::size_t line = std::size_t{decoder.output_width} * static_cast<std::size_t>(pixels.channels);
  pixels.bytes.resize(line * decoder.output_height);
  while (decoder.output_scanline < decoder.output_height) {
    JSAMPROW row = pixels.bytes.data() + line * decoder.output_scanline;
    jpeg_read_scanlines(&decoder, &row, 1);
  }
  jpeg_finish_decompress(&decoder);
}

// Owns nothing, so a jump cannot leak.
void decode(std::string_view bytes, JpegErrors& errors, JpegPixels& pixels) {
  jpeg_decompress_struct decoder{};
  jpeg_progress_mgr progress{};
  progress.progress_monitor = end_after_many_scans;
  decoder.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = end_decoding;
  errors.manager.emit_message = take_message;
  if (setjmp(errors.back) == 0) {
    jpeg_create_decompress(&decoder);
    decoder.progress = &progress;
    jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&decoder, TRUE);
    // A block of 8 x 8 px takes at least one bit: refuses sizes that the bytes cannot fill before allocating
    // memory.
    if (decoder.image_width / 8.0 * (decoder.image_height / 8.0) > 8.0 * static_cast<double>(bytes.size()))
      std::snprintf(errors.text.data(), errors.text.size(), "says more pixels than its bytes can hold");
    else if (pixels.wanted)
      read_jpeg_pixels(decoder, pixels);
    else if (jpeg_read_coefficients(&decoder) != nullptr)
      jpeg_finish_decompress(&decoder);
  }
  jpeg_destroy_decompress(&decoder);
}

// The encoder's own memory.
struct JpegBuffer {
  JpegBuffer() = default;
  JpegBuffer(const JpegBuffer&) = delete;
  JpegBuffer& operator=(const JpegBuffer&) = delete;
  ~JpegBuffer() { std::free(bytes); }

  unsigned char* bytes = nullptr;
  unsigned long size = 0;
};

// Owns nothing, as decode().
void encode(const RgbImage& image, int quality, JpegErrors& errors, JpegBuffer& buffer) {
  jpeg_compress_struct encoder{};
  encoder.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = end_decoding;
  if (setjmp(errors.back) == 0) {
    jpeg_create_compress(&encoder);
    jpeg_mem_dest(&encoder, &buffer.bytes, &buffer.size);
    encoder.image_width = static_cast<JDIMENSION>(image.width);
    encoder.image_height = static_cast<JDIMENSION>(image.height);
    encoder.input_components = 3;
    encoder.in_color_space = JCS_RGB;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, quality, TRUE);
    jpeg_start_compress(&encoder, TRUE);
    while (encoder.next_scanline < encoder.image_height) {
      JSAMPROW row = const_cast<unsigned char*>(image.bytes.data()) +
                     std::size_t{3} * encoder.image_width * encoder.next_scanline;
      jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
  }
  jpeg_destroy_compress(&encoder);
}

// Turns cyan, magenta, yellow and black, stored inverted as Adobe's programs do, into colours.
std::vector<unsigned char> rgb_of_cmyk(const std::vector<unsigned char>& cmyk) {
  std::vector<unsigned char> rgb;
  rgb.reserve(cmyk.size() / 4 * 3);
  for (std::size_t at = 0; at + 4 <= cmyk.size(); at += 4)
    for (std::size_t ink = 0; ink < 3; ++ink) {
      const int black = cmyk[at + 3];
      rgb.push_back(static_cast<unsigned char>(black - ((255 - cmyk[at + ink]) * black >> 8)));
    }
  return rgb;
}

}  // namespace

RgbImage decode_rgb_jpeg(std::string_view bytes, const std::string& name) {
  JpegErrors errors{};
  errors.bytes = bytes;
  JpegPixels pixels{.wanted = true};
  decode(bytes, errors, pixels);
  if (errors.no_memory) throw std::bad_alloc();
  if (errors.failed || pixels.bytes.empty())
    throw Error(ErrorKind::input, name + ": JPEG: " + errors.text.data());
  return {pixels.width, pixels.height, false,
          pixels.channels == 4 ? rgb_of_cmyk(pixels.bytes) : std::move(pixels.bytes)};
}

std::string encode_jpeg(const RgbImage& image, int quality) {
  JpegErrors errors{};
  JpegBuffer buffer;
  encode(image, quality, errors, buffer);
  if (errors.failed) throw io_error("JPEG: {}", errors.text.data());
  return {reinterpret_cast<const char*>(buffer.bytes), buffer.size};
}

std::string find_jpeg_damage(std::string_view bytes) {
  JpegErrors errors{};
  errors.bytes = bytes;
  JpegPixels none;
  decode(bytes, errors, none);
  if (errors.no_memory) throw std::bad_alloc();
  return errors.text.data();
}

}  // namespace aqbench
