// Surfaces that the scene draws with programs of its own (OglShader): texts for WebGL 2 come translated from `divan`, which
// draws the same without a screen (src/render/paint_shader.c). What begins with dv_ is what old GLSL had built in.
import {
  ClampToEdgeWrapping, Color, CubeTexture, DataTexture, DoubleSide, GLSL3, LinearFilter, LinearMipmapLinearFilter, Matrix3, Matrix4, NearestFilter, NoColorSpace, RawShaderMaterial,
  RepeatWrapping, SRGBColorSpace, Texture, Vector3, Vector4, type Camera, type WebGLRenderer,
} from 'three';
import type { Material, ShaderInfo } from '../protocol.ts';
import type { Arrays } from './arrays.ts';
import { fetchTexture, picture } from './shape.ts';
import { studio } from './studio.ts';

export interface Active { name: string; type: number; size: number }
export type Compiled = { good: true; uniforms: Active[] } | { good: false; log: string; stage: 'vertex' | 'fragment' | 'both' };

// Compiles a program only to see whether it can be, and what it has.
export function compile(renderer: WebGLRenderer, info: ShaderInfo): Compiled {
  const gl = renderer.getContext() as WebGL2RenderingContext, program = gl.createProgram()!, made: WebGLShader[] = [];
  try {
    for (const [kind, text] of [['vertex', info.vertex], ['fragment', info.fragment]] as const) {
      const shader = gl.createShader(kind === 'vertex' ? gl.VERTEX_SHADER : gl.FRAGMENT_SHADER)!;
      made.push(shader);
      gl.shaderSource(shader, `#version 300 es\n${text ?? ''}`);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) return { good: false, log: gl.getShaderInfoLog(shader) ?? '', stage: kind };
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) return { good: false, log: gl.getProgramInfoLog(program) ?? '', stage: 'both' };
    const uniforms: Active[] = [];
    for (let i = 0; i < (gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) ?? 0); i++) {
      const u = gl.getActiveUniform(program, i);
      if (u) uniforms.push({ name: u.name.replace(/\[0\]$/, ''), type: u.type, size: u.size });
    }
    return { good: true, uniforms };
  } finally { made.forEach((s) => gl.deleteShader(s)); gl.deleteProgram(program); }
}

export function complain(info: ShaderInfo, c: Extract<Compiled, { good: false }>): string {
  const file = c.stage === 'fragment' ? info.files[1] : info.files[0], log = c.log.replace(/\0/g, '').trim();
  if (c.stage === 'both' && info.geometry) return `${info.files[0]}: pages know no geometry shaders, and without it the stages do not fit together; what they draw is drawn plainly (divan run --picture has it): ${log}`;
  if (c.stage === 'both') return `${info.files[0]} and ${info.files[1]} do not fit together; what they draw is drawn plainly: ${log}`;
  return `the ${c.stage} shader ${file} does not compile; what it draws is drawn plainly: ${log}`;
}

const MOST = 8, CUBE = 0x8b60, SAMPLERS = new Set([0x8b5e, 0x8b62, 0x8b60, 0x8b5f]);
let white: DataTexture | null = null;
function blank(): Texture {
  if (!white) { white = new DataTexture(new Uint8Array([255, 255, 255, 255]), 1, 1); white.needsUpdate = true; }
  return white;
}

function sampler(s: ShaderInfo['samplers'][number], loaded: () => void): Texture {
  if (!s.file) return blank();
  const t = fetchTexture(s.file, loaded);
  t.colorSpace = s.srgb ? SRGBColorSpace : NoColorSpace;
  t.wrapS = t.wrapT = s.repeat ? RepeatWrapping : ClampToEdgeWrapping;
  t.magFilter = s.smooth ? LinearFilter : NearestFilter;
  t.minFilter = s.smooth ? LinearMipmapLinearFilter : NearestFilter;
  return t;
}

// Six pictures around whoever looks; white until all of them have come, and where they are not there or no squares of one size.
let pale: CubeTexture | null = null;
function cube(s: ShaderInfo['samplers'][number] | undefined, loaded: () => void): CubeTexture {
  if (!pale) { pale = new CubeTexture(Array.from({ length: 6 }, () => { const c = document.createElement('canvas'); c.width = c.height = 1; const p = c.getContext('2d')!; p.fillStyle = '#fff'; p.fillRect(0, 0, 1, 1); return c; })); pale.needsUpdate = true; }
  if (!s?.cube || s.cube.some((f) => !f)) return pale;
  const t = new CubeTexture();
  t.colorSpace = s.srgb ? SRGBColorSpace : NoColorSpace;
  t.magFilter = s.smooth ? LinearFilter : NearestFilter;
  t.minFilter = s.smooth ? LinearMipmapLinearFilter : NearestFilter;
  t.images = pale.images.slice();
  t.needsUpdate = true;
  let left = 6;
  const sides = s.cube.map((f) => fetchTexture(f!, () => {
    if (--left) return;
    const images = sides.map((x) => x.image as HTMLImageElement), size = images[0].width;
    if (images.every((i) => i.width === size && i.height === size)) { t.dispose(); t.images = images; t.needsUpdate = true; }
    loaded();
  }));
  return t;
}

const four = (c: number[] | undefined, otherwise: number[]) => new Vector4().fromArray([...(c ?? otherwise), 1, 1, 1, 1].slice(0, 4));
const lamp = () => ({
  ambient: new Vector4(0, 0, 0, 1), diffuse: new Vector4(0, 0, 0, 1), specular: new Vector4(0, 0, 0, 1), position: new Vector4(0, 0, 1, 0), halfVector: new Vector4(), spotDirection: new Vector3(0, 0, -1),
  spotExponent: 0, spotCutoff: 180, spotCosCutoff: -1, constantAttenuation: 1, linearAttenuation: 0, quadraticAttenuation: 0,
});

