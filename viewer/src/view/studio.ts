// How surfaces look: light, shadows, ambient occlusion, ground. The programs are those of the renderer without a screen
// (src/render/shaders), so that a scene looks the same in both; src/render/paint_gl.c has the same passes.
import {
  FramebufferTexture, BufferAttribute, BufferGeometry, Box3, Camera, Color, CustomBlending, DepthTexture, DoubleSide, FloatType, GLSL3, LessEqualCompare, LinearFilter, Matrix4, Mesh, MeshBasicMaterial,
  NearestFilter, OrthographicCamera, PerspectiveCamera, OneFactor, PlaneGeometry, RawShaderMaterial, Scene, ShaderMaterial, SRGBColorSpace, Texture, UnsignedIntType, Vector2, Vector3, Vector4, WebGLRenderTarget,
  type Material, type MeshPhongMaterial, type Object3D, type WebGLRenderer,
} from 'three';
import blurText from '../../../src/render/shaders/blur.glsl?raw';
import fogText from '../../../src/render/shaders/fog.frag?raw';
import foggedText from '../../../src/render/shaders/fogged.frag?raw';
import filmText from '../../../src/render/shaders/film.frag?raw';
import groundText from '../../../src/render/shaders/ground.frag?raw';
import lensText from '../../../src/render/shaders/lens.frag?raw';
import liquidText from '../../../src/render/shaders/liquid.frag?raw';
import liquidDepthText from '../../../src/render/shaders/liquid_depth.frag?raw';
import liquidSmoothText from '../../../src/render/shaders/liquid_smooth.frag?raw';
import lightText from '../../../src/render/shaders/light.glsl?raw';
import occlusionText from '../../../src/render/shaders/occlusion.glsl?raw';
import xrayText from '../../../src/render/shaders/xray.frag?raw';
import squareText from '../../../src/render/shaders/square.vert?raw';
import type { Looks } from '../protocol.ts';
import { Through } from './through.ts';

// 0: neither shadows nor occlusion, 1: shadows, 2: both
export type Level = 0 | 1 | 2;

const MOST_LIGHTS = 8, MOST_SHADOWS = 4, SOLID = 1, FOG = 2, LIQUID = 3, CONTRAST = 4, OVER = 6, LAYERS = [4, 6, 8];
const HEAD = 'precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n';
const SHADOW_SIZES = [16, 1024, 2048], TAPS = [1, 12, 32];
const GROUND_VERTEX = 'in vec3 position;\nuniform mat4 modelMatrix, viewMatrix, projectionMatrix;\nout vec3 vPlace;\nvoid main() {\n  vPlace = (modelMatrix * vec4(position, 1.0)).xyz;\n  gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);\n}\n';

const XRAY_VERTEX = 'in float value;\nout vec3 vPlace;\nout float vCut;\nout vec2 vCoordinates;\nvoid main() {\n  vCoordinates = vec2(0.002 + 0.996 * value, 0.5);\n  vec4 p = vec4(position, 1.0);\n#ifdef USE_INSTANCING\n  p = instanceMatrix * p;\n#endif\n  vPlace = (modelMatrix * p).xyz;\n  vCut = 1.0;\n  gl_Position = projectionMatrix * viewMatrix * vec4(vPlace, 1.0);\n}\n';

const tint = (c: number[]) => new Color().setRGB(Math.max(0, c[0]), Math.max(0, c[1]), Math.max(0, c[2]), SRGBColorSpace);

interface Source { place: Vector4; way: Vector4; colour: Vector4; shadow: boolean; fixed: boolean }

// What casts shadows and hides light: solid surfaces.
export function solid(object: Object3D, yes: boolean) { if (yes) object.layers.enable(SOLID); else object.layers.disable(SOLID); }

// A volume that swallows light: it is drawn by drawFog alone.
export function fog(object: Object3D, yes: boolean) { if (yes) object.layers.set(FOG); }

// Drawn over everything, by drawOver alone.
export function over(object: Object3D) { object.layers.set(OVER); }

// Drops of a liquid: they are drawn by drawLiquid alone.
export function liquid(object: Object3D) { object.layers.set(LIQUID); }

