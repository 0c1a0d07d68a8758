#pragma once
// A JSON value as a member of plain data.

#include <memory>

#include "core/json_fwd.h"

namespace aqbench {

// Holds a JSON value that does not change, so that a header needs no JSON library for it. Copies share the
// value.
class JsonBox {
 public:
  JsonBox();           // an empty object
  JsonBox(Json json);  // not explicit: a box stands wherever its value is asked for

  const Json& operator*() const { return *json_; }
  const Json* operator->() const { return json_.get(); }

  // Compares the values.
  bool operator==(const JsonBox& other) const;

 private:
  std::shared_ptr<const Json> json_;
};

}  // namespace aqbench
