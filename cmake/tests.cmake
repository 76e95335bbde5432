# Tests and how ctest runs them. A test is in tests/test_NAME.c or tests/test_NAME.py and is called NAME here.
set(ISO_TEST_DATA "${PROJECT_SOURCE_DIR}/../shared/data" CACHE PATH
    "Real volumes with a manifest.json of exact counts; tests that need them are skipped where it is absent")

# Tests of the window and of pictures.
set(opengl habits replay window cut several draw states monkey boxes mine_window scene slices lab tutorial live tiled refined sorted films look
    smooth_window draw_gl pause frame render_shade) # the longest first
set(left_out "")
if(NOT iso_window)
    set(left_out ${opengl} files shaders)
    set(opengl "")
endif()

# ---- how a test is made --------------------------------------------------------------------------------------------------

# add_check(NAME COMMAND...): a test, which may exit with 77: "skipped", for the reason that it prints.
function(add_check name)
    if(name IN_LIST left_out)
        return()
    endif()
    add_test(NAME ${name} COMMAND ${ARGN})
    # There may be more threads than cores, on purpose or because of other tests. Waiting threads must not keep cores busy.
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT OMP_WAIT_POLICY=passive)
endfunction()

# add_programs(ROOM NAME...): builds tests/test_NAME.c, linked to a room.
function(add_programs room)
    foreach(name ${ARGN})
        add_executable(test_${name} tests/test_${name}.c)
        target_link_libraries(test_${name} PRIVATE ${room})
    endforeach()
endfunction()

# add_checks(ROOM NAME...): builds tests/test_NAME.c and runs it without arguments.
function(add_checks room)
    add_programs(${room} ${ARGN})
    foreach(name ${ARGN})
        add_check(${name} test_${name})
    endforeach()
endfunction()

# add_backend_check(NAME PROGRAM [ARGUMENT]...): runs a program once for each backend.
function(add_backend_check name program)
    foreach(backend cpu cuda)
        add_check(${name}_${backend} ${program} ${backend} ${ARGN})
    endforeach()
    set_tests_properties(${name}_cuda PROPERTIES LABELS gpu)
endfunction()

# Sanitizers are slow, and find their errors in small grids and arrays as well. So only the other builds test large ones.
set(quick "")
if(ISO_SANITIZE)
    set(quick quick)
endif()

# ---- in C, from the kernels up to the window -----------------------------------------------------------------------------

