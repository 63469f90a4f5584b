#include "sim/store/column_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "sim/store/store_layout.h"

namespace layersim::store {

namespace {

// Sets `count` elements of a chunk, each of the size of a Value.
template <typename Value, typename Element>
void put(unsigned char* bytes, std::size_t count, Element element) {
  for (std::size_t i = 0; i < count; ++i) {
    const Value value = element(i);
    std::memcpy(bytes + i * sizeof(Value), &value, sizeof(Value));
  }
}

void put_missing(unsigned char* bytes, std::size_t count, ColumnType type) {
  switch (type) {
    case ColumnType::text:
      return put<std::int32_t>(bytes, count, [](std::size_t) { return kMissingCode; });
    case ColumnType::integer:
      return put<std::int64_t>(bytes, count, [](std::size_t) { return kMissingCount; });
    case ColumnType::real:
      return put<double>(bytes, count, [](std::size_t) { return std::numeric_limits<double>::quiet_NaN(); });
  }
}

}  // namespace

ColumnWriter::ColumnWriter(hid_t group, ColumnSpec spec, std::size_t position, std::size_t rows)
    : spec_(std::move(spec)),
      dataset_(create_column(group, spec_, position)),
      element_bytes_(element_bytes(spec_.type)),
      written_(rows - rows % kChunkRows),
      filled_(rows % kChunkRows) {}

void ColumnWriter::allocate() {
  if (!chunk_.empty()) return;
  chunk_.resize(kChunkRows * element_bytes_);
  put_missing(chunk_.data(), filled_, spec_.type);
}

void ColumnWriter::copy_rows(hid_t from, std::size_t rows) {
  std::vector<unsigned char> bytes;
  for (hsize_t first = 0; first + kChunkRows <= rows; first += kChunkRows) {
    haddr_t place = HADDR_UNDEF;
    hsize_t stored = 0;
    std::uint32_t filters_left_out = 0;
    hdf5::check(H5Dget_chunk_info_by_coord(from, &first, &filters_left_out, &place, &stored), "find a chunk");
    if (place == HADDR_UNDEF) continue;  // all missing
    bytes.resize(stored);
    hdf5::check(H5Dread_chunk(from, H5P_DEFAULT, &first, &filters_left_out, bytes.data()), "read a chunk");
    const hsize_t size = first + kChunkRows;
    hdf5::check(H5Dset_extent(dataset_.get(), &size), "make a column longer");
    hdf5::check(H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, filters_left_out, &first, stored, bytes.data()),
                "write a chunk");
  }
  const hsize_t first = rows - rows % kChunkRows;
  const hsize_t count = rows % kChunkRows;
  written_ = first;
  filled_ = count;
  if (count == 0) return;
  allocate();
  const hdf5::Handle space(H5Dget_space(from), H5Sclose, "read the size of a dataset");
  hdf5::check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr),
              "select rows");
  const hdf5::Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a data space");
  hdf5::check(H5Dread(from, element_type(spec_.type), memory.get(), space.get(), H5P_DEFAULT, chunk_.data()),
              "read a column");
}

template <typename Fill>
void ColumnWriter::append_pieces(std::size_t rows, ChunkEncoder& encoder, Fill fill) {
  allocate();
  for (std::size_t done = 0; done < rows;) {
    const std::size_t count = std::min(kChunkRows - filled_, rows - done);
    fill(chunk_.data() + filled_ * element_bytes_, done, count);
    filled_ += count;
    done += count;
    if (filled_ == kChunkRows) write_chunk(encoder);
  }
}

void ColumnWriter::append(const Column& column, ChunkEncoder& encoder) {
  const std::size_t rows = column.is_text() ? column.codes.size() : column.numbers.size();
  switch (spec_.type) {
    case ColumnType::text: {
      CodeMap code(column.dictionary, dictionary_);
      append_pieces(rows, encoder, [&](unsigned char* bytes, std::size_t first, std::size_t count) {
        put<std::int32_t>(bytes, count, [&](std::size_t i) { return code(column.codes[first + i]); });
      });
      break;
    }
    case ColumnType::integer:
      append_pieces(rows, encoder, [&](unsigned char* bytes, std::size_t first, std::size_t count) {
        put<std::int64_t>(bytes, count, [&](std::size_t i) {
          const double value = column.numbers[first + i];
          return std::isnan(value) ? kMissingCount : static_cast<std::int64_t>(value);
        });
      });
      break;
    case ColumnType::real:
      append_pieces(rows, encoder, [&](unsigned char* bytes, std::size_t first, std::size_t count) {
        std::memcpy(bytes, column.numbers.data() + first, count * sizeof(double));
      });
      break;
  }
}

void ColumnWriter::append_missing(std::size_t rows, ChunkEncoder& encoder) {
  append_pieces(rows, encoder, [&](unsigned char* bytes, std::size_t, std::size_t count) {
    put_missing(bytes, count, spec_.type);
  });
}

void ColumnWriter::append_integers(std::span<const std::int32_t> values, ChunkEncoder& encoder) {
  append_pieces(values.size(), encoder, [&](unsigned char* bytes, std::size_t first, std::size_t count) {
    put<std::int64_t>(bytes, count, [&](std::size_t i) { return std::int64_t{values[first + i]}; });
  });
}

void ColumnWriter::write_chunk(ChunkEncoder& encoder) {
  const std::span<const unsigned char> encoded = encoder.encode(chunk_, element_bytes_);
  const hsize_t first = written_;
  const hsize_t size = written_ + filled_;
  hdf5::check(H5Dset_extent(dataset_.get(), &size), "make a column longer");
  hdf5::check(H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, 0, &first, encoded.size(), encoded.data()),
              "write a chunk");
  written_ += filled_;
  filled_ = 0;
}

void ColumnWriter::finish(ChunkEncoder& encoder) {
  const hsize_t size = written_ + filled_;
  if (filled_ > 0 && !chunk_.empty()) {
    put_missing(chunk_.data() + filled_ * element_bytes_, kChunkRows - filled_, spec_.type);
    write_chunk(encoder);
  }
  hdf5::check(H5Dset_extent(dataset_.get(), &size), "make a column longer");
}

}  // namespace layersim::store
