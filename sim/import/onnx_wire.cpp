#include "sim/import/onnx_wire.h"

#include <cstring>
#include <limits>

#include "sim/core/dtype.h"
#include "sim/core/error.h"
#include "sim/graph/graph.h"
#include "sim/graph/onnx_dtype.h"
#include "sim/import/onnx_schema.h"
#include "sim/import/wire_reader.h"

namespace layersim {
namespace {

using onnx_schema::Field;
using onnx_schema::Message;
using onnx_schema::Rule;

// Bounds on what a file may ask for, each far beyond any network: decoding makes an object of up to 250 bytes
// of an item that may take 2 bytes in the file.
constexpr int kMaxDepth = 90;  // of messages; protobuf itself stops at 100. A sub-graph takes three
constexpr std::int64_t kMaxItems = 20'000'000;
constexpr std::int64_t kMaxNodes = 4'000'000;
constexpr std::int64_t kMaxRank = 64;
constexpr std::size_t kMaxAttributeBytes = std::size_t{1} << 20;

// A message that is being walked, with the ones around it.
struct Frame {
  Message message;
  const Frame* parent;
  const char* tag;    // where the field that holds it begins
  const char* begin;  // of its contents
  const char* end;
  std::uint32_t number;  // of that field in the parent
  int depth;
};

const Rule& rule_of(Message message, std::uint32_t number) {
  static constexpr Rule kDrop{};
  return number < onnx_schema::kFieldCount ? onnx_schema::rules(message)[number] : kDrop;
}

// "graph > node 12 > attribute 0"; empty for the model.
std::string path_of(const Frame& frame) {
  if (frame.parent == nullptr) return "";
  const Rule& rule = rule_of(frame.parent->message, frame.number);
  std::string path = path_of(*frame.parent);
  if (!path.empty()) path += " > ";
  path += rule.name;
  if (rule.repeated) {
    std::int64_t index = 0;
    WireField field;
    for (const char* at = frame.parent->begin; at < frame.tag; at = field.next) {
      if (read_field(at, frame.parent->end, field) != WireFault::none) break;
      if (field.number == frame.number) ++index;
    }
    path += ' ' + std::to_string(index);
  }
  return path;
}

bool type_fits(const Rule& rule, WireType type) {
  switch (rule.field) {
    case Field::drop:
      return true;
    case Field::number:
      return type == WireType::varint;
    case Field::real:
      return type == WireType::fixed32;
    case Field::text:
    case Field::message:
      return type == WireType::bytes;
    case Field::numbers:
      return type == WireType::varint || type == WireType::bytes;
    case Field::reals:
      return type == WireType::fixed32 || type == WireType::bytes;
    case Field::doubles:
      return type == WireType::fixed64 || type == WireType::bytes;
  }
  return false;
}

// How many numbers the field holds; -1 when they are malformed.
std::int64_t count_numbers(const Rule& rule, const WireField& field) {
  if (field.type != WireType::bytes) return 1;
  if (rule.field == Field::numbers) return count_packed_varints(field.text());
  const std::size_t width = rule.field == Field::reals ? 4 : 8;
  return field.size() % width == 0 ? static_cast<std::int64_t>(field.size() / width) : -1;
}

class Walker {
 public:
  explicit Walker(std::string_view file) : file_(file), run_(file.data()) {}

  OnnxSkeleton walk() {
    const char* end = file_.data() + file_.size();
    walk_message({Message::model, nullptr, file_.data(), file_.data(), end, 0, 0});
    flush(end);
    constexpr auto kMaxBytes = static_cast<std::size_t>(std::numeric_limits<int>::max());
    if (skeleton_.bytes.size() > kMaxBytes) throw bad_input("holds more than 2 GiB beside its weights");
    return std::move(skeleton_);
  }

 private:
  std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - file_.data()); }

  [[noreturn]] void fail(const Frame& frame, const char* at, const std::string& what,
                         const std::string& field = "") const {
    std::string path = path_of(frame);
    if (!field.empty()) path += (path.empty() ? "" : " > ") + field;
    throw bad_input("byte " + std::to_string(offset(at)) + (path.empty() ? "" : ", in " + path) + ": " +
                    what);
  }

  // The file, or the message alone, ends before the field does.
  [[noreturn]] void fail_cut(const Frame& frame, std::uint64_t missing, const std::string& field) const {
    const bool at_file_end = offset(frame.end) == file_.size();
    fail(frame, frame.end,
         std::string(at_file_end ? "the file" : "the message") + " ends too early" +
             (missing > 0 ? ", " + std::to_string(missing) + " bytes are missing" : ""),
         field);
  }

