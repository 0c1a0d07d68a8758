#include "scenes/surfaces/quadrature.h"

#include <array>

namespace aqbench {

QuadratureLine gauss_legendre(double low, double high, std::size_t panels) {
  // Positive abscissae and their weights on [-1, 1] (Abramowitz and Stegun, table 25.4).
  constexpr std::array<double, 6> kNode = {0.125233408511468915, 0.367831498998180194, 0.587317954286617447,
                                           0.769902674194304687, 0.904117256370474857, 0.981560634246719251};
  constexpr std::array<double, 6> kWeight = {0.249147045813402785, 0.233492536538354809,
                                             0.203167426723065922, 0.160078328543346226,
                                             0.106939325995318431, 0.047175336386511827};
  QuadratureLine line;
  const double half = 0.5 * (high - low) / static_cast<double>(panels);
  for (std::size_t p = 0; p < panels; ++p) {
    const double middle = low + half * static_cast<double>(2 * p + 1);
    for (std::size_t i = 0; i < kNode.size(); ++i) {
      for (const double sign : {-1.0, 1.0}) {
        line.at.push_back(middle + sign * half * kNode[i]);
        line.weight.push_back(half * kWeight[i]);
      }
    }
  }
  return line;
}

}  // namespace aqbench
