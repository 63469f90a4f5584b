// Lists, tuples and dictionaries.

#include <algorithm>

#include "sim/core/error.h"
#include "sim/import/torchscript/operator.h"

namespace layersim {
namespace {

using Kind = TorchSequence::Kind;

std::vector<TorchValue> arguments(const TorchCall& call) {
  std::vector<TorchValue> items;
  for (std::size_t i = 0; i < call.count(); ++i) items.push_back(call[i]);
  return items;
}

void make_list(TorchCall& call) { call.give(make_sequence(Kind::list, arguments(call))); }
void make_tuple(TorchCall& call) { call.give(make_sequence(Kind::tuple, arguments(call))); }
void make_dictionary(TorchCall& call) { call.give(make_sequence(Kind::dictionary, arguments(call))); }

TorchSequence& sequence(const TorchCall& call, std::size_t i = 0) {
  TorchSequence* found = call[i].sequence();
  if (found == nullptr) throw ShapeUnknown{};
  return *found;
}

void unpack(TorchCall& call) {
  for (const TorchValue& item : sequence(call).items) call.give(item);
}

bool same_key(const TorchConverter& converter, const TorchValue& a, const TorchValue& b) {
  if (const auto* text = a.get<std::string>())
    return b.get<std::string>() != nullptr && *text == *b.get<std::string>();
  const auto number = known_int(converter, a);
  return number && number == known_int(converter, b);
}

// Place of the value that belongs to a key; the number of items when there is none.
std::size_t find_key(const TorchCall& call, const TorchSequence& dictionary) {
  for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2) {
    if (same_key(call.converter(), dictionary.items[i], call[1])) return i + 1;
  }
  return dictionary.items.size();
}

void item(TorchCall& call) {
  const TorchSequence& from = sequence(call);
  if (from.kind == Kind::dictionary) {
    const std::size_t place = find_key(call, from);
    if (place == from.items.size()) throw bad_input("its code looks up a key that is not there");
    return call.give(from.items[place]);
  }
  const auto count = static_cast<std::int64_t>(from.items.size());
  const std::int64_t index = call.integer(1) < 0 ? call.integer(1) + count : call.integer(1);
  if (index < 0 || index >= count) {
    throw bad_input("its code takes item " + std::to_string(call.integer(1)) + " of a list of " +
                    std::to_string(count));
  }
  call.give(from.items[static_cast<std::size_t>(index)]);
}

void contains(TorchCall& call) {
  const TorchSequence& in = sequence(call);
  if (in.kind == Kind::dictionary) return call.give(TorchValue(find_key(call, in) < in.items.size()));
  call.give(TorchValue(std::any_of(in.items.begin(), in.items.end(), [&](const TorchValue& each) {
    return same_key(call.converter(), each, call[1]);
  })));
}

void length(TorchCall& call) {
  if (call[0].is_tensor()) {
    const Shape shape = call.shape(0);
    if (shape.empty()) throw ShapeUnknown{};
    return call.give(TorchValue(shape[0]));
  }
  const TorchSequence& of = sequence(call);
  const std::size_t count = of.kind == Kind::dictionary ? of.items.size() / 2 : of.items.size();
  call.give(TorchValue(static_cast<std::int64_t>(count)));
}

void append(TorchCall& call) {
  sequence(call).items.push_back(call[1]);
  call.give(call[0]);
}

void set_item(TorchCall& call) {
  TorchSequence& to = sequence(call);
  if (to.kind == Kind::dictionary) {
    const std::size_t place = find_key(call, to);
    if (place < to.items.size()) {
      to.items[place] = call[2];
    } else {
      to.items.push_back(call[1]);
      to.items.push_back(call[2]);
    }
  } else {
    const auto count = static_cast<std::int64_t>(to.items.size());
    const std::int64_t index = call.integer(1) < 0 ? call.integer(1) + count : call.integer(1);
    if (index < 0 || index >= count) throw bad_input("its code sets an item that a list does not have");
    to.items[static_cast<std::size_t>(index)] = call[2];
  }
  call.give(call[0]);
}

void copy(TorchCall& call) {
  const TorchSequence& from = sequence(call);
  call.give(make_sequence(from.kind, from.items));
}

void every_other(TorchCall& call, std::size_t first) {
  const TorchSequence& from = sequence(call);
  std::vector<TorchValue> items;
  for (std::size_t i = first; i < from.items.size(); i += 2) items.push_back(from.items[i]);
  call.give(make_sequence(Kind::list, std::move(items)));
}

void keys(TorchCall& call) { every_other(call, 0); }
void values(TorchCall& call) { every_other(call, 1); }

void items(TorchCall& call) {
  const TorchSequence& from = sequence(call);
  std::vector<TorchValue> pairs;
  for (std::size_t i = 0; i + 1 < from.items.size(); i += 2) {
    pairs.push_back(make_sequence(Kind::tuple, {from.items[i], from.items[i + 1]}));
  }
  call.give(make_sequence(Kind::list, std::move(pairs)));
}

void reverse(TorchCall& call) {
  std::reverse(sequence(call).items.begin(), sequence(call).items.end());
  call.give(call[0]);
}

void pass_on(TorchCall& call) { call.give(call[0]); }

void uninitialized(TorchCall& call) { call.give(TorchValue(TorchUnknown{"a value that is never used"})); }

}  // namespace

std::span<const TorchOperator> torch_containers() {
  static constexpr TorchOperator kOperators[] = {
      {"ListConstruct", make_list},
      {"TupleConstruct", make_tuple},
      {"DictConstruct", make_dictionary},
      {"ListUnpack", unpack},
      {"TupleUnpack", unpack},
      {"TupleIndex", item},
      {"__getitem__", item},
      {"__contains__", contains},
      {"len", length},
      {"append", append},
      {"_set_item", set_item},
      {"list", copy},
      {"copy", copy},
      {"keys", keys},
      {"values", values},
      {"items", items},
      {"reverse", reverse},
      {"unchecked_cast", pass_on},
      {"unchecked_unwrap_optional", pass_on},
      {"_unwrap_optional", pass_on},
      {"data", pass_on},
      {"Uninitialized", uninitialized},
  };
  return kOperators;
}

}  // namespace layersim
