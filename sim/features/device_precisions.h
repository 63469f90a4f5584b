#pragma once
// Which precisions a device can run, by the facts of its data file.

#include "sim/features/conditions.h"

namespace layersim {

// fp32 and fp16 always: without fp16 arithmetic, libraries store fp16 and compute in fp32. tf32, bf16, fp8,
// int8 and fp64 where the device has a rate for them, mixed where it has one for fp16 or bf16.
[[nodiscard]] bool has_precision(const Device& device, Precision precision);

// Throws bad_use that names the device and the precisions that it has.
void check_precision(const Device& device, Precision precision);

}  // namespace layersim
