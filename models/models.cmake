# Models are found by folder: models/NAME/ becomes build/models/NAME, where the command finds it by its name. A folder
# that holds NAME.muscle.xml needs nothing else. One whose model is made by a program says so in its own model.cmake,
# with sinew_model below. models/README.md explains it to authors; no other file knows the name of a model.
set(MODEL_FOLDER ${CMAKE_BINARY_DIR}/models)
add_custom_target(models ALL)

# ---- the kit: programs that turn tables into models ------------------------------------------------------------

# models/kit/NAME/*.c with a main.c becomes the program kit_NAME; models/kit/common is shared by all of them.
file(GLOB kit_sources CONFIGURE_DEPENDS models/kit/*/*.c)
list(FILTER kit_sources EXCLUDE REGEX "/main\\.c$")
add_library(sinew_kit STATIC ${kit_sources})
target_include_directories(sinew_kit PUBLIC models/kit)
target_link_libraries(sinew_kit PUBLIC sinew_static)
file(GLOB kit_programs CONFIGURE_DEPENDS models/kit/*/main.c)
foreach(source IN LISTS kit_programs)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(name ${folder} NAME)
  add_executable(kit_${name} ${source})
  set_target_properties(kit_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/kit)
  target_link_libraries(kit_${name} PRIVATE sinew_kit)
  # The linker takes in only what the program uses, so its bytes tell whether anything that makes the model has changed:
  # a model is written anew then, and not whenever some other part of the library was compiled.
  add_custom_command(
    OUTPUT ${CMAKE_BINARY_DIR}/kit/${name}.changed
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:kit_${name}> ${CMAKE_BINARY_DIR}/kit/${name}.changed
    DEPENDS kit_${name} COMMENT "Looking whether kit_${name} has changed" VERBATIM)
  add_custom_target(kit_${name}_changed DEPENDS ${CMAKE_BINARY_DIR}/kit/${name}.changed)
endforeach()

# ---- what a model.cmake may say ----------------------------------------------------------------------------------

# Files of the model's folder that go beside the model as they are. NAME: of the model, FROM a path or pattern in the
# folder, AS another name for it (one file only), EXCEPT a regular expression, OPTIONAL as below.
function(sinew_model_file name from)
  cmake_parse_arguments(one "OPTIONAL" "AS;EXCEPT" "" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${model_source} ${model_source}/${from})
  foreach(file IN LISTS files)
    if(one_EXCEPT AND file MATCHES "${one_EXCEPT}")
      continue()
    endif()
    set(to ${file})
    if(one_AS)
      set(to ${one_AS})
    endif()
    if(one_OPTIONAL)
      get_filename_component(folder ${MODEL_FOLDER}/${name}/${to} DIRECTORY)
      add_custom_command(TARGET ${name} POST_BUILD
        COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
        COMMAND ${CMAKE_COMMAND} -E copy ${model_source}/${file} ${MODEL_FOLDER}/${name}/${to} VERBATIM)
    else()
      configure_file(${model_source}/${file} ${MODEL_FOLDER}/${name}/${to} COPYONLY)
    endif()
  endforeach()
endfunction()

# Something that a program of the kit writes: sinew_model_output(hand skin.ply PROGRAM skin ARGUMENTS --left INPUTS *.tsv)
# calls kit_skin FOLDER build/models/hand/skin.ply --left, whenever an input or the program has changed. OPTIONAL: only
# when it is asked for, by `ninja NAME`. WITH: further files that the program writes beside it.
function(sinew_model_output name output)
  cmake_parse_arguments(one "OPTIONAL" "PROGRAM" "ARGUMENTS;INPUTS;AFTER;WITH" ${ARGN})
  list(TRANSFORM one_INPUTS PREPEND ${model_source}/)
  file(GLOB inputs CONFIGURE_DEPENDS ${one_INPUTS})
  list(TRANSFORM one_AFTER PREPEND ${MODEL_FOLDER}/${name}/)
  list(TRANSFORM one_WITH PREPEND ${MODEL_FOLDER}/${name}/)
  add_custom_command(
    OUTPUT ${MODEL_FOLDER}/${name}/${output} ${one_WITH}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${MODEL_FOLDER}/${name}
    COMMAND kit_${one_PROGRAM} ${model_source} ${MODEL_FOLDER}/${name}/${output} ${one_ARGUMENTS}
    DEPENDS ${CMAKE_BINARY_DIR}/kit/${one_PROGRAM}.changed ${inputs} ${one_AFTER}
    COMMENT "Writing models/${name}/${output}" VERBATIM)
  string(MAKE_C_IDENTIFIER "model_${name}_${output}" target)
  add_custom_target(${target} DEPENDS ${MODEL_FOLDER}/${name}/${output})
  add_dependencies(${target} kit_${one_PROGRAM}_changed)
  if(one_OPTIONAL)
    if(NOT TARGET ${name})
      add_custom_target(${name})
    endif()
    add_dependencies(${name} ${target})
  else()
    add_dependencies(models ${target})
  endif()
endfunction()

# ---- the folders --------------------------------------------------------------------------------------------------

file(GLOB model_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true models/*)
foreach(model_source IN LISTS model_folders)
  get_filename_component(name ${model_source} NAME)
  if(EXISTS ${model_source}/model.cmake)
    include(${model_source}/model.cmake)
  elseif(EXISTS ${model_source}/${name}.muscle.xml)
    foreach(pattern *.xml *.obj *.ply *.stl *.bvhmap *.tsv *.csv *.txt motions/*)
      sinew_model_file(${name} ${pattern})
    endforeach()
  endif()
endforeach()
