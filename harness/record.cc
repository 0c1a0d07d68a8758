#include "harness/record.h"

namespace aqbench {

std::string to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::failed:
      return "failed";
    case Status::crashed:
      return "crashed";
    case Status::timeout:
      return "timeout";
    case Status::skipped:
      break;
  }
  return "skipped";
}

}  // namespace aqbench
