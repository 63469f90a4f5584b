#pragma once
// The time at a batch size or an image size between two at which it is known, on the same device (PROFET):
// between the times at the smallest and the largest size, scaled to 0 and 1, runs a polynomial of order 2
// that other networks taught. The size is the batch size, or the area of the image; scaled to x in 0..1 the
// time is x + curvature * x * (x - 1).

#include <string>
#include <vector>

namespace layersim {

enum class SizeAxis { batch, pixel };

struct SizeScaling {
  std::string gpu;
  SizeAxis axis = SizeAxis::batch;
  double curvature = 0;
};

struct SizedTime {
  double size = 0;  // batch, or width of the image in pixels
  double time_ms = 0;
};

// Throws bad_use when `size` is not from smallest to largest.
[[nodiscard]] double scale_time(const SizeScaling& scaling, const SizedTime& smallest,
                                const SizedTime& largest, double size);

// Of a size between the two: 0 to 1.
[[nodiscard]] double scaled_size(SizeAxis axis, double smallest, double largest, double size);

}  // namespace layersim
