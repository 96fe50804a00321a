// Rows of settings.h. Lights, shaders, textures and passes of drawing.
#include "control/settings/settings.h"

#define SHADER_MODULE "Sofa.GL.Component.Shader"

static const char enable[] = "enable bool = 1 | draw it\n";

static const char light[] = "color color = 1 1 1 1 | colour of the light\n"
                            "shadowTextureSize int = 0 | size of the shadow's picture [pixels]\n"
                            "drawSource bool = 0 | draw where the light comes from\n"
                            "zNear real = 0 | nearest distance that casts a shadow [m]\n"
                            "zFar real = 0 | farthest distance that casts a shadow [m]\n"
                            "shadowsEnabled bool = 1 | the light casts shadows\n"
                            "softShadows bool = 0 | shadows have soft borders\n"
                            "shadowFactor real = 1 | how dark shadows are\n"
                            "VSMLightBleeding real = 0.05 | variance shadows: limit of light bleeding\n"
                            "VSMMinVariance real = 0.001 | variance shadows: smallest variance\n"
                            "textureUnit int = 1 | texture unit of the shadow\n"
                            "modelViewMatrix reals | matrix from the scene to the light\n"
                            "projectionMatrix reals | matrix from the light to its shadow\n";

static const char shader_element[] = "id string | name in the shader\n"
                                     "indexShader int = 0 | number of the shader it belongs to\n"
                                     "shader links | shaders it belongs to\n";

static const char shader[] =
    "turnOn bool = 1 | use the shader\n"
    "passive bool = 0 | only another component switches it on\n"
    "fileVertexShaders/vertFilename strings = shaders/toonShading.vert | vertex shader files\n"
    "fileFragmentShaders/fragFilename strings = shaders/toonShading.frag | fragment shader files\n"
    "fileGeometryShaders/geoFilename strings | geometry shader files\n"
    "fileTessellationControlShaders strings | tessellation control shader files\n"
    "fileTessellationEvaluationShaders strings | tessellation evaluation shader files\n"
    "geometryInputType int = -1 | what geometry shaders take\n"
    "geometryOutputType int = -1 | what geometry shaders give\n"
    "geometryVerticesOut int = -1 | most vertices a geometry shader gives\n"
    "tessellationOuterLevel real = 1 | outer level of tessellation\n"
    "tessellationInnerLevel real = 1 | inner level of tessellation\n"
    "indexActiveShader int = 0 | which of several shaders is in use\n"
    "backfaceWriting bool = 0 | shaders write the colour of back faces\n"
    "clampVertexColor bool = 1 | keep vertex colours between 0 and 1\n";

static const char texture[] = "textureFilename/filename file | picture file\n"
                              "textureUnit int = 1 | texture unit\n"
                              "enabled bool = 1 | use the texture\n"
                              "repeat bool = 0 | repeat the picture\n"
                              "linearInterpolation bool = 1 | smooth between pixels\n"
                              "generateMipmaps bool = 1 | keep smaller versions of the picture\n"
                              "srgbColorspace bool = 0 | the picture is in sRGB\n"
                              "minLod real = -1000 | smallest level of detail\n"
                              "maxLod real = 1000 | largest level of detail\n"
                              "proceduralTextureWidth int = 0 | width of a computed picture [pixels]\n"
                              "proceduralTextureHeight int = 0 | height of a computed picture [pixels]\n"
                              "proceduralTextureNbBits int = 1 | bits a pixel of a computed picture\n"
                              "proceduralTextureData ints | pixels of a computed picture\n"
                              "cubemapFilenamePosX file | picture towards +x\n"
                              "cubemapFilenamePosY file | picture towards +y\n"
                              "cubemapFilenamePosZ file | picture towards +z\n"
                              "cubemapFilenameNegX file | picture towards -x\n"
                              "cubemapFilenameNegY file | picture towards -y\n"
                              "cubemapFilenameNegZ file | picture towards -z\n"
                              "id string | name in the shader\n"
                              "indexShader int = 0 | number of the shader it belongs to\n"
                              "shader links | shaders it belongs to\n";

static const char value[] = "value/values reals | value handed to the shader\n";

static const char matrix_value[] = "value reals | matrices handed to the shader\n"
                                   "transpose bool = 0 | transpose them\n";

