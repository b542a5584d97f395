# cmake -DPROGRAM=path [-DSTART=ON] -P starts_without_cuda.cmake: fails when the program would not start on a machine
# without an NVIDIA driver or without the CUDA toolkit. START: also starts it.
execute_process(COMMAND readelf --dynamic --wide ${PROGRAM} OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED[^\n]*" needed "${dynamic}")
if(NOT needed MATCHES "libc\\.so")
  message(FATAL_ERROR "${PROGRAM}: readelf names no libraries that it needs:\n${dynamic}")
endif()
foreach(library IN LISTS needed)
  if(library MATCHES "lib(cuda|cudart|nvrtc|nvidia|cublas|cublasLt|cufft|curand)[.-]")
    message(FATAL_ERROR "${PROGRAM} does not start without ${library}")
  endif()
endforeach()

if(NOT START)
  return()
endif()
# With a toolkit that is not there and no libraries but the system's.
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=LD_LIBRARY_PATH CUDA_PATH=/nonexistent ${PROGRAM} --version
  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --version: ${status}\n${output}")
endif()
