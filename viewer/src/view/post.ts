// PostProcessManager: a program of the scene works on the finished picture, which it reads as colorTexture, with the depths of
// solid bodies and the ground as depthTexture. src/render/paint_post.c does the same.
import {
  BufferAttribute, BufferGeometry, Camera, FloatType, FramebufferTexture, GLSL3, LinearFilter, Matrix4, Mesh, NearestFilter, RawShaderMaterial, Scene, Vector2, WebGLRenderTarget,
  type Texture, type WebGLRenderer,
} from 'three';
import depthsText from '../../../src/render/shaders/depths.frag?raw';
import squareText from '../../../src/render/shaders/square.vert?raw';
import type { PostInfo } from '../protocol.ts';
import type { Arrays } from './arrays.ts';
import type { Program } from './program.ts';
import { studio } from './studio.ts';

const HEAD = 'precision highp float;\nprecision highp int;\nprecision highp sampler2D;\n';
const CORNERS = [0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1];

export class Post {
  private program: Program;
  private info: PostInfo;
  private flat = new Camera();
  private scene = new Scene();
  private square = new Mesh(new BufferGeometry());
  private values = { depths: { value: null as Texture | null }, unprojection: { value: new Matrix4() }, between: { value: new Vector2() } };
  private far = new RawShaderMaterial({ glslVersion: GLSL3, vertexShader: HEAD + squareText, fragmentShader: HEAD + depthsText, uniforms: this.values, depthTest: false, depthWrite: false });
  private taken: FramebufferTexture | null = null;
  private depths: WebGLRenderTarget | null = null;
  private pixel = new Vector2();

  constructor(program: Program, info: PostInfo) {
    this.program = program;
    this.info = info;
    const places = CORNERS.flatMap((v, i) => (i % 2 ? [2 * v - 1, 0] : [2 * v - 1]));
    for (const [name, values, width] of [['position', places, 3], ['dv_place', places, 3], ['dv_normal', places, 3], ['dv_at', CORNERS, 2]] as const) this.square.geometry.setAttribute(name, new BufferAttribute(new Float32Array(values), width));
    this.square.frustumCulled = false;
    this.scene.add(this.square);
    Object.assign(program.material, { depthTest: false, depthWrite: false, transparent: false });
    program.material.uniforms.pixelSize = { value: this.pixel };
  }

  private size(width: number, height: number) {
    if (this.taken?.image.width === width && this.taken.image.height === height) return;
    this.taken?.dispose();
    this.depths?.dispose();
    this.taken = new FramebufferTexture(width, height);
    this.taken.minFilter = this.taken.magFilter = LinearFilter;
    this.depths = new WebGLRenderTarget(width, height, { type: FloatType, depthBuffer: false, minFilter: NearestFilter, magFilter: NearestFilter });
    this.pixel.set(1 / width, 1 / height);
  }

  // Over the picture that was just drawn.
  draw(renderer: WebGLRenderer, scene: Scene, camera: Camera, arrays: Arrays) {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2()), auto = renderer.autoClear, u = this.program.material.uniforms;
    this.size(width, height);
    renderer.copyFramebufferToTexture(this.taken!);
    this.values.depths.value = studio.drawDepths(renderer, scene, camera);
    this.values.unprojection.value.copy(camera.projectionMatrixInverse);
    this.values.between.value.set(this.info.near, this.info.far);
    renderer.autoClear = false;
    this.square.material = this.far;
    renderer.setRenderTarget(this.depths);
    renderer.render(this.scene, this.flat);
    this.program.update(arrays);
    this.program.see(this.flat);
    if (u.colorTexture) u.colorTexture.value = this.taken;
    if (u.depthTexture) u.depthTexture.value = this.depths!.texture;
    this.square.material = this.program.material;
    renderer.setRenderTarget(null);
    renderer.render(this.scene, this.flat);
    renderer.autoClear = auto;
  }

  dispose() { this.program.dispose(); this.far.dispose(); this.square.geometry.dispose(); this.taken?.dispose(); this.depths?.dispose(); }
}
