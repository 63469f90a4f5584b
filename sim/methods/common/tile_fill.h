#pragma once
// How well a convolution fills a device that computes it as products of matrices in tiles.

#include "sim/features/feature_family.h"

namespace layersim {

// The share in (0, 1] of the arithmetic that is not padding: tiles of 128 rows and 32 columns, of which as
// many run at once as there are multiprocessors, the last wave as long as the others. Forward, rows are the
// pixels of the output, columns its channels; backward they are those of the input, and the gradient of the
// weights has a row for each weight of a filter and is divided along the batch, so that it fills its waves.
// `problem` is of the kind conv.
[[nodiscard]] double tile_fill(const Problem& problem, Pass pass, double multiprocessors);

}  // namespace layersim
