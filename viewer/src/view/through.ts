// What lets light through, from far to near in each pixel, however bodies lie inside and across each other: the depths of its
// nearest surfaces are peeled off, and the bodies are drawn once for each slice between them (src/render/shaders/layers.glsl).
// src/render/paint_through.c does the same with as many surfaces as there are.
import {
  DepthTexture, DoubleSide, FloatType, Mesh, MeshBasicMaterial, NearestFilter, NoBlending, RedFormat, Vector2, Vector4, WebGLRenderTarget,
  type Camera, type Color, type Material, type Scene, type Texture, type WebGLRenderer,
} from 'three';
import layersText from '../../../src/render/shaders/layers.glsl?raw';

const THROUGH = 5, MOST_BYTES = 1.6e8, BYTES = 5;      // of a pixel of a layer

export class Through {
  readonly text = layersText;
  readonly uniforms = { dvBefore: { value: null as Texture | null }, dvHere: { value: null as Texture | null }, dvAfter: { value: null as Texture | null }, dvSlice: { value: 0 } };
  thorough = false;              // a still picture takes as many layers as it may have
  again: (() => void) | null = null;   // the picture lacks layers
  private needed = Infinity;     // layers with something in them, as far as is known
  private queries: WebGLQuery[] = [];
  private asked = 0;             // of these, by the picture whose answers are on their way
  private targets: WebGLRenderTarget[] = [];
  private bodies: Mesh[] = [];
  private hidden: Material[] = [];
  private next = new MeshBasicMaterial({ side: DoubleSide, colorWrite: false, blending: NoBlending });

  constructor() {
    this.next.onBeforeCompile = (shader) => {
      Object.assign(shader.uniforms, this.uniforms);
      shader.fragmentShader = shader.fragmentShader.replace('void main() {', `${layersText}\nvoid main() {
  if (dvSlice != 0 && gl_FragCoord.z <= texelFetch(dvBefore, ivec2(gl_FragCoord.xy), 0).r + DV_SAME) discard;
  gl_FragDepth = gl_FragCoord.z;`);
    };
    this.next.customProgramCacheKey = () => 'next surface';
  }

  // Before the picture is drawn: these bodies are left out of it. `dressed`: materials that know slices.
  begin(scene: Scene, dressed: Set<Material>) {
    this.bodies = [];
    this.hidden = [...dressed].filter((m) => m.transparent);
    if (!this.hidden.length) return;
    const first = new Map<Mesh, Material & { color: Color }>();
    scene.traverseVisible((o) => {
      const m = o instanceof Mesh ? [o.material].flat().find((one) => one.transparent && dressed.has(one)) : null;
      if (m) first.set(o as Mesh, m);
    });
    // alike deep: in the order of colours, not of the scene
    const key = (o: Mesh) => { const { opacity, color } = first.get(o)!; return [opacity, color.b, color.g, color.r]; };
    this.bodies = [...first.keys()].sort((a, b) => { const x = key(a), y = key(b), k = x.findIndex((v, i) => v !== y[i]); return k < 0 ? 0 : y[k] - x[k]; });
    this.bodies.forEach((o, i) => { o.renderOrder = i; o.layers.enable(THROUGH); });
    for (const m of this.hidden) m.visible = false;
  }

  // How many layers there are is told after a while. One more than that is always drawn, to see when there are more.
  private async learn(gl: WebGL2RenderingContext) {
    const done = () => gl.isContextLost() || gl.getQueryParameter(this.queries[this.asked - 1], gl.QUERY_RESULT_AVAILABLE);
    while (!done()) await new Promise((next) => requestAnimationFrame(next));
    const count = this.asked, used = gl.isContextLost() ? count : this.queries.slice(0, count).findIndex((q) => !gl.getQueryParameter(q, gl.QUERY_RESULT));
    this.asked = 0;
    this.needed = used < 0 || gl.isContextLost() ? Infinity : used;
    if (this.needed === Infinity && count < this.targets.length) this.again?.();
  }

  // After what hides other things, over the same part of the canvas. `most`: layers.
  draw(renderer: WebGLRenderer, scene: Scene, camera: Camera, dressed: Set<Material>, most: number) {
    for (const m of this.hidden) m.visible = true;
    if (!this.bodies.length) return;
    const others = [...dressed].filter((m) => !m.transparent && m.visible);      // parts of the same bodies
    for (const m of others) m.visible = false;
    const { background } = scene, auto = renderer.autoClear, layers = camera.layers.mask;
    scene.background = null;
    renderer.autoClear = false;
    camera.layers.set(THROUGH);
    const count = this.peel(renderer, scene, camera, most);
    renderer.setRenderTarget(null);
    for (let k = count; k >= 0; k--) {
      this.take(k - 1, k, k + 1, count);
      renderer.render(scene, camera);
    }
    this.uniforms.dvSlice.value = 0;
    for (const o of this.bodies) o.layers.disable(THROUGH);
    for (const m of others) m.visible = true;
    camera.layers.mask = layers;
    renderer.autoClear = auto;
    scene.background = background;
  }

  private take(before: number, here: number, after: number, count: number) {
    const u = this.uniforms;
    u.dvSlice.value = 0;
    [u.dvBefore, u.dvHere, u.dvAfter].forEach((place, bit) => {
      const k = [before, here, after][bit], there = k >= 0 && k < count;
      place.value = there ? this.targets[k].depthTexture : null;
      if (there) u.dvSlice.value |= 1 << bit;
    });
  }

  private peel(renderer: WebGLRenderer, scene: Scene, camera: Camera, most: number): number {
    const { width, height } = renderer.getDrawingBufferSize(new Vector2()), view = renderer.getCurrentViewport(new Vector4());
    const room = Math.min(most, Math.floor(MOST_BYTES / (BYTES * width * height))), count = this.thorough ? room : Math.min(room, this.needed + 1);
    if (this.targets.length !== room || this.targets.some((t) => t.width !== width || t.height !== height)) {
      this.dispose();
      this.targets = Array.from({ length: room }, () => {
        const depthTexture = new DepthTexture(width, height, FloatType);
        depthTexture.minFilter = depthTexture.magFilter = NearestFilter;
        return new WebGLRenderTarget(width, height, { format: RedFormat, depthTexture, minFilter: NearestFilter, magFilter: NearestFilter });
      });
    }
    const gl = renderer.getContext() as WebGL2RenderingContext, ask = this.asked === 0 && count > 0 && !this.thorough;
    scene.overrideMaterial = this.next;
    for (let k = 0; k < count; k++) {
      this.take(k - 1, -1, -1, k);
      this.targets[k].viewport.copy(view);
      renderer.setRenderTarget(this.targets[k]);
      renderer.clear(false, true, false);
      if (ask) gl.beginQuery(gl.ANY_SAMPLES_PASSED_CONSERVATIVE, this.queries[k] ??= gl.createQuery()!);
      renderer.render(scene, camera);
      if (ask) gl.endQuery(gl.ANY_SAMPLES_PASSED_CONSERVATIVE);
    }
    scene.overrideMaterial = null;
    if (ask) { this.asked = count; void this.learn(gl); }
    return count;
  }

  private dispose() { for (const t of this.targets) { t.depthTexture?.dispose(); t.dispose(); } }
}