export class Program {
  readonly material: RawShaderMaterial;
  private info: ShaderInfo;
  private own: Texture[] = [];
  private look: { emission: Vector4; ambient: Vector4; diffuse: Vector4; specular: Vector4; shininess: number };
  private lamps = Array.from({ length: MOST }, lamp);
  private products = Array.from({ length: MOST }, () => ({ ambient: new Vector4(), diffuse: new Vector4(), specular: new Vector4() }));
  private around = new Vector4(0.3, 0.3, 0.3, 1);

  constructor(info: ShaderInfo, uniforms: Active[], m: Material, loaded: () => void) {
    this.info = info;
    this.look = { emission: four(m.emissive?.slice(0, 3), [0, 0, 0]), ambient: four(m.ambient?.slice(0, 3), [0, 0, 0]), diffuse: four(m.diffuse, [0.75, 0.75, 0.75, 1]), specular: four(m.specular?.slice(0, 3), [0, 0, 0]), shininess: m.shininess ?? 30 };
    const values: Record<string, { value: unknown }> = {
      dv_ModelView: { value: new Matrix4() }, dv_Projection: { value: new Matrix4() }, dv_NormalMatrix: { value: new Matrix3() }, dv_Material: { value: this.look },
      dv_LightSource: { value: this.lamps }, dv_LightModel: { value: { ambient: this.around } }, dv_LightModelProduct: { value: { sceneColor: new Vector4() } }, dv_LightProduct: { value: this.products },
    };
    for (const u of uniforms) {
      if (!SAMPLERS.has(u.type)) continue;
      const given = info.samplers.find((s) => s.name === u.name);
      const texture = u.type === CUBE ? cube(given, loaded) : given && !given.cube ? sampler(given, loaded) : m.texture ? picture(m.texture, loaded) : blank();
      if (given?.file || given?.cube) this.own.push(texture);
      values[u.name] = { value: texture };
    }
    for (const u of info.uniforms) if (uniforms.some((a) => a.name === u.name)) values[u.name] = { value: u.rows * u.columns > 1 ? new Float32Array(u.rows * u.columns) : 0 };
    const through = (m.diffuse?.[3] ?? 1) < 0.999;
    this.material = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: info.vertex!, fragmentShader: info.fragment!, uniforms: values, side: DoubleSide, transparent: through });
  }

  // Values of the scene, which may change with it.
  update(arrays: Arrays) {
    for (const u of this.info.uniforms) {
      const place = this.material.uniforms[u.name], data = arrays.get(u.array)?.data;
      if (!place || !data) continue;
      const width = u.rows * u.columns, list = Array.from(data as Float32Array);
      if (u.transpose && u.columns > 1) for (let m = 0; m + width <= list.length; m += width) {
        const x = list.slice(m, m + width);
        for (let c = 0; c < u.columns; c++) for (let r = 0; r < u.rows; r++) list[m + c * u.rows + r] = x[r * u.columns + c];
      }
      place.value = list.length === 1 ? list[0] : u.kind === 'int' ? new Int32Array(list) : new Float32Array(list);
    }
    this.material.uniformsNeedUpdate = true;
  }

  // Before it is drawn: matrices and lights in the frame of the eye.
  see(camera: Camera) {
    const u = this.material.uniforms, view = camera.matrixWorldInverse;
    u.dv_ModelView.value.copy(view);
    u.dv_Projection.value.copy(camera.projectionMatrix);
    u.dv_NormalMatrix.value.setFromMatrix4(view);
    const { dvLights, dvLightPlace, dvLightWay, dvLightColour, dvKey, dvAmbient } = studio.uniforms, lights = dvLights.value, colour = new Color();
    for (let i = 0; i < MOST; i++) {
      const l = Object.assign(this.lamps[i], lights || i ? {} : { spotExponent: 0 });
      if (i >= Math.max(1, lights)) continue;
      l.position.copy(lights ? dvLightPlace.value[i] : new Vector4(dvKey.value.x, dvKey.value.y, dvKey.value.z, 0)).applyMatrix4(view);
      const towards = new Vector3(l.position.x, l.position.y, l.position.z).normalize();
      towards.z += 1;
      towards.normalize();
      l.halfVector.set(towards.x, towards.y, towards.z, 0);
      if (lights) colour.setRGB(dvLightColour.value[i].x, dvLightColour.value[i].y, dvLightColour.value[i].z).convertLinearToSRGB();
      else colour.setRGB(1, 1, 1);
      l.diffuse.set(colour.r, colour.g, colour.b, 1);
      l.specular.copy(l.diffuse);
      const way = dvLightWay.value[i];
      if (!lights || way.w < -1.5) continue;
      l.spotDirection.set(way.x, way.y, way.z).transformDirection(view);
      Object.assign(l, { spotCosCutoff: way.w, spotCutoff: (Math.acos(way.w) * 180) / Math.PI, spotExponent: 1 });
    }
    if (lights) { colour.setRGB(dvAmbient.value.x, dvAmbient.value.y, dvAmbient.value.z).convertLinearToSRGB(); this.around.set(colour.r, colour.g, colour.b, 1); }
    else this.around.set(0.3, 0.3, 0.3, 1);
    u.dv_LightModelProduct.value.sceneColor.copy(this.around).multiply(this.look.ambient).add(this.look.emission);
    this.products.forEach((p, i) => { for (const part of ['ambient', 'diffuse', 'specular'] as const) p[part].copy(this.look[part]).multiply(this.lamps[i][part]); });
    this.material.uniformsNeedUpdate = true;
  }

  dispose() { this.material.dispose(); this.own.forEach((t) => { if (t !== pale) t.dispose(); }); }
}
