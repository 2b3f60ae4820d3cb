# A bill of materials (CycloneDX 1.5) of what the library, the command and the page are made of besides our own code:
# build/sinew.cdx.json. Names and licences come from NOTICE, which a test compares with what is linked and bundled; versions
# from the packages that this build found.
file(STRINGS ${CMAKE_SOURCE_DIR}/NOTICE notice)
file(STRINGS ${AMD_INCLUDE}/amd.h amd_lines REGEX "^#define AMD_(MAIN|SUB|SUBSUB)_VERSION +[0-9]+")
string(REGEX MATCHALL "[0-9]+" amd_numbers "${amd_lines}")
string(REPLACE ";" "." SBOM_libamd "${amd_numbers}")
set(SBOM_libexpat ${EXPAT_VERSION_STRING})
set(SBOM_libz ${ZLIB_VERSION_STRING})
set(SBOM_libpng16 ${PNG_VERSION_STRING})
set(SBOM_libcairo ${CAIRO_VERSION})
if(LBFGSB_LIBRARY)
  set(SBOM_liblbfgsb 3.0) # the only release with this interface; the package carries no number that a build can read
endif()
file(READ ${CMAKE_SOURCE_DIR}/studio/package-lock.json lock)
string(JSON SBOM_three GET "${lock}" packages node_modules/three version)

set(components "")
set(kind "")
foreach(line IN LISTS notice)
  if(line MATCHES "^Linked dynamically")
    set(kind library)
  elseif(line MATCHES "^Bundled into the page")
    set(kind bundled)
  elseif(line MATCHES "^[A-Z]")
    set(kind "")
  elseif(kind AND line MATCHES "^  ([a-z0-9]+)  +([^ ]+( OR [^ ]+)?)  +")
    set(name ${CMAKE_MATCH_1})
    set(licence ${CMAKE_MATCH_2})
    if(SBOM_${name})
      set(reference "")
      if(kind STREQUAL "bundled")
        set(reference ", \"purl\": \"pkg:npm/${name}@${SBOM_${name}}\"")
      endif()
      list(APPEND components "    { \"type\": \"library\", \"name\": \"${name}\", \"version\": \"${SBOM_${name}}\", \
\"licenses\": [{ \"expression\": \"${licence}\" }]${reference} }")
    endif()
  endif()
endforeach()
string(REPLACE ";" ",\n" components "${components}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/sinew.cdx.json @ONLY CONTENT [[{
  "bomFormat": "CycloneDX",
  "specVersion": "1.5",
  "version": 1,
  "metadata": {
    "component": { "type": "application", "name": "sinew", "version": "@PROJECT_VERSION@",
                   "licenses": [{ "expression": "Apache-2.0" }] }
  },
  "components": [
@components@
  ]
}
]])
install(FILES ${CMAKE_BINARY_DIR}/sinew.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
