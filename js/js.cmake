# The simulation core as WebAssembly, and the JavaScript package around it: build/js, a folder that `npm pack` accepts.
# Compiled by clang for wasm32-wasi whatever compiles the rest; where that is not to be had, everything else is built.
option(SINEW_WASM "build the WebAssembly module, if clang, lld and wasi-libc are there" ON)
find_program(WASM_CLANG clang)

set(SINEW_WASM_FILE)
set(wasm_reason "not asked for")
if(SINEW_WASM AND CMAKE_BUILD_TYPE STREQUAL "Release" AND WASM_CLANG)
  file(WRITE ${CMAKE_BINARY_DIR}/js/objects/try.c "#include <math.h>\nint main(int n, char **a) { return (int)sin(n + a[0][0]); }\n")
  execute_process(COMMAND ${WASM_CLANG} --target=wasm32-wasi -msimd128 ${CMAKE_BINARY_DIR}/js/objects/try.c -o ${CMAKE_BINARY_DIR}/js/objects/try.wasm -lm
                  RESULT_VARIABLE wasm_failed OUTPUT_QUIET ERROR_QUIET)
  if(wasm_failed)
    set(wasm_reason "clang cannot link for wasm32-wasi; tools/install_deps.sh wasm")
  else()
    set(SINEW_WASM_FILE ${CMAKE_BINARY_DIR}/js/sinew.wasm)
  endif()
elseif(SINEW_WASM AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(wasm_reason "clang: not found; tools/install_deps.sh wasm")
endif()
if(NOT SINEW_WASM_FILE)
  message(STATUS "The WebAssembly module is not built (${wasm_reason})")
  add_custom_target(wasm) # nothing to do
  return()
endif()
message(STATUS "The WebAssembly module: ${SINEW_WASM_FILE}")

# ---- sources ------------------------------------------------------------------------------------------------------

# What a page needs: models and motions read, simulated, controlled, asked. Pictures, meshes of flesh and the tools that
# make models stay outside. js/core/standin takes the place of expat, zlib, AMD and threads.
set(wasm_sources)
foreach(module base math sparse opt geom body tree strand path system model motion sim control analysis record io)
  file(GLOB sources CONFIGURE_DEPENDS src/${module}/*.c)
  list(APPEND wasm_sources ${sources})
endforeach()
file(GLOB sources CONFIGURE_DEPENDS js/core/*.c js/core/standin/*.c)
list(APPEND wasm_sources ${sources} ${CMAKE_SOURCE_DIR}/src/page/clinic.c ${CMAKE_SOURCE_DIR}/src/page/html_bytes.c
     ${CMAKE_SOURCE_DIR}/src/page/html_clinic.c)
foreach(name consult live loading)
  list(APPEND wasm_sources ${CMAKE_SOURCE_DIR}/studio/server/${name}.c)
endforeach()
# Files of the machine, pictures, and a Fortran library: store_memory.c and lbfgsb_none.c stand in for two of them.
list(FILTER wasm_sources EXCLUDE REGEX
     "/motion/store\\.c$|/io/(model_cache|(stack|library|journal|cache|contour)[a-z_]*)\\.c$|/opt/lbfgsb\\.c$")

set(wasm_flags --target=wasm32-wasi -O2 -msimd128 -std=gnu11 -DNDEBUG -ffp-contract=off -fno-math-errno -fvisibility=hidden
    -ffunction-sections -fdata-sections -Wall -Wextra -Wshadow -Wconversion -Wpedantic -Wvla -Wmissing-prototypes -Werror
    -Wno-shorten-64-to-32 # sizes of files, which the readers hold against the bytes that are there
    -D_WASI_EMULATED_GETPID -include ${CMAKE_SOURCE_DIR}/js/core/standin/posix.h -I${CMAKE_SOURCE_DIR}/js/core/standin
    -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_SOURCE_DIR}/src -I${CMAKE_SOURCE_DIR})

# ---- the module ---------------------------------------------------------------------------------------------------

set(wasm_objects)
foreach(source IN LISTS wasm_sources)
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${source})
  set(object ${CMAKE_BINARY_DIR}/js/objects/${name}.o)
  get_filename_component(folder ${object} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WASM_CLANG} ${wasm_flags} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building WebAssembly ${name}" VERBATIM)
  list(APPEND wasm_objects ${object})
endforeach()
# Link without -O: Debian has no wasm-opt to call. The stack is below everything, so that running out of it is caught.
add_custom_command(
  OUTPUT ${SINEW_WASM_FILE}
  COMMAND ${WASM_CLANG} --target=wasm32-wasi -mexec-model=reactor ${wasm_objects} -lm -lwasi-emulated-getpid -Wl,--gc-sections
          -Wl,--strip-all -Wl,-z,stack-size=1048576 -Wl,--stack-first -Wl,--max-memory=2147483648 -o ${SINEW_WASM_FILE}
  DEPENDS ${wasm_objects} COMMENT "Linking WebAssembly js/sinew.wasm" VERBATIM)

# ---- the package --------------------------------------------------------------------------------------------------

foreach(file sinew.mjs wasi.mjs sinew.d.mts README.md)
  configure_file(js/${file} ${CMAKE_BINARY_DIR}/js/${file} COPYONLY)
endforeach()
configure_file(LICENSE ${CMAKE_BINARY_DIR}/js/LICENSE COPYONLY)
configure_file(js/package.json ${CMAKE_BINARY_DIR}/js/package.json @ONLY)
# A model as a page takes it: its folder as a tar archive.
set(wasm_pack ${CMAKE_BINARY_DIR}/js/hand-clinical.tar.gz)
add_custom_command(
  OUTPUT ${wasm_pack}
  COMMAND ${CMAKE_COMMAND} -E tar czf ${wasm_pack} --format=gnutar hand-clinical
  DEPENDS ${MODEL_FOLDER}/hand-clinical/hand-clinical.muscle.xml WORKING_DIRECTORY ${MODEL_FOLDER}
  COMMENT "Packing js/hand-clinical.tar.gz" VERBATIM)
add_custom_target(wasm ALL DEPENDS ${SINEW_WASM_FILE} ${wasm_pack})
add_dependencies(wasm models)
install(FILES ${SINEW_WASM_FILE} ${wasm_pack} DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/js OPTIONAL)
install(FILES js/sinew.mjs js/wasi.mjs js/sinew.d.mts js/README.md ${CMAKE_BINARY_DIR}/js/package.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/js)
