# The Python package: build/python/sinew, with the declarations made from the public headers; installed in
# PREFIX/share/sinew/python, which finds the library and the models from its own place.
find_program(PYTHON3 python3)
if(PYTHON3)
  set(python_folder ${CMAKE_BINARY_DIR}/python/sinew)
  file(GLOB python_sources CONFIGURE_DEPENDS python/sinew/*.py)
  file(GLOB python_headers CONFIGURE_DEPENDS include/sinew/*.h)
  foreach(source IN LISTS python_sources)
    get_filename_component(name ${source} NAME)
    configure_file(${source} ${python_folder}/${name} COPYONLY)
  endforeach()
  add_custom_command(
    OUTPUT ${python_folder}/_api.py
    COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/tools/make_python ${CMAKE_C_COMPILER} ${CMAKE_SOURCE_DIR}/include
            ${python_folder}/_api.py
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/make_python ${python_headers}
    COMMENT "Writing the Python declarations" VERBATIM)
  add_custom_target(python_package ALL DEPENDS ${python_folder}/_api.py)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/python/sinew DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/python
          PATTERN __pycache__ EXCLUDE)
endif()
