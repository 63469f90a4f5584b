# layersim_onnx_proto: the protobuf classes of ONNX.
find_package(Protobuf REQUIRED)
find_path(LAYERSIM_ONNX_INCLUDE_DIR onnx/onnx_pb.h REQUIRED)
find_library(LAYERSIM_ONNX_PROTO_LIBRARY onnx_proto REQUIRED)
add_library(layersim_onnx_proto INTERFACE)
target_include_directories(layersim_onnx_proto SYSTEM INTERFACE ${LAYERSIM_ONNX_INCLUDE_DIR})
target_compile_definitions(layersim_onnx_proto INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(layersim_onnx_proto INTERFACE ${LAYERSIM_ONNX_PROTO_LIBRARY} protobuf::libprotobuf)
