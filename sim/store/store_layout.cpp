#include "sim/store/store_layout.h"

#include <limits>

namespace layersim::store {

std::size_t element_bytes(ColumnType type) { return type == ColumnType::text ? 4 : 8; }

hid_t element_type(ColumnType type) {
  switch (type) {
    case ColumnType::text:
      return H5T_NATIVE_INT32;
    case ColumnType::integer:
      return H5T_NATIVE_INT64;
    case ColumnType::real:
      return H5T_NATIVE_DOUBLE;
  }
  throw internal_error("unknown type of a column");
}

namespace {

hid_t stored_type(ColumnType type) {
  switch (type) {
    case ColumnType::text:
      return H5T_STD_I32LE;
    case ColumnType::integer:
      return H5T_STD_I64LE;
    case ColumnType::real:
      return H5T_IEEE_F64LE;
  }
  throw internal_error("unknown type of a column");
}

void set_fill_value(hid_t creation, ColumnType type) {
  const double missing_real = std::numeric_limits<double>::quiet_NaN();
  const auto missing_integer = kMissingCount;
  const void* value = &missing_integer;
  if (type == ColumnType::real) value = &missing_real;
  const hid_t memory_type = type == ColumnType::real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  hdf5::check(H5Pset_fill_value(creation, memory_type, value), "set the missing value of a column");
}

}  // namespace

hdf5::Handle create_column(hid_t group, const ColumnSpec& spec, std::size_t position) {
  const hsize_t none = 0;
  const hsize_t unlimited = H5S_UNLIMITED;
  const hdf5::Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose, "make a data space");
  const hdf5::Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make a creation list");
  const hsize_t chunk = kChunkRows;
  hdf5::check(H5Pset_chunk(creation.get(), 1, &chunk), "set a chunk size");
  hdf5::check(H5Pset_shuffle(creation.get()), "set the compression");
  hdf5::check(H5Pset_deflate(creation.get(), 1), "set the compression");
  set_fill_value(creation.get(), spec.type);
  hdf5::Handle dataset(H5Dcreate2(group, spec.name.c_str(), stored_type(spec.type), space.get(), H5P_DEFAULT,
                                  creation.get(), H5P_DEFAULT),
                       H5Dclose, "make a column");
  hdf5::write_attribute(dataset.get(), "type", std::string(name(spec.type)));
  hdf5::write_attribute(dataset.get(), "role", std::string(name(spec.role)));
  hdf5::write_attribute(dataset.get(), "unit", spec.unit);
  hdf5::write_attribute(dataset.get(), "position", static_cast<std::int64_t>(position));
  return dataset;
}

std::string table_path(TableGroup group, const std::string& kind) {
  return std::string(name(group)) + "/" + kind;
}

std::string dictionary_path(TableGroup group, const std::string& kind) {
  return "dictionaries/" + table_path(group, kind);
}

void read_dictionary(hid_t file, TableGroup group, const std::string& kind, const std::string& column,
                     Dictionary& dictionary) {
  const hdf5::Handle folder = hdf5::open_group(file, dictionary_path(group, kind));
  const std::vector<std::string> texts = hdf5::read_texts(folder.get(), column);
  for (const std::string& text : texts) dictionary.code(text);
  if (dictionary.texts() != texts) throw bad_input("the dictionary of '" + column + "' has a text twice");
}

TableGroup group_of(const std::string& kind) {
  const TableKind* known = find_table_kind(kind);
  return known == nullptr ? TableGroup::layers : known->group;
}

}  // namespace layersim::store