  void read(const Frame& frame, const char* at, WireField& field) const {
    switch (read_field(at, frame.end, field)) {
      case WireFault::none:
        return;
      case WireFault::cut:
        fail_cut(frame, 0, "");
      case WireFault::varint_too_long:
        fail(frame, at, "a number has more than 10 bytes");
      case WireFault::bad_tag:
        fail(frame, at, "no protobuf field begins here");
    }
  }

  // Reads a field and checks it against the schema. Only a message may be cut by the end of the file: the
  // walk goes on inside to say where.
  const Rule& read_checked(const Frame& frame, const char* at, WireField& field) const {
    read(frame, at, field);
    const Rule& rule = rule_of(frame.message, field.number);
    if (!type_fits(rule, field.type)) {
      fail(frame, at, "a field of type " + std::to_string(static_cast<int>(field.type)) + " cannot be this",
           rule.name);
    }
    const bool may_descend = rule.field == Field::message && offset(frame.end) == file_.size();
    if (field.missing > 0 && !may_descend) fail_cut(frame, field.missing, rule.name);
    return rule;
  }

  void flush(const char* end) {
    skeleton_.bytes.append(run_, static_cast<std::size_t>(end - run_));
    run_ = end;
  }

  void drop(const WireField& field) {
    flush(field.tag);
    run_ = field.next;
    dropped_ += static_cast<std::size_t>(field.next - field.tag);
  }

  void count_item(const Frame& frame, Message message) {
    if (message == Message::node && ++nodes_ > kMaxNodes) {
      fail(frame, frame.begin, "more than " + std::to_string(kMaxNodes) + " nodes");
    }
    if (++items_ > kMaxItems) fail(frame, frame.begin, "more than " + std::to_string(kMaxItems) + " fields");
  }

  void walk_message(const Frame& frame) {
    if (frame.depth > kMaxDepth) {
      fail(frame, frame.begin, "messages are nested more than " + std::to_string(kMaxDepth) + " deep");
    }
    const bool keep_payload = frame.message != Message::tensor || is_small(frame);
    std::int64_t children = 0;
    WireField field;
    for (const char* at = frame.begin; at < frame.end; at = field.next) {
      const Rule& rule = read_checked(frame, at, field);
      if (rule.field == Field::drop || (rule.payload && !keep_payload)) {
        drop(field);
      } else if (rule.field == Field::message) {
        if (frame.message == Message::shape && ++children > kMaxRank) fail(frame, at, "more than 64 axes");
        walk_child(frame, rule, field);
      } else if (rule.field == Field::text) {
        count_item(frame, Message::none);
      } else if (rule.field != Field::number && rule.field != Field::real && count_numbers(rule, field) < 0) {
        fail(frame, at, "the list of numbers is malformed", rule.name);
      }
    }
  }

  void walk_child(const Frame& parent, const Rule& rule, const WireField& field) {
    const Frame frame{rule.child, &parent,      field.tag,       field.value,
                      field.next, field.number, parent.depth + 1};
    count_item(frame, rule.child);
    if (rule.child == Message::attribute && field.size() > kMaxAttributeBytes && has_large_list(frame)) {
      skeleton_.left_out.push_back(path_of(frame) + " holds " + std::to_string(field.size()) +
                                   " bytes: the attribute is not read");
      drop(field);
      return;
    }
    const std::size_t dropped_before = dropped_;
    walk_message(frame);
    if (field.missing > 0) fail_cut(frame, field.missing, "");
    const std::size_t dropped_inside = dropped_ - dropped_before;
    if (dropped_inside == 0) return;
    flush(field.next);
    // The length gets as many bytes as it had, padded, so that nothing before it moves.
    const std::size_t length_at = offset(field.length_at) - dropped_before;
    const auto width = static_cast<std::size_t>(field.value - field.length_at);
    std::size_t length = field.size() - dropped_inside;
    for (std::size_t i = 0; i < width; ++i, length >>= 7) {
      skeleton_.bytes[length_at + i] = static_cast<char>((length & 0x7f) | (i + 1 < width ? 0x80 : 0));
    }
  }

