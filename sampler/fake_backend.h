#pragma once
// A device whose times follow from a formula.

#include <memory>
#include <string>

#include "sampler/backend.h"

namespace layersim {

// `settings`: what follows "fake:", "memory_mib=64,noise=0.1". Throws bad_use.
[[nodiscard]] std::unique_ptr<Backend> make_fake_backend(const std::string& settings);

}  // namespace layersim