add_executable(ops tests/ops.c)
target_link_libraries(ops PRIVATE ladder)
add_backend_check(ops ops ${quick})
add_check(ops_few_threads ops cpu latency) # OpenMP starts fewer threads than a rung asks for
set_tests_properties(ops_few_threads PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive;OMP_THREAD_LIMIT=1")
add_programs(ladder backend components iso rungs smooth stats slice)
foreach(name backend components iso smooth stats slice)
    add_backend_check(${name} test_${name})
endforeach()
add_backend_check(rungs test_rungs ${ISO_TEST_DATA} ${quick})
set_tests_properties(rungs_cuda PROPERTIES RUN_SERIAL ON) # it looks at the GPU's free memory
add_checks(ladder cancel cases copy draw_parts driver ladder_report launches lesson load memory nrrd nrrd_axes nrrd_data numbered patterns synth tables text)

add_programs(core convergence slabs symmetry ties topology) # properties of a correct surface
foreach(name convergence slabs symmetry)
    add_backend_check(${name} test_${name})
endforeach()
foreach(name ties topology)
    add_backend_check(${name} test_${name} ${quick})
endforeach()
add_checks(core caps edits export_name file_io leftover verify)
target_link_options(test_file_io PRIVATE -Wl,--wrap=pread,--wrap=pwrite)

set(readers
    child
    float16
    raw_sidecar
    read_cube
    read_dx
    read_metaimage
    read_mrc
    read_nifti
    read_npy
    read_qvis
    read_slices
    read_text
    read_tiff
    read_vti
    read_vtk
    read_zarr
    tiff_bits
    tiff_refused
    voxels)
add_checks(open ${readers} blocks pack parts stream stream_chunks stream_held stream_info stream_ranges stream_shares stream_values stream_verify)
foreach(name ${readers})
    target_link_libraries(test_${name} PRIVATE ${file_libraries})
endforeach()
add_programs(open fuzz)
target_sources(test_fuzz PRIVATE tests/fuzz_load.c)
if(ISO_FUZZ)
    add_executable(fuzz_load tests/fuzz_load.c)
    target_link_libraries(fuzz_load PRIVATE open -fsanitize=fuzzer)
endif()

if(iso_window)
    add_checks(view box camera tile) # what of a picture needs no OpenGL
    add_checks(view pause png preview render_shade)
    target_link_options(test_png PRIVATE -Wl,--wrap=deflate)
    target_link_libraries(test_png PRIVATE ${file_libraries})
    add_checks(window frames palette places) # and of the window
    add_checks(cli_window draw_gl)
endif()

# The backends of fake_backends.c replace those in kernels, because kernels comes after them on the link line.
add_programs(live capped coarse live_refined live_several live_steps live_threads refine rival surface)
add_programs(core mesh)
foreach(name live_several live_steps mesh surface)
    target_sources(test_${name} PRIVATE tests/fake_backends.c)
endforeach()
foreach(name live_refined live_several live_steps rival)
    target_sources(test_${name} PRIVATE tests/fake_workers.c)
endforeach()
foreach(name capped coarse live_refined live_threads mesh refine rival surface)
    add_check(${name} test_${name})
endforeach()
if(ISO_SANITIZE OR ISO_TSAN) # fewer random walks: each step takes ten times as long
    add_check(live_steps test_live_steps 3 500)
    add_check(live_several test_live_several 200)
else()
    add_check(live_steps test_live_steps)
    add_check(live_several test_live_several)
endif()

add_executable(test_frame tests/test_frame.c)
target_include_directories(test_frame SYSTEM PRIVATE ${STB_INCLUDE_DIRS})
target_link_libraries(test_frame PRIVATE m)
target_compile_options(test_frame PRIVATE -Wno-unused-function) # stb_image's own, with GIF left out
add_check(frame test_frame $<TARGET_FILE:isoscope> ${PROJECT_SOURCE_DIR}/tests)

# ---- faults: the program's own objects, with tests/faults*.c between them and malloc, OpenGL and CUDA ---------------------

# add_faults(NAME PROGRAM PART): builds the program with faults. Libraries are linked after the wrapping, so they are
# unaffected. part: cli_window or its replacement without the window.
function(add_faults name program part)
    set(faults ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
    set(rooms cli ladder open core kernels)
    if(part STREQUAL cli_window)
        list(APPEND rooms window live view look)
    else()
        list(APPEND rooms look)
    endif()
    list(TRANSFORM rooms REPLACE "(.+)" "$<TARGET_FILE:\\1>")
    add_custom_command(OUTPUT ${faults} VERBATIM COMMAND_EXPAND_LISTS
        COMMAND ${CMAKE_LINKER} -r -o ${faults} @${PROJECT_SOURCE_DIR}/tests/faults.wrap $<TARGET_OBJECTS:${program}>
            $<TARGET_OBJECTS:${part}> --start-group ${rooms} --end-group
        DEPENDS ${program} ${PROJECT_SOURCE_DIR}/tests/faults.wrap)
    add_executable(${name} tests/faults.c ${faults})
    set_source_files_properties(${faults} PROPERTIES EXTERNAL_OBJECT TRUE)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS} OpenMP::OpenMP_C ${file_libraries} m)
    if(part STREQUAL cli_window)
        target_sources(${name} PRIVATE tests/faults_gl.c)
        target_link_libraries(${name} PRIVATE PkgConfig::GLFW PkgConfig::GLEW OpenGL::OpenGL OpenGL::EGL ${IMGUI_LIBRARIES})
    endif()
    if(iso_cuda)
        target_sources(${name} PRIVATE tests/faults_cuda.c)
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
        target_link_libraries(${name} PRIVATE CUDA::cudart_static)
    endif()
endfunction()
add_faults(isoscope_faults isoscope ${window_part})
if(MPI_C_FOUND)
    add_faults(isoscope_mpi_faults isoscope-mpi cli_nowindow)
    target_link_libraries(isoscope_mpi_faults PRIVATE MPI::MPI_C)
endif()

# ---- in Python: the program from outside ----------------------------------------------------------------------------------

foreach(name dump_volume load_many) # for tests/peers/readers.py and test_hostile.py
    add_executable(${name} tests/${name}.c)
    target_link_libraries(${name} PRIVATE open)
