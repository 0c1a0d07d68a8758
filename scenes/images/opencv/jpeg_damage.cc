#include "scenes/images/opencv/jpeg_damage.h"

#include <array>
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <new>

// After <cstdio>, which it needs.
#include <jpeglib.h>

#include <jerror.h>

namespace aqbench {
namespace {

// libjpeg's errors: the first text, and the return point after a fatal one.
struct JpegErrors {
  jpeg_error_mgr manager;  // first: libjpeg passes its address on
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> text;
  std::string_view bytes;  // of the file
  bool no_memory;          // the decoder got no memory, which says nothing about the file
};

JpegErrors& errors_of(j_common_ptr decoder) { return *reinterpret_cast<JpegErrors*>(decoder->err); }

void keep_text(j_common_ptr decoder) {
  JpegErrors& errors = errors_of(decoder);
  if (errors.text[0] == '\0') decoder->err->format_message(decoder, errors.text.data());
}

[[noreturn]] void end_decoding(j_common_ptr decoder) {
  errors_of(decoder).no_memory = decoder->err->msg_code == JERR_OUT_OF_MEMORY;
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

// Owns nothing, so a jump cannot leak.
void decode(std::string_view bytes, JpegErrors& errors) {
  jpeg_decompress_struct decoder{};
  decoder.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = end_decoding;
  errors.manager.emit_message = take_message;
  if (setjmp(errors.back) == 0) {
    jpeg_create_decompress(&decoder);
    jpeg_mem_src(&decoder, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    jpeg_read_header(&decoder, TRUE);
    // A block of 8 x 8 px takes at least one bit: refuses sizes that the bytes cannot fill before allocating
    // memory.
    if (decoder.image_width / 8.0 * (decoder.image_height / 8.0) > 8.0 * static_cast<double>(bytes.size()))
      std::snprintf(errors.text.data(), errors.text.size(), "says more pixels than its bytes can hold");
    else if (jpeg_read_coefficients(&decoder) != nullptr)
      jpeg_finish_decompress(&decoder);
  }
  jpeg_destroy_decompress(&decoder);
}

}  // namespace

std::string find_jpeg_damage(std::string_view bytes) {
  JpegErrors errors{};
  errors.bytes = bytes;
  decode(bytes, errors);
  if (errors.no_memory) throw std::bad_alloc();
  return errors.text.data();
}

}  // namespace aqbench
