// Rows of settings.h. Window, cameras and the mouse of the viewer.
#include "control/settings/settings.h"

#define VISUAL_MODULE "Sofa.Component.Visual"
#define RENDERING_2D "Sofa.GL.Component.Rendering2D"
#define SETTING_MODULE "Sofa.Component.Setting"

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

static const char mouse_button[] = "button string = Left | mouse button: Left, Middle or Right\n";

static const dvSettingRow rows[] = {
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
    {"LensDistortion", NULL, VISUAL_MODULE, DV_ROLE_SETTING,
     "a lens that bends the picture, as that of an endoscope: what is seen at r was at r (1 + k1 r2 + k2 r4)",
     "k1 real = 0.15 | by the square of the distance from the middle; 1 is half the height of the picture\n"
     "k2 real = 0 | by its fourth power\n",
     enable, NULL, NULL},
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
};
const dvSettingTable dv_viewer_settings = {rows, DV_COUNT(rows)};