endforeach()
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
    # add_script(NAME SCRIPT ARGUMENT...)
    function(add_script name script)
        add_check(${name} ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/${script}.py ${ARGN})
    endfunction()

    foreach(name answers boxes cli cli_bench cut dicom draw export files films habits lab live look mine mine_window monkey outputs refined replay sass
            scene several shaders slices sorted trace window zarr)
        add_script(${name} test_${name} $<TARGET_FILE:isoscope>)
    endforeach()
    foreach(name extract manifest)
        add_script(${name} test_${name} $<TARGET_FILE:isoscope> ${ISO_TEST_DATA})
    endforeach()
    add_script(states test_states $<TARGET_FILE:isoscope> $<TARGET_FILE:test_palette>)
    add_script(tutorial test_tutorial $<TARGET_FILE:isoscope> ${PROJECT_SOURCE_DIR})
    add_script(smooth_window test_smooth $<TARGET_FILE:isoscope>)
    add_script(install test_install $<TARGET_FILE:isoscope> ${CMAKE_COMMAND} ${CMAKE_CURRENT_BINARY_DIR})
    add_script(ops_words test_ops $<TARGET_FILE:ops>)
    add_script(contrast test_contrast ${PROJECT_SOURCE_DIR})
    add_script(cuda_errors test_cuda_errors ${PROJECT_SOURCE_DIR})
    add_script(includes test_includes ${PROJECT_SOURCE_DIR})
    add_script(run test_run ${PROJECT_SOURCE_DIR})
    add_script(gpu_record gpu_record --check)
    add_script(hostile test_hostile $<TARGET_FILE:isoscope> $<TARGET_FILE:load_many> ${ISO_TEST_DATA})
    add_script(parts_faults test_parts_faults $<TARGET_FILE:isoscope_faults>)
    add_script(tiled test_tiled $<TARGET_FILE:isoscope_faults>)
    add_script(parts_tools test_parts_tools $<TARGET_FILE:isoscope> ${PROJECT_SOURCE_DIR})
    add_script(pieces test_pieces $<TARGET_FILE:isoscope> $<$<BOOL:${MPI_C_FOUND}>:$<TARGET_FILE_DIR:isoscope>/isoscope-mpi>)
    if(MPI_C_FOUND)
        set(for_ranks $<TARGET_FILE:isoscope> $<TARGET_FILE:isoscope-mpi> $<TARGET_FILE:isoscope_mpi_faults>)
    endif()
    foreach(name mpi mpi_cuda hosts)
        add_script(${name} test_${name} ${for_ranks}) # ranks mostly wait for each other, so they need no cores of their own
    endforeach()
    set_tests_properties(mpi_cuda PROPERTIES LABELS gpu)
    if(iso_window)
        add_script(faults test_faults $<TARGET_FILE:isoscope_faults> commands window pretended)
        set_tests_properties(faults PROPERTIES COST 300)
        add_script(draw_cuda test_draw_cuda $<TARGET_FILE:isoscope>)
        set_tests_properties(draw_cuda PROPERTIES LABELS gpu)
        add_script(faults_cuda test_faults $<TARGET_FILE:isoscope_faults> cuda)
        set_tests_properties(faults_cuda PROPERTIES LABELS gpu COST 240)
        set_property(TEST faults_cuda APPEND PROPERTY ENVIRONMENT FAULTS_MOST=40) # a process with CUDA takes half a second to start
    endif()

    set(seeds ${CMAKE_CURRENT_BINARY_DIR}/seeds)
    add_script(seeds make_seeds ${seeds})
    add_check(fuzz test_fuzz ${seeds})
    set_tests_properties(seeds PROPERTIES FIXTURES_SETUP seeds)
    set_tests_properties(fuzz PROPERTIES FIXTURES_REQUIRED seeds ENVIRONMENT OMP_NUM_THREADS=1) # volumes of a few voxels

    if(NOT ISO_SANITIZE AND NOT ISO_TSAN) # their runtimes must be loaded first
        add_library(comma MODULE tests/comma.c)
        set(in_german "cli=${Python3_EXECUTABLE}|${PROJECT_SOURCE_DIR}/tests/test_cli.py|$<TARGET_FILE:isoscope>"
            "export=${Python3_EXECUTABLE}|${PROJECT_SOURCE_DIR}/tests/test_export.py|$<TARGET_FILE:isoscope>"
            "extract=${Python3_EXECUTABLE}|${PROJECT_SOURCE_DIR}/tests/test_extract.py|$<TARGET_FILE:isoscope>|${ISO_TEST_DATA}")
        foreach(name load text nrrd nrrd_axes nrrd_data read_dx read_metaimage read_qvis read_text read_vti read_vtk)
            list(APPEND in_german ${name}=$<TARGET_FILE:test_${name}>)
        endforeach()
        add_script(locale test_locale $<TARGET_FILE:isoscope> $<TARGET_FILE:comma> ${in_german})
        if(iso_window)
            add_library(questions MODULE tests/questions.c)
            set_property(TEST replay APPEND PROPERTY ENVIRONMENT QUESTIONS=$<TARGET_FILE:questions>)
            add_library(dense MODULE tests/dense.c)
            set_property(TEST window APPEND PROPERTY ENVIRONMENT DENSE=$<TARGET_FILE:dense>)
        endif()
    endif()
