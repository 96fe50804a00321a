// The lights that a scene brings: they stand in for those of the page.
import { AmbientLight, Box3, Camera, Color, DirectionalLight, HemisphereLight, Object3D, PointLight, Scene, SpotLight, SRGBColorSpace, Vector3, type Light as ThreeLight } from 'three';
import type { Looks } from '../protocol.ts';

const tint = (c: number[]) => new Color().setRGB(c[0], c[1], c[2], SRGBColorSpace);

export class SceneLights {
  private scene: Scene;
  private added: Object3D[] = [];
  private carried: { light: ThreeLight; at: Vector3 }[] = [];      // by the camera
  constructor(scene: Scene) { this.scene = scene; }

  take(looks: Looks | null | undefined, box: Box3) {
    for (const o of this.added) { this.scene.remove(o); (o as any).dispose?.(); }
    this.added = [];
    this.carried = [];
    const lights = looks?.lights ?? [];
    if (!lights.length) return;
    const centre = box.getCenter(new Vector3()), size = box.getSize(new Vector3()).length();
    const ambient = looks?.ambient ?? [0, 0, 0];
    this.added.push(new AmbientLight(tint(ambient), 1), new HemisphereLight('#ffffff', '#6b7588', 0.55));        // never wholly dark
    for (const l of lights) {
      const colour = tint(l.color), way = new Vector3().fromArray(l.direction ?? [0, 0, -1]);
      if (l.kind === 'directional') {
        const light = new DirectionalLight(colour, 2);
        light.position.copy(centre).addScaledVector(way.normalize(), -2 * size);
        light.target.position.copy(centre);
        this.added.push(light, light.target);
        continue;
      }
      const at = new Vector3().fromArray(l.position ?? [0, 0, 0]);
      const light = l.kind === 'spot' ? new SpotLight(colour, 2, 0, Math.min(1.5, ((l.cutoff ?? 30) * Math.PI) / 180), 0.3, 0) : new PointLight(colour, 2, 0, 0);
      light.position.copy(at);
      if (light instanceof SpotLight) { light.target.position.copy(l.lookat ? way : at.clone().add(way)); this.added.push(light.target); }
      if (l.fixed) this.carried.push({ light, at });
      this.added.push(light);
    }
    this.scene.add(...this.added);
  }

  follow(camera: Camera) { for (const { light, at } of this.carried) light.position.copy(at).applyMatrix4(camera.matrixWorld); }
}
