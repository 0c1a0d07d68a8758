#pragma once
// Images of held-out views as papers on view synthesis score them: PSNR and SSIM, with the knobs that tell
// their programs apart.

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "metrics/protocols/knobs.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// The windows of SSIM: Gaussian of 11 x 11 pixels with sigma 1.5, or uniform of 7 x 7.
enum class SsimWindows {
  valid,    // that lie in the image, variances and covariance bounded as they must be (nerfbaselines, MipNeRF
            // 360)
  reflect,  // the same windows, unbounded (torchmetrics, whose reflected border is cut off again)
  zero,     // around every pixel, with zeros beyond the border (3D and 2D Gaussian splatting)
  uniform7  // uniform ones that lie in the image, sample covariances (scikit-image by default)
};

// What becomes of a predicted value, 0 to 1, before it is compared.
enum class EightBit { no, truncate, round };

// The knobs of image_errors().
struct ImageKnobs {
  SsimWindows ssim = SsimWindows::valid;
  EightBit eight_bit = EightBit::no;
  bool multiply_mask =
      false;  // masked-out pixels are black on both sides and count as equal; else they do not count
  // "FILE#SHA-256": a TorchScript module that computes LPIPS; empty: it is not computed.
  std::string lpips = {};
};

// Returns all knobs by name.
std::span<const Knob<ImageKnobs>> image_knobs();

using ImageProtocol = KnobProtocol<ImageKnobs>;

// Returns all protocols for images.
std::span<const ImageProtocol> image_protocols();

// A predicted and a true image, height x width x 3 values of 0 to 1, and which pixels count (0 to 1), or
// none.
struct ImagePair {
  std::size_t height = 0, width = 0;
  std::span<const float> predicted, truth, mask = {};
};

// What LPIPS asks of LibTorch, in the module `torch` (core/module.h): reads a TorchScript module, which is
// called with a predicted and a true image, 1 x 3 x height x width values of -1 to 1, and returns a number.
// Reading and calling throw Error(input) naming the file where that is no such module or gives no number.
struct ImageDistanceTable {
  std::function<double(const ImagePair& image)> (*open)(const std::string& file);
};

// Compares images: psnr in dB, ssim (Wang et al., "Image quality assessment", TIP 2004; k1 = 0.01, k2 = 0.03,
// range 1; mean of the channels), mse, mae, each the mean over images; images. Predictions are moved into 0
// to 1. With `lpips` also that, of the bounded predictions and masked images. Undefined: psnr where an image
// equals its truth, ssim where one is smaller than a window, everything where no pixel counts or a value is
// not finite. Uses parallel_for. Throws Error(method) for sizes that do not agree, Error(input) naming the
// module's file if it has changed or computes no number, Error(usage) for LPIPS of masks that do not
// multiply.
ProtocolResult image_errors(std::span<const ImagePair> images, const ImageKnobs& knobs = {});

}  // namespace aqbench
