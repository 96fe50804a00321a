// The rows of settings.h. Only what describes looks, the viewer, files and collision detection stands here; nothing
// that would have to compute.
#include "control/settings.h"

#define VISUAL_MODULE "Sofa.Component.Visual"
#define SHADER_MODULE "Sofa.GL.Component.Shader"
#define RENDERING_2D "Sofa.GL.Component.Rendering2D"
#define RENDERING_3D "Sofa.GL.Component.Rendering3D"
#define SETTING_MODULE "Sofa.Component.Setting"
#define DETECTION_MODULE "Sofa.Component.Collision.Detection.Algorithm"
#define INTERSECTION_MODULE "Sofa.Component.Collision.Detection.Intersection"
#define CONTACT_MODULE "Sofa.Component.Collision.Response.Contact"

static const char enable[] = "enable bool = 1 | draw it\n";

static const char camera[] = "position vec3 | where the camera stands [m]\n"
                             "orientation vec4 = 0 0 0 1 | orientation as a quaternion\n"
                             "lookAt vec3 | point it looks at [m]\n"
                             "distance real = 0 | distance to that point [m]\n"
                             "fieldOfView real = 45 | vertical angle of view [degrees]\n"
                             "zNear real = 0.01 | nearest distance that is drawn [m]\n"
                             "zFar real = 100 | farthest distance that is drawn [m]\n"
                             "computeZClip bool = 1 | nearest and farthest distance from the scene's size\n"
                             "minBBox vec3 = 0 0 0 | smallest corner of what is looked at [m]\n"
                             "maxBBox vec3 = 1 1 1 | largest corner of what is looked at [m]\n"
                             "widthViewport int = 800 | width of the picture [pixels]\n"
                             "heightViewport int = 600 | height of the picture [pixels]\n"
                             "projectionType string = Perspective | Perspective or Orthographic\n"
                             "activated bool = 1 | use this camera\n"
                             "fixedLookAt bool = 0 | keep the point it looks at\n"
                             "modelViewMatrix reals | matrix from the scene to the camera\n"
                             "projectionMatrix reals | matrix from the camera to the picture\n";

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

static const char threads[] = "nbThreads int = 0 | wished number of threads; the command's --threads decides\n"
                              "taskSchedulerType string = _default | kind of task scheduler\n";

static const char mouse_button[] = "button string = Left | mouse button: Left, Middle or Right\n";
static const char box[] = "box vec6 | region outside of which nothing is tested: minimum, maximum [m]\n";
static const char value[] = "value/values reals | value handed to the shader\n";
static const char matrix_value[] = "value reals | matrices handed to the shader\n"
                                   "transpose bool = 0 | transpose them\n";
static const char attribute_value[] = "value reals | value a vertex, handed to the shader\n"
                                      "handleDynamicTopology bool = 1 | follow changes of the topology\n";

static const char proximity[] = "alarmDistance real = 1 | distance at which pairs are looked at [m]\n"
                                "contactDistance real = 0.5 | distance at which contacts act [m]\n";

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

