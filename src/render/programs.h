// The texts of the programs that draw (shaders/). The page has the same ones.
#ifndef DV_RENDER_PROGRAMS_H
#define DV_RENDER_PROGRAMS_H

extern const char *const dv_shader_light;
extern const char *const dv_shader_layers;
extern const char *const dv_shader_layer;
extern const char *const dv_shader_occlusion;
extern const char *const dv_shader_blur;
extern const char *const dv_shader_square;
extern const char *const dv_shader_vertex;
extern const char *const dv_shader_surface;
extern const char *const dv_shader_plain;
extern const char *const dv_shader_depth;
extern const char *const dv_shader_ground;
extern const char *const dv_shader_background;
extern const char *const dv_shader_xray;
extern const char *const dv_shader_film;
extern const char *const dv_shader_fog;
extern const char *const dv_shader_fogged;
extern const char *const dv_shader_depths;
extern const char *const dv_shader_liquid_depth;
extern const char *const dv_shader_liquid_smooth;
extern const char *const dv_shader_liquid;

#endif