else()
    message(WARNING "no python3: the tests of the command line and of the window are left out")
    list(FILTER opengl INCLUDE REGEX "^(draw_gl|frame|pause|render_shade)$")
endif()

# ---- what holds for many ---------------------------------------------------------------------------------------------------

# OpenGL drivers leak. They are unloaded before the search for leaks, so no suppression could name them. Window tests form
# three rows, each of which runs one test at a time. A window waits about half of its time, but software OpenGL takes all
# cores when it works.
set(row 0)
foreach(name ${opengl})
    math(EXPR row "(${row} + 1) % 3")
    set_tests_properties(${name} PROPERTIES LABELS opengl RESOURCE_LOCK windows_${row})
endforeach()
set_property(TEST ${opengl} APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)

# Tests that drive a window step by step or compare its pixels. Most of their time goes to software OpenGL, which is not
# sanitized. So .ci/run leaves them out of the sanitized build, where replay, monkey and faults use windows too.
if(Python3_FOUND AND iso_window)
    set_property(TEST boxes cut draw habits lab look mine_window refined scene several slices sorted states tutorial window
        APPEND PROPERTY LABELS stepped)
endif()

if(Python3_FOUND AND iso_window AND NOT ISO_SANITIZE) # which run all events
    set_property(TEST monkey APPEND PROPERTY ENVIRONMENT MONKEY_EVENTS=300)
    set_property(TEST faults APPEND PROPERTY ENVIRONMENT FAULTS_MOST=4)
endif()

# The higher the cost, the earlier a test begins: first the windows, which run in rows, then the longest tests, so that none
# is left alone at the end.
set_tests_properties(ops_cuda PROPERTIES COST 2000) # on a machine with a GPU, the longest of all
set_property(TEST ${opengl} PROPERTY COST 1000)
set_tests_properties(ops_cpu PROPERTIES COST 100)
if(Python3_FOUND)
    set_tests_properties(mpi PROPERTIES COST 300)
    set_tests_properties(cli_bench extract hosts mine PROPERTIES COST 100)
    if(iso_window)
        set_tests_properties(files PROPERTIES COST 100)
    endif()
    if(TEST locale)
        set_tests_properties(locale PROPERTIES COST 100)
    endif()
endif()

# Ignore reports on code that is not instrumented (libomp itself, OpenGL drivers).
get_property(tests DIRECTORY PROPERTY TESTS)
if(ISO_TSAN)
    set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT TSAN_OPTIONS=ignore_noninstrumented_modules=1:halt_on_error=1)
endif()
if(ISO_SANITIZE OR ISO_TSAN)
    set_property(TEST ${tests} PROPERTY TIMEOUT 3600) # 10 to 30 times slower, and still slower on a busy machine
endif()

# ---- every header must compile alone, as C11 and as C++17, with no more than its own room sees ------------------------------

if(ISO_SANITIZE) # it would find nothing more
    return()
endif()
set(rooms kernels core open look live ladder cli)
if(iso_window)
    list(APPEND rooms view window)
endif()
foreach(room ${rooms})
    set(sees ${room})
    string(REPLACE src/kernels kernels folder src/${room})
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
    if(room STREQUAL cli AND iso_window)
        set(sees cli_window)
    elseif(room STREQUAL cli)
        list(FILTER headers EXCLUDE REGEX render_job.h) # belongs to the part that draws
    endif()
    set(alone "")
    foreach(header ${headers})
        get_filename_component(name ${header} NAME_WE)
        foreach(language c cpp)
            file(CONFIGURE OUTPUT headers/${room}_${name}.${language}
                CONTENT "#include \"${header}\"\nint alone_${name};\n" @ONLY)
            list(APPEND alone ${CMAKE_CURRENT_BINARY_DIR}/headers/${room}_${name}.${language})
        endforeach()
    endforeach()
    add_library(headers_${room} OBJECT ${alone})
    target_link_libraries(headers_${room} PRIVATE ${sees})
    target_include_directories(headers_${room} SYSTEM PRIVATE ${IMGUI_INCLUDE_DIRS})
endforeach()