  // Whether the lists and texts of an attribute are too large to be of use. Tensors and graphs inside shrink
  // by themselves.
  bool has_large_list(const Frame& frame) const {
    std::size_t bytes = 0;
    WireField field;
    for (const char* at = frame.begin; at < frame.end; at = field.next) {
      if (read_checked(frame, at, field).payload) bytes += static_cast<std::size_t>(field.next - field.tag);
    }
    return bytes > kMaxAttributeBytes;
  }

  // Whether the contents of a tensor may decide shapes or patterns.
  bool is_small(const Frame& frame) const {
    std::int64_t rank = 0;
    std::int64_t count = 1;
    std::int64_t payload = 0;
    DType dtype = DType::unknown;
    const auto multiply = [&](std::uint64_t size) {
      const auto signed_size = static_cast<std::int64_t>(size);
      if (signed_size < 0 || __builtin_mul_overflow(count, signed_size, &count)) count = kMaxElements;
    };
    WireField field;
    for (const char* at = frame.begin; at < frame.end; at = field.next) {
      const Rule& rule = read_checked(frame, at, field);
      if (rule.payload) {
        payload += field.next - field.tag;
      } else if (field.number == onnx_schema::tensor_field::kDataType) {
        dtype = find_onnx_dtype(static_cast<std::int32_t>(field.scalar));
      } else if (field.number == onnx_schema::tensor_field::kDims) {
        const std::int64_t axes = count_numbers(rule, field);
        rank += axes;
        if (axes < 0 || rank > kMaxRank) fail(frame, at, "no list of at most 64 sizes", rule.name);
        if (field.type == WireType::varint) multiply(field.scalar);
        for (const char* p = field.value; field.type == WireType::bytes && p < field.next;) {
          std::uint64_t size = 0;
          if (read_varint(p, field.next, size) != WireFault::none) break;
          multiply(size);
        }
      }
    }
    const std::int64_t limit = is_float(dtype)                                ? kMaxRealElements
                               : is_integer(dtype) || dtype == DType::boolean ? kMaxConstantElements
                                                                              : 0;
    if (count > limit) return false;
    constexpr std::int64_t kMaxBytesPerElement = 16;  // a varint of 10 bytes with its tag
    if (payload > kMaxBytesPerElement * (count + 1)) {
      fail(frame, frame.begin,
           std::to_string(payload) + " bytes of data in a tensor of " + std::to_string(count) + " elements");
    }
    return true;
  }

  std::string_view file_;
  const char* run_;          // what lies before has been copied or dropped
  std::size_t dropped_ = 0;  // bytes so far
  std::int64_t items_ = 0;
  std::int64_t nodes_ = 0;
  OnnxSkeleton skeleton_;
};

// Calls `use` with each field of a message that has been checked.
template <typename Use>
void for_each_field(const char* begin, const char* end, Use&& use) {
  WireField field;
  for (const char* at = begin; at < end; at = field.next) {
    if (read_field(at, end, field) != WireFault::none)
      throw internal_error("the skeleton of an ONNX file is malformed");
    use(field);
  }
}

// Keeps the bulk of the outer graph apart from the model.
void split(OnnxSkeleton& skeleton) {
  using namespace onnx_schema;
  const char* begin = skeleton.bytes.data();
  for_each_field(begin, begin + skeleton.bytes.size(), [&](const WireField& field) {
    if (field.number != model_field::kGraph) {
      skeleton.model.append(field.tag, field.next);
      return;
    }
    std::string rest;
    for_each_field(field.value, field.next, [&](const WireField& inner) {
      const OnnxSkeleton::Range range{static_cast<std::uint32_t>(inner.value - begin),
                                      static_cast<std::uint32_t>(inner.size())};
      switch (inner.number) {
        case graph_field::kNode:
          return skeleton.nodes.push_back(range);
        case graph_field::kInitializer:
          return skeleton.initializers.push_back(range);
        case graph_field::kValueInfo:
          return skeleton.value_info.push_back(range);
        default:
          rest.append(inner.tag, inner.next);
      }
    });
    skeleton.model.append(field.tag, field.length_at);
    std::size_t size = rest.size();
    for (; size >= 0x80; size >>= 7) skeleton.model.push_back(static_cast<char>(size | 0x80));
    skeleton.model.push_back(static_cast<char>(size));
    skeleton.model += rest;
  });
}

}  // namespace

OnnxSkeleton read_onnx_skeleton(std::string_view file) {
  OnnxSkeleton skeleton = Walker(file).walk();
  split(skeleton);
  return skeleton;
}

}  // namespace layersim