static const char attribute_value[] = "value reals | value a vertex, handed to the shader\n"
                                      "handleDynamicTopology bool = 1 | follow changes of the topology\n";

#define SHADER_VALUE(name)                                                                                \
  {                                                                                                       \
    name, NULL, SHADER_MODULE, DV_ROLE_SETTING, "a value for a shader", value, shader_element, NULL, NULL \
  }
#define SHADER_MATRIX(name)                                                                                       \
  {                                                                                                               \
    name, NULL, SHADER_MODULE, DV_ROLE_SETTING, "matrices for a shader", matrix_value, shader_element, NULL, NULL \
  }
#define SHADER_ATTRIBUTE(name)                                                                                    \
  {                                                                                                               \
    name, NULL, SHADER_MODULE, DV_ROLE_SETTING, "a value a vertex for a shader", attribute_value, shader_element, \
        NULL, NULL                                                                                                \
  }

static const dvSettingRow rows[] = {
    // lights
    {"LightManager", NULL, SHADER_MODULE, DV_ROLE_SETTING, "lights and shadows of the scene",
     "shadows bool = 0 | lights cast shadows\n"
     "softShadows bool = 0 | shadows have soft borders\n"
     "ambient color = black | light from everywhere\n"
     "debugDraw bool = 0 | draw the shadow pictures\n",
     enable, NULL, NULL},
    {"DirectionalLight", NULL, SHADER_MODULE, DV_ROLE_SETTING, "light from far away",
     "direction vec3 = 0 0 -1 | where it shines\n", light, NULL, NULL},
    {"PositionalLight", NULL, SHADER_MODULE, DV_ROLE_SETTING, "light from a point",
     "fixed bool = 0 | stays where it is when the camera moves\n"
     "position vec3 = -0.7 0.3 0 | where it stands [m]\n"
     "attenuation real = 0 | how it fades with the distance [1/m]\n",
     light, NULL, NULL},
    {"SpotLight", NULL, SHADER_MODULE, DV_ROLE_SETTING, "light from a point in a cone",
     "fixed bool = 0 | stays where it is when the camera moves\n"
     "position vec3 = -0.7 0.3 0 | where it stands [m]\n"
     "attenuation real = 0 | how it fades with the distance [1/m]\n"
     "direction vec3 = 0 0 -1 | axis of the cone\n"
     "cutoff real = 30 | half the angle of the cone [degrees]\n"
     "exponent real = 1 | how it fades towards the border\n"
     "lookat bool = 0 | direction is a point to look at\n",
     light, NULL, NULL},

    // shaders
    {"OglShader", NULL, SHADER_MODULE, DV_ROLE_SETTING, "a program that draws", shader, shader_element, NULL, NULL},
    {"OglShadowShader", NULL, SHADER_MODULE, DV_ROLE_SETTING, "the program that draws shadows", shader, shader_element,
     NULL, NULL},
    {"OglOITShader", NULL, SHADER_MODULE, DV_ROLE_SETTING, "the program that draws translucent surfaces", shader,
     shader_element, NULL, NULL},
    {"OglShaderDefineMacro", NULL, SHADER_MODULE, DV_ROLE_SETTING, "a definition for a shader",
     "value string | what is defined\n", shader_element, NULL, NULL},
    {"OglRenderingSRGB", NULL, SHADER_MODULE, DV_ROLE_SETTING, "draws in the sRGB colour space", enable, NULL, NULL,
     NULL},
    {"OglTexture", NULL, SHADER_MODULE, DV_ROLE_SETTING, "a picture for a shader", texture, NULL, NULL, NULL},
    {"OglTexture2D", NULL, SHADER_MODULE, DV_ROLE_SETTING, "a picture for a shader", texture,
     "texture2DFilename file | picture file\n", NULL, NULL},
    {"OglTexturePointer", NULL, SHADER_MODULE, DV_ROLE_SETTING, "another component's picture for a shader",
     "textureUnit int = 1 | texture unit\n"
     "enabled bool = 1 | use the texture\n"
     "oglTexture link | the picture\n",
     shader_element, NULL, NULL},
    {"PostProcessManager", NULL, SHADER_MODULE, DV_ROLE_SETTING, "works on the finished picture",
     "zNear real = 1 | nearest distance [m]\n"
     "zFar real = 100 | farthest distance [m]\n",
     enable, NULL, NULL},
    {"OrderIndependentTransparencyManager", NULL, SHADER_MODULE, DV_ROLE_SETTING,
     "draws translucent surfaces in any order", "depthScale real = 0.01 | how fast farther surfaces lose weight\n",
     enable, NULL, NULL},
    {"CompositingVisualLoop", NULL, SHADER_MODULE, DV_ROLE_SETTING, "draws the scene in several passes",
     "vertFilename file = shaders/compositing.vert | vertex shader file\n"
     "fragFilename file = shaders/compositing.frag | fragment shader file\n",
     enable, NULL, NULL},
    {"VisualManagerPass", NULL, SHADER_MODULE, DV_ROLE_SETTING, "one pass of drawing",
     "factor real = 1 | size of its picture, as a part of the window\n"
     "renderToScreen bool = 0 | show its picture\n"
     "outputName string | name of its picture\n",
     enable, NULL, NULL},
    {"VisualManagerSecondaryPass", NULL, SHADER_MODULE, DV_ROLE_SETTING,
     "a pass of drawing that uses the pictures of others",
     "factor real = 1 | size of its picture, as a part of the window\n"
     "renderToScreen bool = 0 | show its picture\n"
     "outputName string | name of its picture\n"
     "input_tags strings | passes it uses\n"
     "output_tags strings | names of its results\n"
     "fragFilename file | fragment shader file\n"
     "shader link | its shader\n",
     enable, NULL, NULL},
    SHADER_VALUE("OglIntVariable"),
    SHADER_VALUE("OglInt2Variable"),
    SHADER_VALUE("OglInt3Variable"),
    SHADER_VALUE("OglInt4Variable"),
    SHADER_VALUE("OglFloatVariable"),
    SHADER_VALUE("OglFloat2Variable"),
    SHADER_VALUE("OglFloat3Variable"),
    SHADER_VALUE("OglFloat4Variable"),
    SHADER_VALUE("OglIntVectorVariable"),
    SHADER_VALUE("OglIntVector2Variable"),
    SHADER_VALUE("OglIntVector3Variable"),
    SHADER_VALUE("OglIntVector4Variable"),
    SHADER_VALUE("OglFloatVectorVariable"),
    SHADER_VALUE("OglFloatVector2Variable"),
    SHADER_VALUE("OglFloatVector3Variable"),
    SHADER_VALUE("OglFloatVector4Variable"),
    SHADER_MATRIX("OglMatrix2Variable"),
    SHADER_MATRIX("OglMatrix3Variable"),
    SHADER_MATRIX("OglMatrix4Variable"),
    SHADER_MATRIX("OglMatrix2x3Variable"),
    SHADER_MATRIX("OglMatrix3x2Variable"),
    SHADER_MATRIX("OglMatrix2x4Variable"),
    SHADER_MATRIX("OglMatrix4x2Variable"),
    SHADER_MATRIX("OglMatrix3x4Variable"),
    SHADER_MATRIX("OglMatrix4x3Variable"),
    SHADER_MATRIX("OglMatrix4VectorVariable"),
    SHADER_ATTRIBUTE("OglIntAttribute"),
    SHADER_ATTRIBUTE("OglInt2Attribute"),
    SHADER_ATTRIBUTE("OglInt3Attribute"),
    SHADER_ATTRIBUTE("OglInt4Attribute"),
    SHADER_ATTRIBUTE("OglUIntAttribute"),
    SHADER_ATTRIBUTE("OglUInt2Attribute"),
    SHADER_ATTRIBUTE("OglUInt3Attribute"),
    SHADER_ATTRIBUTE("OglUInt4Attribute"),
    SHADER_ATTRIBUTE("OglFloatAttribute"),
    SHADER_ATTRIBUTE("OglFloat2Attribute"),
    SHADER_ATTRIBUTE("OglFloat3Attribute"),
    SHADER_ATTRIBUTE("OglFloat4Attribute"),
};
const dvSettingTable dv_shader_settings = {rows, DV_COUNT(rows)};
