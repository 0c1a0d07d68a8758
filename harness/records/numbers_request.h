#pragma once
// What a user says of a table of numbers.

#include <string>
#include <vector>

#include "core/members.h"

namespace aqbench {

// The table, and what its columns are.
struct NumbersRequest {
  std::string file;                  // as given
  std::string sha256;                // of its bytes
  std::vector<std::string> columns;  // "scene=dataset": a role or metric, and the column's header; "-": none
  std::vector<std::string> metrics;  // "psnr:dB:higher"; unit and direction where neither table nor registry
                                     // says them
  std::string method;                // of all lines, where no column has it

  template <class Row>
  static void members(const Row& row) {
    row("file", &NumbersRequest::file);
    row("sha256", &NumbersRequest::sha256);
    row("columns", &NumbersRequest::columns);
    row("metrics", &NumbersRequest::metrics);
    row("method", &NumbersRequest::method);
  }
};

}  // namespace aqbench
