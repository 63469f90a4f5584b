# layersim_registry(<name> <entry>...): writes generated/<name>.inc with one LAYERSIM_ENTRY(<entry>) a line, and adds
# <entry>.cpp of the calling folder to the library. So one word in a list is all that a new implementation needs.
function(layersim_registry name)
  set(text "// Generated from the list in CMakeLists.txt.\n")
  foreach(entry IN LISTS ARGN)
    string(APPEND text "LAYERSIM_ENTRY(${entry})\n")
    target_sources(layersim PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${entry}.cpp)
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${name}.inc CONTENT "${text}" @ONLY)
endfunction()
