# Sets commit and day. Benchmarks print the commit. Installed files have the date `day`, so that the same source gives the
# same package. A new commit starts a new configure. In a source tarball, both are in cmake/commit.txt, where `git archive`
# writes them. Otherwise the commit is unknown, and the day is today or that of SOURCE_DATE_EPOCH.
set(commit unknown)
string(TIMESTAMP day "%Y-%m-%d" UTC)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/commit.txt archived LIMIT_COUNT 1)
if(archived MATCHES "^([0-9a-f]+) ([0-9]+-[0-9]+-[0-9]+)$")
    set(commit ${CMAKE_MATCH_1})
    set(day ${CMAKE_MATCH_2})
endif()

find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
    # git_says(VARIABLE ARGUMENT...): leaves the variable as it is if git fails.
    function(git_says variable)
        execute_process(COMMAND ${GIT_EXECUTABLE} --no-optional-locks ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
            OUTPUT_VARIABLE found RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
        if(NOT failed)
            set(${variable} ${found} PARENT_SCOPE)
        endif()
    endfunction()
    git_says(commit describe --always --exclude=* --dirty=+) # +: with uncommitted changes
    git_says(day log -1 --format=%cd --date=format:%Y-%m-%d)
    if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    endif()
endif()