class Studio {
  level: Level = 2;
  sources: Source[] = [];                    // the scene's own lights
  readonly ground: Mesh<PlaneGeometry, RawShaderMaterial>;
  private shadow: WebGLRenderTarget | null = null;
  private depths: WebGLRenderTarget | null = null;
  private raw: WebGLRenderTarget | null = null;
  private occlusion: WebGLRenderTarget | null = null;
  private size = new Vector2();
  private lightCamera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  private lampCamera = new PerspectiveCamera(90, 1, 0.1, 10);
  private onlyDepth = new MeshBasicMaterial({ colorWrite: false, side: DoubleSide });
  private onlyShadow = new MeshBasicMaterial({ colorWrite: false, side: DoubleSide, polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 4 });
  private square = new Mesh(new BufferGeometry());
  private squares = new Scene();
  private flat = new Camera();
  private materials = new Set<Material>();
  readonly slices = new Through();
  readonly uniforms = {
    dvUp: { value: new Vector3(0, 1, 0) }, dvKey: { value: new Vector3(0, 1, 0) }, dvLights: { value: 0 },
    dvLightPlace: { value: list(MOST_LIGHTS, () => new Vector4()) }, dvLightWay: { value: list(MOST_LIGHTS, () => new Vector4()) }, dvLightColour: { value: list(MOST_LIGHTS, () => new Vector4()) },
    dvAmbient: { value: new Vector3() }, dvShadows: { value: 0 },
    dvShadowMatrix: { value: list(MOST_SHADOWS, () => new Matrix4()) }, dvShadowWide: { value: list(MOST_SHADOWS, () => new Vector4()) },
    dvShadowMap: { value: null as Texture | null }, dvOcclusion: { value: null as Texture | null }, dvOcclusionSize: { value: new Vector2() }, dvOcclusionFrom: { value: new Vector2() }, dvCamera: { value: new Matrix4() },
  };
  private pass = {
    depths: { value: null as Texture | null }, raw: { value: null as Texture | null }, projection: { value: new Matrix4() }, unprojection: { value: new Matrix4() },
    pixelSize: { value: new Vector2() }, reach: { value: 1 },
  };
  private occlude: RawShaderMaterial; private blur: RawShaderMaterial;
  private ways: WebGLRenderTarget | null = null;
  private through = { eye: { value: new Vector3() }, towards: { value: new Vector3() }, base: { value: 0 }, contrast: { value: new Vector3() } };
  private swallowed = { ways: { value: null as Texture | null }, mu: { value: 1 } };
  private xrays: ShaderMaterial; private film: RawShaderMaterial;
  private fogged: RawShaderMaterial; private fogWays: WebGLRenderTarget | null = null; private solids: WebGLRenderTarget | null = null;
  private drops: ShaderMaterial; private calm: RawShaderMaterial; private surface: RawShaderMaterial | null = null; private pools: WebGLRenderTarget[] = []; private seen: FramebufferTexture | null = null;
  private calming = { ways: { value: null as Texture | null }, along: { value: new Vector2() }, wide: { value: 1 }, falloff: { value: 1 }, pixels: { value: 1 }, flatView: { value: false } };
  private wet = { ways: { value: null as Texture | null }, sums: { value: null as Texture | null }, behind: { value: null as Texture | null }, toPicture: { value: new Matrix4() }, bend: { value: 1 }, part: { value: new Vector4(0, 0, 1, 1) } };
  private bend: RawShaderMaterial; private taken: FramebufferTexture | null = null;
  private glass = { picture: { value: null as Texture | null }, lens: { value: new Vector2() }, aspect: { value: 1 } };
  private veil = { ways: { value: null as Texture | null } };
  private clouds = { eye: { value: new Vector3() }, towards: { value: new Vector3() }, depths: { value: null as Texture | null }, unprojection: { value: new Matrix4() }, pixelSize: { value: new Vector2() } };

