// Where a vertex lies in the picture, by the rules of kernels/draw.h. It is the same for all triangles that share the
// vertex, so there are no gaps. The files before this one declare NO_PLACE and `size`, that of the picture.

const float FAR_PLACE = 4194304.0; // 2^22: floats represent all whole numbers up to there

layout(location = 0) uniform mat4 clip_from_voxel;

vec4 clip_of(vec3 position)
{
    precise vec4 clip = ((clip_from_voxel[0] * position.x + clip_from_voxel[1] * position.y) +
                         clip_from_voxel[2] * position.z) + clip_from_voxel[3];
    return clip;
}

// Returns x and y in 1/256 of a pixel, whole numbers; depth; 1 / w.
vec4 place_of(vec4 clip)
{
    precise float w = 1.0 / clip.w;
    precise vec2 half_size = vec2(size * 128u), at = clip.xy * w * half_size + half_size;
    precise float depth = clip.z * w * 0.5 + 0.5;
    bool has_place = clip.w > 0.0 && abs(clip.z) <= clip.w && all(lessThanEqual(abs(at), vec2(FAR_PLACE))); // NaN has none
    return has_place ? vec4(roundEven(at), depth, w) : vec4(NO_PLACE, 0.0, 0.0, 0.0);
}
