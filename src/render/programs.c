// The texts of the programs that draw, out of shaders/. See programs.h.
#include "render/programs.h"

#include "shaders.h"

const char *const dv_shader_light = shader_light_glsl;
const char *const dv_shader_layers = shader_layers_glsl;
const char *const dv_shader_layer = shader_layer_frag;
const char *const dv_shader_occlusion = shader_occlusion_glsl;
const char *const dv_shader_blur = shader_blur_glsl;
const char *const dv_shader_square = shader_square_vert;
const char *const dv_shader_vertex = shader_surface_vert;
const char *const dv_shader_surface = shader_surface_frag;
const char *const dv_shader_plain = shader_plain_frag;
const char *const dv_shader_depth = shader_depth_frag;
const char *const dv_shader_ground = shader_ground_frag;
const char *const dv_shader_background = shader_background_frag;
const char *const dv_shader_xray = shader_xray_frag;
const char *const dv_shader_film = shader_film_frag;
const char *const dv_shader_fog = shader_fog_frag;
const char *const dv_shader_fogged = shader_fogged_frag;
const char *const dv_shader_depths = shader_depths_frag;
const char *const dv_shader_liquid_depth = shader_liquid_depth_frag;
const char *const dv_shader_liquid_smooth = shader_liquid_smooth_frag;
const char *const dv_shader_liquid = shader_liquid_frag;
