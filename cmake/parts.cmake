# Parts of the build that not every machine can have.
get_property(help CACHE ISO_CUDA PROPERTY HELPSTRING)
if(help STREQUAL "Build the CUDA backend where nvcc is found" AND ISO_CUDA) # older build folders say ON for AUTO
    unset(ISO_CUDA CACHE)
endif()
set(how "AUTO builds it where it can be, ON fails where it cannot, OFF leaves it out")
set(ISO_CUDA AUTO CACHE STRING "The CUDA backend: ${how}")
set(ISO_WINDOW AUTO CACHE STRING "The window and pictures, which need OpenGL: ${how}")
set(ISO_MPI AUTO CACHE STRING "isoscope-mpi: ${how}")
set_property(CACHE ISO_CUDA ISO_WINDOW ISO_MPI PROPERTY STRINGS AUTO ON OFF)

# without(PART WHY [WARNING]): reports that a part is left out. This is an error if the user demanded the part.
function(without part why)
    if(ISO_${part} AND NOT ISO_${part} STREQUAL AUTO)
        message(FATAL_ERROR "isoscope: ISO_${part} is ${ISO_${part}}, but ${why}; ISO_${part}=AUTO builds without")
    elseif(ARGN)
        message(WARNING "isoscope: no ${part}: ${why}")
    else()
        message(STATUS "isoscope: no ${part}: ${why}")
    endif()
endfunction()
