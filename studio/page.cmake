# Fetches the page's packages into the build folder when the lock file has changed, then bundles the page.
# Without a network it warns and leaves the page out: the command line tools do not need it.
set(work ${OUT}/npm)
file(MAKE_DIRECTORY ${work})
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(stamp ${work}/installed)
set(have "")
if(EXISTS ${stamp})
  file(READ ${stamp} have)
endif()
if(NOT have STREQUAL wanted)
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json ${SOURCE}/.npmrc DESTINATION ${work})
  execute_process(COMMAND ${NPM} ci --no-fund --no-audit --loglevel=error WORKING_DIRECTORY ${work}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(failed)
    message(WARNING "The studio's page was not built, because its packages could not be fetched:\n${said}")
    return()
  endif()
  file(WRITE ${stamp} ${wanted})
endif()

# What the type checker reads: the sources where they are, the packages where we put them.
file(WRITE ${work}/tsconfig.json "{
  \"extends\": \"${SOURCE}/tsconfig.json\",
  \"compilerOptions\": {
    \"baseUrl\": \".\", \"paths\": { \"three\": [\"node_modules/@types/three\"], \"three/addons/*\": [\"node_modules/@types/three/examples/jsm/*\"] }
  },
  \"include\": [\"${SOURCE}/src\"]
}\n")
execute_process(COMMAND ${NODE} ${SOURCE}/build.mjs ${OUT} ${work}/node_modules RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "The studio's page could not be built.")
endif()
