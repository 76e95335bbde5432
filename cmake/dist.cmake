# The source tarball of the last commit: `cmake --build build --target dist`. It has all files that git has, and builds
# without git.
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
    set(name isoscope-${PROJECT_VERSION})
    add_custom_target(dist VERBATIM WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        COMMAND ${GIT_EXECUTABLE} archive --prefix=${name}/ -o ${PROJECT_BINARY_DIR}/${name}.tar.gz HEAD
        COMMENT "${PROJECT_BINARY_DIR}/${name}.tar.gz")
endif()
