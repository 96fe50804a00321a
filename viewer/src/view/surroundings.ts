// What is around the bodies of a scene: the background, the grid on the floor, and colours that can be read before them.
import { Box3, CanvasTexture, Color, GridHelper, LinearFilter, LineBasicMaterial, SRGBColorSpace, Vector3, type Scene, type Texture, type Vector2 } from 'three';
import type { Looks } from '../protocol.ts';
import type { Overlay } from './overlay.ts';
import { fetchTexture } from './shape.ts';

export class Surroundings {
  dark = false;                   // the theme
  grid: GridHelper | null = null;
  step = 0;                       // between the lines of the grid
  floor = 0;                      // height of the grid
  private shade = false;          // the background is dark
  private name = '';              // of the background
  private address = '';           // of its picture
  private backdrop: Texture | null = null;
  private box = new Box3();
  private up: 'x' | 'y' | 'z' = 'y';
  private scene: Scene;
  private overlay: Overlay;

  constructor(scene: Scene, overlay: Overlay) { this.scene = scene; this.overlay = overlay; }

  // What is written on the picture is read against its background, which need not be that of the theme.
  private overlayColours() {
    const style = getComputedStyle(document.documentElement), value = (name: string) => style.getPropertyValue(name).trim(), same = this.shade === this.dark;
    this.overlay.colours = { text: same ? value('--text') : this.shade ? '#e6eaf0' : '#1f2530', muted: same ? value('--muted') : this.shade ? '#a9b3c1' : '#5b6574', accent: value('--accent'), halo: this.shade ? 'rgba(16,19,24,.85)' : 'rgba(255,255,255,.85)' };
  }

  setTheme(dark: boolean) {
    this.dark = this.shade = dark;
    this.overlayColours();
    this.name = '';
    this.makeAgain();
  }

  // The file may hold another picture when the scene is read again.
  forgetPicture() { this.backdrop?.dispose(); this.backdrop = null; this.address = this.name = ''; }

  // A picture of the scene, once it has come.
  private pictureAt(address: string, loaded: () => void): CanvasImageSource & { width: number; height: number } | null {
    if (address !== this.address) {
      this.backdrop?.dispose();
      this.backdrop = address ? fetchTexture(address, loaded) : null;
      this.address = address;
    }
    const image = this.backdrop?.image as HTMLImageElement | undefined;
    return image?.width && image.height ? image : null;
  }

  // The user's colour counts more than the scene's, and its picture.
  paint(wanted: string, looks: Looks | null, pixels: Vector2, ratio: number, loaded: () => void) {
    const given = looks?.background, address = wanted ? '' : looks?.picture ?? '', picture = this.pictureAt(address, loaded);
    const plain = wanted || (given ? `rgb(${given.map((v) => Math.round(255 * Math.min(1, Math.max(0, v)))).join(',')})` : this.dark ? 'dark' : 'light');
    const name = picture ? `${plain} ${address} ${pixels.x} ${pixels.y} ${ratio}` : plain;
    if (name === this.name) return;
    this.name = name;
    const shade = wanted || given ? new Color(plain).getHSL({ h: 0, s: 0, l: 0 }).l < 0.45 : this.dark;
    if (shade !== this.shade) { this.shade = shade; this.overlayColours(); this.makeAgain(); }
    if ((wanted || given) && !picture) { this.scene.background = new Color(plain); return; }
    const canvas = document.createElement('canvas');
    canvas.width = picture ? pixels.x : 4; canvas.height = picture ? pixels.y : 256;
    const c = canvas.getContext('2d')!;
    const gradient = c.createLinearGradient(0, 0, 0, canvas.height);
    for (const [at, colour] of wanted || given ? [[0, plain], [1, plain]] as const : this.dark ? [[0, '#1d222b'], [1, '#11141a']] as const : [[0, '#f7f9fb'], [1, '#dde3ea']] as const) gradient.addColorStop(at, colour);
    c.fillStyle = gradient;
    c.fillRect(0, 0, canvas.width, canvas.height);
    if (picture) {          // src/render/shaders/background.frag does the same
      const scale = Math.min(ratio, Math.max(pixels.x / picture.width, pixels.y / picture.height)), w = scale * picture.width, h = scale * picture.height;
      c.imageSmoothingQuality = 'high';
      c.drawImage(picture, 0.5 * (pixels.x - w), 0.5 * (pixels.y - h), w, h);
    }
    if (this.scene.background instanceof CanvasTexture) this.scene.background.dispose();
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = SRGBColorSpace;
    texture.generateMipmaps = false;
    texture.minFilter = LinearFilter;
    this.scene.background = texture;
  }

  private makeAgain() { if (this.grid) this.makeGrid(this.box, this.up); }

  // Below a box, with lines at round numbers.
  makeGrid(box: Box3, up: 'x' | 'y' | 'z') {
    if (this.grid) { this.scene.remove(this.grid); this.grid.geometry.dispose(); (this.grid.material as LineBasicMaterial).dispose(); }
    this.box = box;
    this.up = up;
    const size = Math.max(1e-6, box.getSize(new Vector3()).length());
    const raw = size / 8, power = 10 ** Math.floor(Math.log10(raw)), part = raw / power;
    this.step = power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
    const cells = 20, line = this.shade ? '#363d4a' : '#c3cad4';
    this.grid = new GridHelper(cells * this.step, cells, this.shade ? '#4d5768' : '#a3adbb', line);
    const material = this.grid.material as LineBasicMaterial;
    material.transparent = true;
    material.opacity = 0.7;
    material.depthWrite = false;
    const centre = box.getCenter(new Vector3());
    const snap = (v: number) => Math.round(v / this.step) * this.step;
    const floor = -0.002 * size;
    this.floor = box.min[up] + floor;
    if (up === 'y') this.grid.position.set(snap(centre.x), box.min.y + floor, snap(centre.z));
    else if (up === 'z') { this.grid.rotation.x = Math.PI / 2; this.grid.position.set(snap(centre.x), snap(centre.y), box.min.z + floor); }
    else { this.grid.rotation.z = Math.PI / 2; this.grid.position.set(box.min.x + floor, snap(centre.y), snap(centre.z)); }
    this.scene.add(this.grid);
  }

  // By whole fields, until it is below what has fallen.
  lower(fallen: Box3, size: number) {
    const { up, box } = this;
    if (!this.grid) return;
    const lowest = Math.min(box.min[up], fallen.min[up]) - 0.002 * size;
    const level = box.min[up] - 0.002 * size - Math.ceil((box.min[up] - 0.002 * size - lowest) / this.step - 1e-9) * this.step;
    if (level === this.floor || !Number.isFinite(level)) return;
    this.floor = level;
    this.grid.position[up] = level;
  }
}