const dvSettingRow dv_setting_rows[] = {
    // files, messages, threads
    {"AddDataRepository", "AddResourceRepository", "Sofa.Component.SceneUtility", DV_ROLE_SETTING,
     "adds a directory in which files are looked for", "path file | directory, relative to the scene file\n", NULL,
     dv_add_data_repository_parse, NULL},
    {"AddPluginRepository", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING,
     "names a directory with plugins, which is not used: the command line names them", "path file | directory\n", NULL,
     NULL, dv_add_plugin_repository_init},
    {"APIVersion", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING, "the version of SOFA a scene was written for",
     "level string = 26.12.99 | version\n", NULL, NULL, NULL},
    {"InfoComponent", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING, "a remark in a scene", "", NULL, NULL,
     NULL},
    {"MessageHandlerComponent", NULL, "Sofa.Component.SceneUtility", DV_ROLE_SETTING,
     "how messages are shown; here they go to the terminal", "handler string | kind of handler\n", NULL, NULL, NULL},
    {"TaskSchedulerSettings", NULL, "Sofa.Simulation.Core", DV_ROLE_SETTING, "wishes for the worker threads", threads,
     NULL, NULL, NULL},
    {"SofaDefaultPathSetting", NULL, SETTING_MODULE, DV_ROLE_SETTING, "paths of other programs",
     "gnuplotPath file | where gnuplot writes\n", NULL, NULL, NULL},
    {"StatsSetting", NULL, SETTING_MODULE, DV_ROLE_SETTING, "what the program records",
     "dumpState bool = 0 | write the state of each step\n"
     "logTime bool = 0 | print times\n"
     "exportState bool = 0 | write the state for comparison\n",
     NULL, NULL, NULL},

    // viewer
    {"ViewerSetting", NULL, SETTING_MODULE, DV_ROLE_SETTING, "window, camera and picking of the viewer",
     "resolution ivec2 = 800 600 | size of the window [pixels]\n"
     "fullscreen bool = 0 | fill the screen\n"
     "cameraMode string = Perspective | Perspective or Orthographic\n"
     "objectPickingMethod string = Ray casting | how the mouse finds objects\n"
     "showSelectedNodeBoundingBox bool = 1 | box of the chosen node\n"
     "showSelectedObjectBoundingBox bool = 1 | box of the chosen component\n"
     "showSelectedObjectPositions bool = 1 | points of the chosen component\n"
     "showSelectedObjectSurfaces bool = 1 | surfaces of the chosen component\n"
     "showSelectedObjectVolumes bool = 1 | volumes of the chosen component\n"
     "showSelectedObjectIndices bool = 1 | indices of the chosen component\n"
     "showSelectedVisualScaling real = 0.02 | size of what is shown of it\n",
     NULL, NULL, NULL},
    {"BackgroundSetting", NULL, SETTING_MODULE, DV_ROLE_SETTING, "colour or picture behind the scene",
     "color color = 1 1 1 1 | colour\n"
     "image file | picture\n",
     NULL, NULL, NULL},
    {"Camera", NULL, VISUAL_MODULE, DV_ROLE_SETTING, "a camera", camera, NULL, NULL, NULL},
    {"InteractiveCamera", NULL, VISUAL_MODULE, DV_ROLE_SETTING, "a camera that the mouse moves", camera,
     "zoomSpeed real = 250 | speed of zooming\n"
     "panSpeed real = 0.1 | speed of moving\n"
     "pivot int = 2 | what it turns about: look-at point, itself, scene centre, world\n",
     NULL, NULL},
    {"RecordedCamera", NULL, VISUAL_MODULE, DV_ROLE_SETTING, "a camera that follows a path", camera,
     "zoomSpeed real = 250 | speed of zooming\n"
     "panSpeed real = 0.1 | speed of moving\n"
     "pivot int = 0 | what it turns about\n"
     "startTime real = 0 | start of the movement [s]\n"
     "endTime real = 200 | end of the movement [s]\n"
     "rotationMode bool = 0 | turn about an axis\n"
     "translationMode bool = 0 | move along a line\n"
     "navigationMode bool = 0 | follow recorded positions\n"
     "rotationSpeed real = 0.1 | speed of turning\n"
     "rotationCenter vec3 | centre of the turn [m]\n"
     "rotationStartPoint vec3 | where the turn starts [m]\n"
     "rotationLookAt vec3 | point it looks at while turning [m]\n"
     "rotationAxis vec3 = 0 1 0 | axis of the turn\n"
     "cameraUp vec3 = 0 0 0 | upward direction\n"
     "drawRotation bool = 0 | draw the path of the turn\n"
     "drawTranslation bool = 0 | draw the line of the movement\n"
     "cameraPositions vec3s | recorded positions [m]\n"
     "cameraOrientations vec4s | recorded orientations, quaternions\n",
     NULL, NULL},
    {"DefaultVisualManagerLoop", "VisualLoop", "Sofa.Simulation.Core", DV_ROLE_SETTING, "draws the scene node by node",
     enable, "targetNode link | node to draw\n", NULL, NULL},
    {"OglViewport", NULL, RENDERING_2D, DV_ROLE_SETTING, "a second picture of the scene inside the first",
     "screenPosition vec2 | where it stands\n"
     "screenSize ivec2 | its size [pixels]\n"
     "cameraPosition vec3 = 0 0 0 | where its camera stands [m]\n"
     "cameraOrientation vec4 = 0 0 0 1 | orientation of its camera, a quaternion\n"
     "cameraRigid reals | frame of its camera\n"
     "zNear real = 0 | nearest distance [m]\n"
     "zFar real = 0 | farthest distance [m]\n"
     "fovy real = 60 | vertical angle of view [degrees]\n"
     "enabled bool = 1 | draw it\n"
     "advancedRendering bool = 0 | draw with all passes\n"
     "useFBO bool = 1 | draw into a picture of its own\n"
     "swapMainView bool = 0 | exchange it with the main picture\n"
     "drawCamera bool = 0 | draw its camera\n",
     NULL, NULL, NULL},

    // things in the picture
    {"LineAxis", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "lines along the axes", enable,
     "axis string = xyz | which axes\n"
     "size real = 10 | length [m]\n"
     "infinite bool = 0 | without end\n"
     "thickness real = 1 | width of the lines [pixels]\n"
     "vanishing bool = 0 | fade when they point at the camera\n"
     "nbLineSegments int = 1 | pieces a line\n",
     NULL, NULL},
    {"VisualGrid", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "a grid in a plane", enable,
     "plane string = z | normal of the plane: x, y or z\n"
     "size real = 10 | size [m]\n"
     "nbSubdiv int = 16 | number of fields\n"
     "color color = 0.34117648 0.34117648 0.34117648 1 | colour of the lines\n"
     "thickness real = 1 | width of the lines [pixels]\n"
     "nbLineSegments int = 1 | pieces a line\n",
     NULL, NULL},
    {"VisualBoundingBox", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "the box around its node", enable,
     "color color = 1 1 0 1 | colour of the lines\n"
     "thickness real = 1 | width of the lines [pixels]\n",
     NULL, NULL},
    {"VisualTransform", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "moves what is drawn of its node, not what is simulated",
     enable,
     "transform reals | frame: position and quaternion\n"
     "recursive bool = 0 | also for the nodes below\n",
     NULL, NULL},
    {"Visual3DText", NULL, VISUAL_MODULE, DV_ROLE_VISUAL, "a text in the scene", enable,
     "text string | the text\n"
     "position vec3 = 0 0 0 | where it stands [m]\n"
     "scale real = 1 | size of the letters\n"
     "color color = 1 1 1 1 | colour\n"
     "depthTest bool = 1 | nearer things hide it\n",
     NULL, NULL},
    {"OglSceneFrame", NULL, RENDERING_3D, DV_ROLE_VISUAL, "the axes of the scene in a corner of the picture",
     "draw bool = 1 | draw them\n"
     "style string = Cylinders | Arrows, Cylinders or CubeCones\n"
     "alignment string = BottomRight | corner of the picture\n"
     "viewportSize int = 150 | size [pixels]\n",
     enable, NULL, NULL},
    {"OglLabel", NULL, RENDERING_2D, DV_ROLE_VISUAL, "a text on the picture",
     "prefix string | before the text\n"
     "label string | the text, often linked to another field\n"
     "suffix string | behind the text\n"
     "x int = 10 | distance from the left [pixels]\n"
     "y int = 10 | distance from the top [pixels]\n"
     "fontsize int = 14 | size of the letters [pixels]\n"
     "color color = gray | colour\n"
     "selectContrastingColor bool = 0 | choose a colour that is readable on the background\n"
     "updateLabelEveryNbSteps int = 0 | steps between changes of the text\n",
     enable, NULL, NULL},
    {"OglColorMap", "ColorMap", RENDERING_2D, DV_ROLE_VISUAL, "which colour stands for which number",
     "paletteSize int = 256 | number of colours\n"
     "colorScheme string = HSV | name of the palette\n"
     "showLegend bool = 0 | draw a scale\n"
     "legendOffset vec2 = 10 5 | where the scale stands [pixels]\n"
     "legendTitle string | title of the scale\n"
     "legendSize int = 11 | size of the letters [pixels]\n"
     "min real = 0 | smallest number\n"
     "max real = 0 | largest number\n"
     "legendRangeScale real = 1 | factor of the numbers on the scale\n",
     enable, NULL, NULL},
    {"ClipPlane", NULL, RENDERING_3D, DV_ROLE_VISUAL, "cuts the picture open",
     "position vec3 = 0 0 0 | a point of the plane [m]\n"
     "normal vec3 = 1 0 0 | towards what is kept\n"
     "id int = 0 | number of the plane\n"
     "active bool = 1 | cut\n",
     enable, NULL, NULL},
    {"SlicedVolumetricModel", NULL, RENDERING_3D, DV_ROLE_VISUAL, "a volume drawn as slices",
     "alpha real = 0.2 | opacity of a slice\n"
     "color color = 1 1 1 1 | colour\n"
     "nbSlices int = 100 | number of slices\n",
     enable, NULL, NULL},

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

    // mouse
    {"AttachBodyButtonSetting", "AttachBodyButton", "Sofa.GUI.Component", DV_ROLE_SETTING,
     "the mouse pulls bodies by a spring", mouse_button,
     "stiffness real = 1000 | stiffness of the spring [N/m]\n"
     "arrowSize real = 0 | size of the arrow\n"
     "showFactorSize real = 1 | factor of what is drawn\n",
     NULL, NULL},
    {"ConstraintAttachButtonSetting", NULL, "Sofa.GUI.Component", DV_ROLE_SETTING,
     "the mouse holds bodies by a constraint", mouse_button,
     "snapDistance real = 1 | distance at which points are caught [m]\n", NULL, NULL},
    {"FixPickedParticleButtonSetting", NULL, "Sofa.GUI.Component", DV_ROLE_SETTING, "the mouse fixes points",
     mouse_button, "stiffness real = 10000 | stiffness that holds them [N/m]\n", NULL, NULL},
    {"AddFrameButtonSetting", NULL, "Sofa.GUI.Component", DV_ROLE_SETTING, "the mouse adds frames", mouse_button, NULL,
     NULL, NULL},
    {"AddRecordedCameraButtonSetting", NULL, "Sofa.GUI.Component", DV_ROLE_SETTING, "the mouse records cameras",
     mouse_button, NULL, NULL, NULL},
    {"StartNavigationButtonSetting", NULL, "Sofa.GUI.Component", DV_ROLE_SETTING, "the mouse starts the recorded path",
     mouse_button, NULL, NULL, NULL},

    // collision detection and response
    {"CollisionPipeline", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "the order of collision detection; this version computes no contacts", threads,
     "parallelDetection bool = 0 | detect in parallel\n"
     "verbose bool = 0 | print what happens\n"
     "draw bool = 0 | draw the contacts\n"
     "depth int = 6 | levels of the bounding trees\n"
     "subCollisionPipelines links | parts of the pipeline\n",
     NULL, dv_collision_pipeline_init},
    {"CompositeCollisionPipeline", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "several collision pipelines; this version computes no contacts", threads,
     "parallelDetection bool = 0 | detect in parallel\n"
     "subCollisionPipelines links | the pipelines\n",
     NULL, dv_collision_pipeline_init},
    {"SubCollisionPipeline", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "the pipeline of some of the collision models",
     "depth int = 6 | levels of the bounding trees\n"
     "collisionModels links | the models\n"
     "intersectionMethod link | how elements are tested\n"
     "contactManager link | what answers contacts\n"
     "broadPhaseDetection link | how pairs of models are found\n"
     "narrowPhaseDetection link | how pairs of elements are found\n",
     NULL, NULL, NULL},
    {"BruteForceBroadPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs of models by testing all", box,
     NULL, NULL, NULL},
    {"ParallelBruteForceBroadPhase", NULL, "MultiThreading", DV_ROLE_COLLISION, "finds pairs of models by testing all",
     box, threads, NULL, NULL},
    {"BVHNarrowPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs of elements with bounding trees", "",
     NULL, NULL, NULL},
    {"ParallelBVHNarrowPhase", NULL, "MultiThreading", DV_ROLE_COLLISION, "finds pairs of elements with bounding trees",
     threads, NULL, NULL, NULL},
    {"RayTraceNarrowPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs of elements with rays", "", NULL,
     NULL, NULL},
    {"DirectSAPNarrowPhase", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "finds pairs of elements by sweeping along an axis",
     "showOnlyInvestigatedBoxes bool = 1 | draw only the boxes that were tested\n"
     "nbPairs int = 0 | number of pairs found\n",
     NULL, NULL, NULL},
    {"IncrSAP", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs by sweeping along an axis, step by step", box,
     NULL, NULL, NULL},
    {"BruteForceDetection", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "finds pairs by testing all models, then with bounding trees", box, NULL, NULL, NULL},
    {"RayTraceDetection", NULL, DETECTION_MODULE, DV_ROLE_COLLISION,
     "finds pairs by testing all models, then with rays", box, NULL, NULL, NULL},
    {"DirectSAP", NULL, DETECTION_MODULE, DV_ROLE_COLLISION, "finds pairs by sweeping along an axis", box, NULL, NULL,
     NULL},
    {"DiscreteIntersection", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION, "contacts where elements overlap", "", NULL,
     NULL, NULL},
    {"MinProximityIntersection", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION,
     "contacts where elements are near each other", proximity,
     "useSphereTriangle bool = 1 | test spheres and triangles\n"
     "usePointPoint bool = 1 | test points and points\n"
     "useSurfaceNormals bool = 0 | contact directions from the surface\n"
     "useLinePoint bool = 1 | test lines and points\n"
     "useLineLine bool = 1 | test lines and lines\n",
     NULL, NULL},
    {"NewProximityIntersection", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION,
     "contacts where elements are near each other", proximity, "useLineLine bool = 0 | test lines and lines\n", NULL,
     NULL},
    {"LocalMinDistance", NULL, INTERSECTION_MODULE, DV_ROLE_COLLISION, "contacts at the local minima of the distance",
     proximity,
     "filterIntersection bool = 1 | leave out contacts outside of the normals' cones\n"
     "angleCone real = 0 | angle of the cones [radians]\n"
     "coneFactor real = 0.5 | factor of the cones\n"
     "useLMDFilters bool = 0 | use filters of the models\n",
     NULL, NULL},
    {"CollisionResponse", NULL, CONTACT_MODULE, DV_ROLE_COLLISION, "what answers contacts",
     "response string | kind of response, such as PenalityContactForceField or FrictionContactConstraint\n"
     "responseParams string | its parameters, such as mu=0.3\n",
     NULL, NULL, NULL},
    {"RuleBasedContactManager", NULL, CONTACT_MODULE, DV_ROLE_COLLISION,
     "what answers contacts, by rules for pairs of models",
     "response string | kind of response where no rule fits\n"
     "responseParams string | its parameters\n"
     "variables string | values used in the rules\n"
     "rules string | pairs of names or groups, and their response\n",
     NULL, NULL, NULL},
    {"DefaultCollisionGroupManager", NULL, CONTACT_MODULE, DV_ROLE_COLLISION, "puts bodies in contact under one solver",
     "", NULL, NULL, NULL},
};
const size_t dv_setting_row_count = DV_COUNT(dv_setting_rows);
