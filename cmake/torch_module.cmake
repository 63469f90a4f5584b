# layersim_torch_module(<name> <source>...): a module with what needs libtorch, which the program loads by name only when a
# command needs it. LAYERSIM_HAS_TORCH tells whether they are built.
set(LAYERSIM_TORCH AUTO CACHE STRING "Build the modules that use libtorch: AUTO, ON or OFF")
set_property(CACHE LAYERSIM_TORCH PROPERTY STRINGS AUTO ON OFF)

# In a scope of its own, since it changes the compiler's flags for all that follows.
function(layersim_find_torch)
  if(LAYERSIM_TORCH STREQUAL "ON")
    find_package(Torch REQUIRED)
  elseif(NOT LAYERSIM_TORCH STREQUAL "OFF")
    find_package(Torch QUIET)
  endif()
  set(LAYERSIM_HAS_TORCH ${Torch_FOUND} PARENT_SCOPE)
  set(TORCH_INCLUDE_DIRS ${TORCH_INCLUDE_DIRS} PARENT_SCOPE)
  set(TORCH_LIBRARIES ${TORCH_LIBRARIES} PARENT_SCOPE)
endfunction()
layersim_find_torch()

# The headers of libtorch. clang does not take those of 1.13 in another order than with this one first.
function(layersim_torch_headers target)
  target_include_directories(${target} SYSTEM PRIVATE ${TORCH_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:SHELL:-include ATen/core/ivalue.h>")
endfunction()

function(layersim_torch_module name)
  add_library(${name} MODULE ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  layersim_torch_headers(${name})
  target_link_libraries(${name} PRIVATE layersim_warnings ${TORCH_LIBRARIES})
  # Only the entries are exported, and nothing of the program is needed from the module.
  set_target_properties(${name} PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  # A build of the program alone does not make the module.
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/layersim OPTIONAL)
endfunction()
