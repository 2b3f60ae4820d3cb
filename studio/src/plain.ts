// Cheap drawing for machines without a graphics card: the light is computed at the vertices, and meshes are drawn with a
// coarser net over the same vertices. Materials and geometries are exchanged for one picture and put back after it, so that
// the rest of the page never meets the cheap ones.

import * as THREE from "three";
import { coarseIndex } from "./coarse";

export interface Lights {
  sky: THREE.HemisphereLight;
  key: THREE.DirectionalLight;
  rim: THREE.DirectionalLight;
}

type Lit = THREE.MeshPhongMaterial | THREE.MeshLambertMaterial;

/** The three lights of the page as three.js has them, with the highlight of the key light, and the screen's transfer curve. */
const VERTEX = `
uniform vec3 colour, specular, keyFrom, keyLight, rimFrom, rimLight, skyLight, groundLight, up;
uniform float opacity, shininess;
varying vec4 vShade;
#ifdef SEEN
attribute float seen;
#endif
void main() {
  vec4 at = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * at;
  vec3 n = normalize(normalMatrix * normal);
  vec3 eye = normalize(-at.xyz);
#ifdef DOUBLE
  if (dot(n, eye) < 0.0) n = -n;
#endif
  vec3 base = colour;
#ifdef USE_COLOR
  base *= color;
#endif
  float facing = max(dot(n, keyFrom), 0.0);
  vec3 light = mix(groundLight, skyLight, 0.5 * dot(n, up) + 0.5) + keyLight * facing + rimLight * max(dot(n, rimFrom), 0.0);
  float shine = 0.25 * (0.5 * shininess + 1.0) * pow(max(dot(n, normalize(keyFrom + eye)), 0.0), shininess);
  vec3 c = base * light + keyLight * facing * shine * specular;
  c = mix(1.055 * pow(c, vec3(0.41666)) - 0.055, 12.92 * c, vec3(lessThanEqual(c, vec3(0.0031308))));
  vShade = vec4(c, opacity);
#ifdef SEEN
  vShade.a *= seen;
  if (SEEN) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
#endif
}`;
const FRAGMENT = "varying vec4 vShade;\nvoid main() { gl_FragColor = vShade; }";

/** What of a material the cheap one repeats, as it is now. */
function follow(cheap: THREE.ShaderMaterial, own: Lit): void {
  cheap.transparent = own.transparent;
  cheap.depthWrite = own.depthWrite;
  cheap.visible = own.visible;
  cheap.uniforms.colour.value.copy(own.color);
  cheap.uniforms.opacity.value = own.opacity;
}

export class Plain {
  private readonly uniforms = {
    keyFrom: { value: new THREE.Vector3() }, keyLight: { value: new THREE.Color() },
    rimFrom: { value: new THREE.Vector3() }, rimLight: { value: new THREE.Color() },
    skyLight: { value: new THREE.Color() }, groundLight: { value: new THREE.Color() }, up: { value: new THREE.Vector3() },
  };
  private readonly cheap = new WeakMap<THREE.Material, THREE.ShaderMaterial>();
  private readonly coarse = new WeakMap<THREE.BufferGeometry, THREE.BufferGeometry>();
  private readonly exchanged: { mesh: THREE.Mesh; material: Lit; geometry: THREE.BufferGeometry }[] = [];

  constructor(private readonly lights: Lights) {}

  /** From here on the scene is cheap. */
  enter(scene: THREE.Scene, camera: THREE.Camera): void {
    scene.updateMatrixWorld();
    this.shine(camera);
    scene.traverseVisible((o) => {
      const mesh = o as THREE.Mesh;
      const material = mesh.material as Lit;
      if (!mesh.isMesh || (o as THREE.InstancedMesh).isInstancedMesh || !mesh.geometry.index) return;
      if ("isMeshPhongMaterial" in material || "isMeshLambertMaterial" in material) this.exchange(mesh, material, this.cheapOf(material));
      // Depth alone and wires have a light of their own, but must lie where the solid ones do.
      else if (!(material as THREE.Material).colorWrite || (material as THREE.MeshBasicMaterial).wireframe) this.exchange(mesh, material, null);
    });
  }

  /** And here it is itself again. */
  leave(): void {
    for (const { mesh, material, geometry } of this.exchanged) {
      mesh.material = material;
      mesh.geometry = geometry;
    }
    this.exchanged.length = 0;
  }

  private exchange(mesh: THREE.Mesh, material: Lit, cheap: THREE.Material | null): void {
    this.exchanged.push({ mesh, material, geometry: mesh.geometry });
    mesh.geometry = this.coarseOf(mesh.geometry);
    if (cheap) mesh.material = cheap;
  }

  private cheapOf(own: Lit): THREE.ShaderMaterial {
    let cheap = this.cheap.get(own);
    if (!cheap) {
      const phong = "isMeshPhongMaterial" in own ? (own as THREE.MeshPhongMaterial) : null;
      const defines: Record<string, string> = {};
      if (own.side === THREE.DoubleSide) defines.DOUBLE = "";
      if (own.userData.without) defines.SEEN = own.userData.without;
      cheap = new THREE.ShaderMaterial({
        vertexShader: VERTEX, fragmentShader: FRAGMENT, defines, vertexColors: own.vertexColors, side: own.side,
        uniforms: {
          ...this.uniforms, colour: { value: new THREE.Color() }, opacity: { value: 1 },
          specular: { value: phong?.specular ?? new THREE.Color(0) }, shininess: { value: phong?.shininess ?? 1 },
        },
      });
      this.cheap.set(own, cheap);
    }
    follow(cheap, own);
    return cheap;
  }

  /** The same vertices under fewer triangles. A geometry may bring its own: userData.coarse. */
  private coarseOf(own: THREE.BufferGeometry): THREE.BufferGeometry {
    let coarse = this.coarse.get(own);
    if (!coarse) {
      coarse = new THREE.BufferGeometry();
      for (const [name, attribute] of Object.entries(own.attributes)) coarse.setAttribute(name, attribute);
      coarse.boundingSphere = own.boundingSphere;
      coarse.setIndex(own.userData.coarse ?? new THREE.BufferAttribute(coarseIndex(own.attributes.position.array, own.index!.array), 1));
      this.coarse.set(own, coarse);
      own.addEventListener("dispose", () => this.coarse.get(own)?.dispose());
    }
    return coarse;
  }

  /** The lights as the camera has them, in its axes. */
  private shine(camera: THREE.Camera): void {
    const { sky, key, rim } = this.lights;
    const u = this.uniforms;
    const at = new THREE.Vector3();
    for (const [light, from] of [[key, u.keyFrom], [rim, u.rimFrom]] as const)
      from.value.setFromMatrixPosition(light.matrixWorld).sub(at.setFromMatrixPosition(light.target.matrixWorld)).transformDirection(camera.matrixWorldInverse);
    u.up.value.setFromMatrixPosition(sky.matrixWorld).transformDirection(camera.matrixWorldInverse);
    const strength = (light: THREE.Light, colour: THREE.Color, out: THREE.Color) => out.copy(colour).multiplyScalar(light.intensity / Math.PI);
    strength(key, key.color, u.keyLight.value);
    strength(rim, rim.color, u.rimLight.value);
    strength(sky, sky.color, u.skyLight.value);
    strength(sky, sky.groundColor, u.groundLight.value);
  }
}
