#pragma once
// What libtorch throws, as an error of this program.

#include <c10/util/Exception.h>

#include <new>
#include <utility>

#include "sim/core/error.h"

namespace layersim {

// nothing_predicted with the first line of the message; memory that does not suffice is said in plain words.
[[nodiscard]] Error torch_error(const c10::Error& error);
[[nodiscard]] Error out_of_memory();

// Runs `body`; what libtorch throws leaves it as an error of this program.
template <typename Body>
decltype(auto) with_torch_errors(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const c10::Error& error) {
    throw torch_error(error);
  } catch (const std::bad_alloc&) {
    throw out_of_memory();
  }
}

}  // namespace layersim
