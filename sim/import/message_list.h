#pragma once
// A list of protobuf messages of one type, decoded already or still encoded.

#include <google/protobuf/repeated_field.h>

#include <string_view>
#include <vector>

#include "sim/core/error.h"
#include "sim/import/onnx_wire.h"

namespace layersim {

template <typename Message>
class MessageList {
 public:
  using Decoded = google::protobuf::RepeatedPtrField<Message>;

  // NOLINTNEXTLINE(google-explicit-constructor)
  MessageList(const Decoded& decoded) : decoded_(&decoded), size_(decoded.size()) {}
  MessageList(std::string_view bytes, const std::vector<OnnxSkeleton::Range>& ranges)
      : bytes_(bytes), ranges_(&ranges), size_(static_cast<int>(ranges.size())) {}

  [[nodiscard]] int size() const { return size_; }
  // Valid until the next call.
  [[nodiscard]] const Message& at(int index) const {
    if (decoded_ != nullptr) return decoded_->Get(index);
    const OnnxSkeleton::Range range = (*ranges_)[static_cast<std::size_t>(index)];
    if (!message_.ParseFromArray(bytes_.data() + range.begin, static_cast<int>(range.size))) {
      throw bad_input("message " + std::to_string(index) + " of the graph cannot be decoded");
    }
    return message_;
  }

 private:
  const Decoded* decoded_ = nullptr;
  std::string_view bytes_;
  const std::vector<OnnxSkeleton::Range>* ranges_ = nullptr;
  int size_;
  mutable Message message_;  // decoding into the same one again reuses its memory
};

}  // namespace layersim