  constructor() {
    const make = (fragmentShader: string, vertexShader: string, uniforms: any, more: any = {}) => new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: HEAD + vertexShader, fragmentShader, uniforms, ...more });
    this.occlude = make(HEAD + occlusionText, squareText, this.pass, { depthTest: false, depthWrite: false });
    this.blur = make(HEAD + blurText, squareText, this.pass, { depthTest: false, depthWrite: false });
    this.xrays = new ShaderMaterial({ glslVersion: GLSL3, uniforms: this.through, vertexShader: XRAY_VERTEX, fragmentShader: xrayText, side: DoubleSide, depthTest: false, depthWrite: false, transparent: true, blending: CustomBlending, blendSrc: OneFactor, blendDst: OneFactor });
    this.film = make(HEAD + filmText, squareText, this.swallowed, { depthTest: false, depthWrite: false });
    this.bend = make(HEAD + lensText, squareText, this.glass, { depthTest: false, depthWrite: false });
    this.fogged = make(HEAD + foggedText, squareText, this.veil, { depthTest: false, depthWrite: false, transparent: true });
    this.drops = new ShaderMaterial({ glslVersion: GLSL3, uniforms: this.clouds, vertexShader: XRAY_VERTEX, fragmentShader: liquidDepthText, side: DoubleSide });
    this.calm = make(HEAD + liquidSmoothText, squareText, this.calming, { depthTest: false, depthWrite: false });
    this.square.geometry.setAttribute('position', new BufferAttribute(new Float32Array(9), 3));
    this.square.frustumCulled = false;
    this.squares.add(this.square);
    this.ground = new Mesh(new PlaneGeometry(2, 2), make(this.text() + groundText, GROUND_VERTEX, { ...this.uniforms, middle: { value: new Vector3() }, radius: { value: 1 } }, { transparent: true, depthWrite: false, side: DoubleSide }));
    this.ground.renderOrder = -1;
    this.ground.frustumCulled = false;
  }

  private text() { return `${HEAD}#define DV_TAPS ${TAPS[this.level]}\n${lightText}`; }

  setLevel(level: Level) {
    if (level === this.level) return;
    this.level = level;
    this.surface?.dispose();
    this.surface = null;
    for (const target of [this.shadow, this.depths, this.raw, this.occlusion]) target?.dispose();
    this.shadow = this.depths = this.raw = this.occlusion = null;
    this.ground.material.fragmentShader = this.text() + groundText;
    this.ground.material.needsUpdate = true;
    for (const m of this.materials) m.needsUpdate = true;
  }

  // A surface of this material is lit here, not by three's lights.
  dress(material: MeshPhongMaterial, painted = false) {
    const before = material.onBeforeCompile, key = material.customProgramCacheKey;
    material.onBeforeCompile = (shader, renderer) => {
      before.call(material, shader, renderer);
      const through = material.transparent;
      Object.assign(shader.uniforms, this.uniforms, through ? this.slices.uniforms : {});
      if (painted) {
        shader.vertexShader = 'attribute vec4 paint;\nvarying vec4 vPaint;\n' + shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\n  vPaint = vec4(pow((paint.rgb + 0.055) / 1.055, vec3(2.4)), paint.a);\n  vPaint.rgb = mix(vPaint.rgb, paint.rgb / 12.92, vec3(lessThanEqual(paint.rgb, vec3(0.04045))));');
        shader.fragmentShader = 'varying vec4 vPaint;\n' + shader.fragmentShader;
      }
      shader.fragmentShader = shader.fragmentShader
        .replace('void main() {', `#define DV_TAPS ${TAPS[this.level]}\nuniform mat4 dvCamera;\n${lightText}\n${through ? `${this.slices.text}\nvoid main() {\n  if (dvOutside()) discard;` : 'void main() {'}`)
        .replace('#include <opaque_fragment>', `vec3 dvPlace = (dvCamera * vec4(-vViewPosition, 1.0)).xyz;
  vec3 dvEye = isOrthographic ? normalize(dvCamera[2].xyz) : normalize(cameraPosition - dvPlace);
  outgoingLight = dvToned(dvShade(${painted ? 'mix(diffuseColor.rgb, vPaint.rgb, vPaint.a), mix(specular, vec3(0.8), vPaint.a), mix(shininess, 60.0, vPaint.a)' : 'diffuseColor.rgb, specular, shininess'}, totalEmissiveRadiance, normalize(mat3(dvCamera) * normal), dvPlace, dvEye, gl_FragCoord.xy));
  #include <opaque_fragment>`);
    };
    material.customProgramCacheKey = () => `${key.call(material)}|studio ${this.level}${painted ? ' painted' : ''}${material.transparent ? ' through' : ''}`;
    this.materials.add(material);
    material.addEventListener('dispose', () => this.materials.delete(material));
  }

  // The lights that a scene brings stand in for those of the studio.
  take(looks: Looks | null | undefined) {
    this.sources = (looks?.lights ?? []).slice(0, MOST_LIGHTS).map((l) => {
      const way = new Vector3().fromArray(l.direction ?? [0, 0, -1]), at = new Vector3().fromArray(l.position ?? [0, 0, 0]), c = tint(l.color);
      const source: Source = { place: new Vector4(), way: new Vector4(0, 0, -1, -2), colour: new Vector4(c.r, c.g, c.b, -1), shadow: l.shadow === true, fixed: l.fixed === true };
      if (l.kind === 'directional') { way.normalize(); source.place.set(-way.x, -way.y, -way.z, 0); return source; }
      source.place.set(at.x, at.y, at.z, 1);
      if (l.kind === 'spot') {
        if (l.lookat) way.sub(at);
        way.normalize();
        source.way.set(way.x, way.y, way.z, Math.cos((Math.min(86, Math.max(1, l.cutoff ?? 30)) * Math.PI) / 180));
      }
      return source;
    });
    const ambient = tint(looks?.ambient ?? [0, 0, 0]);
    this.uniforms.dvAmbient.value.set(ambient.r, ambient.g, ambient.b);
  }

  // From above, on the left of who looks and a little from behind.
  private aim(camera: Camera, up: 'x' | 'y' | 'z') {
    const upright = new Vector3(), back = new Vector3().setFromMatrixColumn(camera.matrixWorld, 2), right = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0);
    upright[up] = 1;
    back[up] = 0;
    back.normalize();
    this.uniforms.dvUp.value.copy(upright);
    this.uniforms.dvKey.value.copy(upright).multiplyScalar(1.05).addScaledVector(right, -0.62).addScaledVector(back, 0.48).normalize();
    this.uniforms.dvCamera.value.copy(camera.matrixWorld);
    this.uniforms.dvLights.value = this.sources.length;
    this.sources.forEach((s, i) => {
      const at = this.uniforms.dvLightPlace.value[i].copy(s.place);
      if (s.fixed && s.place.w > 0.5) { const p = new Vector3(s.place.x, s.place.y, s.place.z).applyMatrix4(camera.matrixWorld); at.set(p.x, p.y, p.z, 1); }
      this.uniforms.dvLightWay.value[i].copy(s.way);
      this.uniforms.dvLightColour.value[i].copy(s.colour);
    });
  }

  private placeLight(k: number, place: Vector4, box: Box3, diagonal: number): Camera {
    const middle = box.getCenter(new Vector3()), radius = Math.max(1e-6, 0.51 * box.getSize(new Vector3()).length()), soft = 0.011 * diagonal;
    const back = new Vector3(place.x, place.y, place.z), lamp = place.w > 0.5;
    if (lamp) back.sub(middle);
    const away = back.length() || 1;
    back.divideScalar(away);
    const least = Math.abs(back.x) < Math.abs(back.y) ? (Math.abs(back.x) < Math.abs(back.z) ? 'x' : 'z') : Math.abs(back.y) < Math.abs(back.z) ? 'y' : 'z';
    const camera = lamp ? this.lampCamera : this.lightCamera, wide = this.uniforms.dvShadowWide.value[k];
    camera.up.set(0, 0, 0)[least] = 1;
    if (lamp) {
      const half = Math.min(3, away > 1.05 * radius ? radius / Math.sqrt(away * away - radius * radius) : 3);
      Object.assign(this.lampCamera, { fov: (360 / Math.PI) * Math.atan(half), aspect: 1, near: Math.max(away - radius, 0.02 * radius), far: away + radius });
      camera.position.set(place.x, place.y, place.z);
      wide.set(soft / (2 * half * Math.max(away, radius)), soft, 0, 0);
    } else {
      Object.assign(this.lightCamera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.9 * radius, far: 5 * radius });
      camera.position.copy(middle).addScaledVector(back, 2 * radius);
      wide.set(soft / (2 * radius), soft, 0, 0);
    }
    camera.lookAt(middle);
    camera.updateMatrixWorld();
    (camera as OrthographicCamera).updateProjectionMatrix();
    camera.layers.set(SOLID);
    this.uniforms.dvShadowMatrix.value[k].set(0.5, 0, 0, 0.5, 0, 0.5, 0, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1).multiply(camera.projectionMatrix).multiply(camera.matrixWorldInverse);
    return camera;
  }

  private castShadows(renderer: WebGLRenderer, scene: Scene, box: Box3, diagonal: number) {
    const places: Vector4[] = [], key = this.uniforms.dvKey.value;
    if (!this.sources.length) places.push(new Vector4(key.x, key.y, key.z, 0));
    this.sources.forEach((s, i) => {
      const there = s.shadow && places.length < MOST_SHADOWS;
      this.uniforms.dvLightColour.value[i].w = there ? places.length : -1;
      if (there) places.push(this.uniforms.dvLightPlace.value[i]);
    });
    this.uniforms.dvShadows.value = this.level > 0 ? places.length : 0;
    const size = SHADOW_SIZES[this.level];
    if (!this.shadow) {
      const depthTexture = new DepthTexture(size, size, UnsignedIntType);
      depthTexture.compareFunction = LessEqualCompare;
      depthTexture.minFilter = depthTexture.magFilter = LinearFilter;
      this.shadow = new WebGLRenderTarget(size, size, { depthTexture });
      renderer.setRenderTarget(this.shadow);       // a map that is never drawn must still be there
      renderer.clear();
    }
    this.uniforms.dvShadowMap.value = this.shadow.depthTexture;
    if (this.level === 0) return;
    renderer.setRenderTarget(this.shadow);
    renderer.clear();
    scene.overrideMaterial = this.onlyShadow;
    const part = places.length > 1 ? size / 2 : size;
    places.forEach((place, k) => {
      this.shadow!.viewport.set((k & 1) * part, (k >> 1) * part, part, part);
      renderer.setRenderTarget(this.shadow);
      renderer.render(scene, this.placeLight(k, place, box, diagonal));
    });
  }

  private findOcclusion(renderer: WebGLRenderer, scene: Scene, camera: Camera, diagonal: number) {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2());
    this.uniforms.dvOcclusionSize.value.set(0, 0);
    if (this.level < 2) return;
    if (!this.depths || this.size.x !== width || this.size.y !== height) {
      for (const target of [this.depths, this.raw, this.occlusion]) target?.dispose();
      const depthTexture = new DepthTexture(width, height, UnsignedIntType);
      depthTexture.minFilter = depthTexture.magFilter = NearestFilter;
      this.depths = new WebGLRenderTarget(width, height, { depthTexture });
      this.raw = new WebGLRenderTarget(width, height, { depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter });
      this.occlusion = new WebGLRenderTarget(width, height, { depthBuffer: false });
      this.size.set(width, height);
    }
    scene.overrideMaterial = this.onlyDepth;
    const layers = camera.layers.mask;
    camera.layers.set(SOLID);
    solid(this.ground, this.ground.visible);
    renderer.setRenderTarget(this.depths);
    renderer.clear();
    renderer.render(scene, camera);
    solid(this.ground, false);
    camera.layers.mask = layers;
    this.pass.depths.value = this.depths.depthTexture;
    this.pass.raw.value = this.raw!.texture;
    this.pass.projection.value.copy(camera.projectionMatrix);
    this.pass.unprojection.value.copy(camera.projectionMatrixInverse);
    this.pass.pixelSize.value.set(1 / width, 1 / height);
    this.pass.reach.value = 0.055 * diagonal;
    for (const [material, target] of [[this.occlude, this.raw!], [this.blur, this.occlusion!]] as const) {
      if (target === this.raw) this.pass.raw.value = null;
      else this.pass.raw.value = this.raw!.texture;
      this.square.material = material;
      renderer.setRenderTarget(target);
      renderer.render(this.squares, this.flat);
    }
    this.uniforms.dvOcclusion.value = this.occlusion!.texture;
    this.uniforms.dvOcclusionSize.value.set(1 / width, 1 / height);
  }

  // Before the picture itself is drawn. `box`: around all that is shown now; `floor`: height of the ground.
  prepare(renderer: WebGLRenderer, scene: Scene, camera: Camera, view: { up: 'x' | 'y' | 'z'; box: Box3; diagonal: number; floor: number }) {
    this.aim(camera, view.up);
    this.placeGround(camera, view);
    const background = scene.background, clear = renderer.autoClear;
    scene.background = null;
    renderer.autoClear = false;
    this.castShadows(renderer, scene, view.box, view.diagonal);
    this.findOcclusion(renderer, scene, camera, view.diagonal);
    scene.overrideMaterial = null;
    scene.background = background;
    renderer.autoClear = clear;
    renderer.setRenderTarget(null);
  }

  // As X-rays see the solid bodies, which swallow a part `mu` of a ray with each metre: instead of the picture itself.
  drawXray(renderer: WebGLRenderer, scene: Scene, camera: Camera, mu: number, distance: number) {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2());
    if (!this.ways || this.ways.width !== width || this.ways.height !== height) {
      this.ways?.dispose();
      this.ways = new WebGLRenderTarget(width, height, { type: FloatType, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter });
    }
    const ortho = (camera as OrthographicCamera).isOrthographicCamera === true, layers = camera.layers.mask, background = scene.background, clear = renderer.getClearColor(new Color()), alpha = renderer.getClearAlpha();
    this.through.eye.value.setFromMatrixPosition(camera.matrixWorld);
    this.through.towards.value.set(0, 0, 0);
    if (ortho) this.through.towards.value.setFromMatrixColumn(camera.matrixWorld, 2);
    this.through.base.value = distance;
    scene.background = null;
    scene.overrideMaterial = this.xrays;
    camera.layers.set(SOLID);
    const agents: Object3D[] = [];   // these count for themselves
    scene.traverse((o) => { if (o.userData.absorption && o.layers.isEnabled(SOLID)) { o.layers.disable(SOLID); agents.push(o); } });
    this.through.contrast.value.set(0, 0, 0);
    this.swallowed.mu.value = mu;
    renderer.setClearColor('#000000', 0);
    renderer.setRenderTarget(this.ways);
    renderer.clear();
    renderer.render(scene, camera);
    if (agents.length) {
      const auto = renderer.autoClear;
      renderer.autoClear = false;
      camera.layers.set(CONTRAST);
      renderer.render(scene, camera);
      renderer.autoClear = auto;
    }
    for (const o of agents) o.layers.enable(SOLID);
    renderer.setClearColor(clear, alpha);
    camera.layers.mask = layers;
    scene.overrideMaterial = null;
    scene.background = background;
    this.swallowed.ways.value = this.ways.texture;
    this.swallowed.mu.value = mu;
    this.square.material = this.film;
    renderer.setRenderTarget(null);
    renderer.render(this.squares, this.flat);
  }

  // The picture itself: what hides other things, and after liquids what lets light through, and what is drawn over all of it.
  beginPicture(renderer: WebGLRenderer, scene: Scene, camera: Camera) {
    this.slices.begin(scene, this.materials);
    renderer.render(scene, camera);
  }

  endPicture(renderer: WebGLRenderer, scene: Scene, camera: Camera, fog: boolean) {
    this.slices.draw(renderer, scene, camera, this.materials, LAYERS[this.level]);
    if (fog) this.drawFog(renderer, scene, camera);
    this.drawOver(renderer, scene, camera);
  }

  private drawOver(renderer: WebGLRenderer, scene: Scene, camera: Camera) {
    const { background } = scene, auto = renderer.autoClear, layers = camera.layers.mask;
    scene.background = null;
    renderer.autoClear = false;
    camera.layers.set(OVER);
    renderer.setRenderTarget(null);
    renderer.render(scene, camera);
    camera.layers.mask = layers;
    renderer.autoClear = auto;
    scene.background = background;
  }

  // A second picture inside the first, in light and shadows of that one. `at`: x, y, width, height in pixels of the drawing buffer.
  drawInset(renderer: WebGLRenderer, scene: Scene, camera: Camera, at: [number, number, number, number], diagonal: number, fog: boolean) {
    const ratio = renderer.getPixelRatio(), before = this.uniforms.dvCamera.value.clone(), { width, height } = renderer.getDrawingBufferSize(new Vector2());
    const background = scene.background, clear = renderer.autoClear, ground = this.ground.visible;
    scene.background = null;
    renderer.autoClear = false;
    this.findOcclusion(renderer, scene, camera, diagonal);
    if (this.level === 2) { this.uniforms.dvOcclusionSize.value.set(1 / at[2], 1 / at[3]); this.uniforms.dvOcclusionFrom.value.set(at[0], at[1]); }
    scene.overrideMaterial = null;
    scene.background = background;
    renderer.autoClear = clear;
    renderer.setRenderTarget(null);
    this.uniforms.dvCamera.value.copy(camera.matrixWorld);
    const view: [number, number, number, number] = [at[0] / ratio, at[1] / ratio, at[2] / ratio, at[3] / ratio];
    renderer.setScissorTest(true);
    renderer.setScissor(...view);
    renderer.setViewport(...view);
    this.beginPicture(renderer, scene, camera);
    this.endPicture(renderer, scene, camera, fog);
    renderer.setScissorTest(false);
    renderer.setViewport(0, 0, width / ratio, height / ratio);
    this.uniforms.dvCamera.value.copy(before);
    this.uniforms.dvOcclusionFrom.value.set(0, 0);
    this.ground.visible = ground;
  }

  // The picture that was drawn, as a lens bends it.
  drawLens(renderer: WebGLRenderer, lens: [number, number]) {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2());
    if (!this.taken || this.taken.image.width !== width || this.taken.image.height !== height) {
      this.taken?.dispose();
      this.taken = new FramebufferTexture(width, height);
      this.taken.minFilter = this.taken.magFilter = LinearFilter;
    }
    renderer.copyFramebufferToTexture(this.taken);
    this.glass.picture.value = this.taken;
    this.glass.lens.value.set(lens[0], lens[1]);
    this.glass.aspect.value = width / height;
    this.square.material = this.bend;
    renderer.render(this.squares, this.flat);
  }

  // The look of a volume that swallows light.
  fogMaterial(colour: Color, mu: number): ShaderMaterial {
    const c = colour.clone().convertLinearToSRGB();
    return new ShaderMaterial({ glslVersion: GLSL3, uniforms: { ...this.clouds, colour: { value: new Vector4(c.r, c.g, c.b, mu) } }, vertexShader: XRAY_VERTEX, fragmentShader: fogText, side: DoubleSide, depthTest: false, depthWrite: false, transparent: true, blending: CustomBlending, blendSrc: OneFactor, blendDst: OneFactor });
  }

  // Depths of solid bodies and the ground as the camera sees them.
  drawDepths(renderer: WebGLRenderer, scene: Scene, camera: Camera): DepthTexture {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2());
    if (!this.solids || this.solids.width !== width || this.solids.height !== height) {
      this.solids?.dispose();
      const depthTexture = new DepthTexture(width, height, UnsignedIntType);
      depthTexture.minFilter = depthTexture.magFilter = NearestFilter;
      this.solids = new WebGLRenderTarget(width, height, { depthTexture });
    }
    const layers = camera.layers.mask, background = scene.background, auto = renderer.autoClear;
    scene.background = null;
    renderer.autoClear = false;
    scene.overrideMaterial = this.onlyDepth;
    camera.layers.set(SOLID);
    solid(this.ground, this.ground.visible);
    renderer.setRenderTarget(this.solids);
    renderer.clear();
    renderer.render(scene, camera);
    solid(this.ground, false);
    scene.overrideMaterial = null;
    scene.background = background;
    renderer.autoClear = auto;
    camera.layers.mask = layers;
    return this.solids.depthTexture!;
  }

  // Its values are those of a contrast agent, which swallows X-rays: `absorption` in 1/m for a value of 1.
  contrast(mesh: Mesh, absorption: number) {
    mesh.userData.absorption = absorption;
    mesh.layers.enable(CONTRAST);
    mesh.onBeforeRender = (_r, _s, _c, _g, material) => {
      if (material !== this.xrays) return;
      this.through.contrast.value.set(0, 1, absorption / this.swallowed.mu.value);
      this.xrays.uniformsNeedUpdate = true;
    };
  }

  // Volumes that swallow light, over the picture: the way of each ray inside them up to the first solid body.
  drawFog(renderer: WebGLRenderer, scene: Scene, camera: Camera) {
    const restore = this.measureSolids(renderer, scene, camera);
    this.drawLayer(renderer, scene, camera, this.fogWays!, FOG);
    restore();
    this.veil.ways.value = this.fogWays!.texture;
    this.drawSquare(renderer, null, this.fogged);
  }

  private drawSquare(renderer: WebGLRenderer, target: WebGLRenderTarget | null, material: Material) {
    const auto = renderer.autoClear;
    renderer.autoClear = false;
    this.square.material = material;
    renderer.setRenderTarget(target);
    renderer.render(this.squares, this.flat);
    renderer.autoClear = auto;
  }

  private drawLayer(renderer: WebGLRenderer, scene: Scene, camera: Camera, target: WebGLRenderTarget, layer: number) {
    camera.layers.set(layer);
    renderer.setClearColor('#000000', 0);
    renderer.setRenderTarget(target);
    renderer.clear();
    renderer.render(scene, camera);
  }

  // How far solid bodies are, for what is measured up to them. Gives back what was set after a call of its result.
  private measureSolids(renderer: WebGLRenderer, scene: Scene, camera: Camera): () => void {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2());
    if (!this.fogWays || this.fogWays.width !== width || this.fogWays.height !== height) {
      this.fogWays?.dispose();
      this.fogWays = new WebGLRenderTarget(width, height, { type: FloatType, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter });
    }
    const ortho = (camera as OrthographicCamera).isOrthographicCamera === true, layers = camera.layers.mask, background = scene.background, clear = renderer.getClearColor(new Color()), alpha = renderer.getClearAlpha(), auto = renderer.autoClear;
    this.clouds.eye.value.setFromMatrixPosition(camera.matrixWorld);
    this.clouds.towards.value.set(0, 0, 0);
    if (ortho) this.clouds.towards.value.setFromMatrixColumn(camera.matrixWorld, 2);
    this.clouds.unprojection.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse).invert();
    this.clouds.pixelSize.value.set(1 / width, 1 / height);
    this.clouds.depths.value = null;
    const depths = this.drawDepths(renderer, scene, camera);
    scene.background = null;
    renderer.autoClear = false;
    this.clouds.depths.value = depths;
    return () => {
      renderer.setClearColor(clear, alpha);
      camera.layers.mask = layers;
      scene.background = background;
      renderer.autoClear = auto;
    };
  }

  // Drops of a liquid as one surface over the picture, as src/render/paint_liquid.c does it.
  drawLiquid(renderer: WebGLRenderer, scene: Scene, camera: Camera, wide: number, deep: number) {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2());
    if (!this.seen || this.seen.image.width !== width || this.seen.image.height !== height) {
      this.seen?.dispose();
      this.seen = new FramebufferTexture(width, height);
      this.seen.minFilter = this.seen.magFilter = LinearFilter;
      for (const old of this.pools) old.dispose();
      this.pools = [true, false].map((depthBuffer) => new WebGLRenderTarget(width, height, { type: FloatType, depthBuffer, minFilter: NearestFilter, magFilter: NearestFilter }));
    }
    this.surface ??= new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: HEAD + squareText, fragmentShader: this.text() + liquidText, uniforms: { ...this.uniforms, ...this.clouds, ...this.wet } });
    renderer.copyFramebufferToTexture(this.seen);
    const restore = this.measureSolids(renderer, scene, camera), [first, second] = this.pools;
    scene.overrideMaterial = this.drops;
    this.drawLayer(renderer, scene, camera, first, LIQUID);
    scene.overrideMaterial = null;
    this.drawLayer(renderer, scene, camera, this.fogWays!, LIQUID);
    restore();
    this.calming.wide.value = wide;
    this.calming.falloff.value = deep;
    this.calming.pixels.value = 0.5 * height * camera.projectionMatrix.elements[5];
    this.calming.flatView.value = (camera as OrthographicCamera).isOrthographicCamera === true;
    for (let pass = 0; pass < 4; pass++) {
      this.calming.along.value.set(pass % 2 ? 0 : 1 / width, pass % 2 ? 1 / height : 0);
      this.calming.ways.value = (pass % 2 ? second : first).texture;
      this.drawSquare(renderer, pass % 2 ? first : second, this.calm);
    }
    this.wet.ways.value = first.texture;
    this.wet.sums.value = this.fogWays!.texture;
    this.wet.behind.value = this.seen;
    this.wet.toPicture.value.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse);
    this.wet.bend.value = wide;
    this.drawSquare(renderer, null, this.surface);
  }

  private placeGround(camera: Camera, view: { up: 'x' | 'y' | 'z'; box: Box3; diagonal: number; floor: number }) {
    const { up, box, diagonal, floor } = view, radius = 2.6 * Math.max(diagonal, 1e-6), middle = box.getCenter(new Vector3());
    middle[up] = floor;
    this.ground.visible = this.level > 0 && !box.isEmpty() && new Vector3().setFromMatrixPosition(camera.matrixWorld)[up] > floor;
    this.ground.position.copy(middle);
    this.ground.scale.setScalar(radius);
    this.ground.rotation.set(up === 'y' ? -Math.PI / 2 : 0, up === 'x' ? Math.PI / 2 : 0, 0);
    this.ground.updateMatrixWorld();
    this.ground.material.uniforms.middle.value.copy(middle);
    this.ground.material.uniforms.radius.value = radius;
  }
}

function list<T>(count: number, make: () => T): T[] { return Array.from({ length: count }, make); }

export const studio = new Studio();
