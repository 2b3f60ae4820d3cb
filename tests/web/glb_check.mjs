// Reads the GLB files that the test page.glb wrote, with three.js, and compares what three shows at the times of the
// shapes with what must be there: where bones, strand tips and skin vertices are, the materials, textures and extras of
// the strands.
// SINEW_NODE_MODULES names the folder that has three, SINEW_GLB_FOLDER the one with the files.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const modules = process.env.SINEW_NODE_MODULES;
const three = (file) => import(pathToFileURL(join(modules, "three", file)));
globalThis.self ??= globalThis; // the loader asks for it
const THREE = await three("build/three.module.js");
const { GLTFLoader } = await three("examples/jsm/loaders/GLTFLoader.js");

const folder = process.env.SINEW_GLB_FOLDER;
const files = ["glb_morphed.json", "glb_skinned.json"];
async function load(path) {
    const bytes = await readFile(path);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return new Promise((done, fail) => new GLTFLoader().parse(buffer, "", done, fail));
}

function worldVertex(mesh, index) {
    const point = new THREE.Vector3();
    mesh.getVertexPosition(index, point); // morph targets and skinning
    return point.applyMatrix4(mesh.matrixWorld);
}

function near(point, expected, tolerance, what) {
    const found = Array.isArray(point) ? point : point.toArray();
    found.forEach((v, k) => assert.ok(Math.abs(v - expected[k]) <= tolerance, `${what}: ${found} for ${expected}`));
}

/** The meshes of a strand: one for each of its materials. */
function meshesOf(scene, name) {
    const node = scene.getObjectByName(name);
    return node.isMesh ? [node] : node.children.filter((child) => child.isMesh);
}

// Morph targets leave out what nobody sees: 20 micrometres of strands, 30 of the skin; whole shapes that the way between their
// neighbours comes within 30 micrometres of; and round to 1/32767 m.
const ROUNDED = 8e-5;
const worst = { strands: 0, skin: 0 };
function nearby(kind, point, expected, what) {
    worst[kind] = Math.max(worst[kind], point.distanceTo(new THREE.Vector3(...expected)));
    near(point, expected, ROUNDED, what);
}

function checkMoment(scene, expected, moment) {
    // three takes characters out of names that its property paths cannot hold; the order of the nodes is ours
    expected.bodies.forEach((name, i) => {
        const node = scene.children[i]; // a joint of a skin carries its mesh as a child
        const body = node.isMesh ? node : node.children.find((child) => child.isMesh);
        near(worldVertex(body, 0), moment.bodies[i], 2e-6, `${name} at ${moment.time}`);
    });
    ["FDP2", "EDC2"].forEach((name, i) => {
        const [first] = meshesOf(scene, name);
        nearby("strands", worldVertex(first, 0), moment.tips[i], `tip of ${name} at ${moment.time}`);
    });
    const skin = scene.getObjectByName("skin");
    moment.skin.forEach((point, i) => nearby("skin", worldVertex(skin, i), point, `skin vertex ${i} at ${moment.time}`));
}

for (const file of files) {
    test(`three.js shows ${file.replace(".json", ".glb")} as it was written`, async () => {
        const expected = JSON.parse(await readFile(join(folder, file), "utf8"));
        const gltf = await load(join(folder, expected.glb));
        assert.equal(gltf.animations.length, 1);
        assert.ok(Math.abs(gltf.animations[0].duration - expected.duration) < 1e-6);
        const skin = gltf.scene.getObjectByName("skin");
        assert.equal(Boolean(skin.isSkinnedMesh), file.includes("skinned"));
        assert.equal(skin.geometry.attributes.position.count, expected.moments[0].skin.length);
        const flexor = meshesOf(gltf.scene, "FDP2");
        assert.deepEqual(flexor.map((mesh) => mesh.material.name).sort(), ["muscle", "tendon"]);
        assert.deepEqual(meshesOf(gltf.scene, "EDC2").map((mesh) => mesh.material.name), ["tendon"]);
        gltf.scene.traverse((node) => {
            if (!node.isMesh) return;
            const uv = node.geometry.attributes.uv;
            assert.ok(uv, `texture coordinates of ${node.name}`);
            for (let i = 0; i < uv.count; i++) assert.ok(uv.getX(i) >= 0 && uv.getX(i) <= 1 && uv.getY(i) >= 0 && uv.getY(i) <= 1);
        });
        const extras = gltf.scene.getObjectByName("FDP2").userData;
        assert.equal(extras.rate, 60);
        assert.equal(extras.activation.length, 121);
        assert.ok(Math.abs(extras.activation[0] - expected.moments[0].activation) < 1e-3);
        const mixer = new THREE.AnimationMixer(gltf.scene);
        const action = mixer.clipAction(gltf.animations[0]);
        action.setLoop(THREE.LoopOnce);
        action.clampWhenFinished = true;
        action.play();
        for (const moment of expected.moments) {
            mixer.setTime(moment.time);
            gltf.scene.updateMatrixWorld(true);
            checkMoment(gltf.scene, expected, moment);
        }
        console.log(`${expected.glb}: largest error of strands ${(1e3 * worst.strands).toFixed(4)} mm, of the skin ${(1e3 * worst.skin).toFixed(4)} mm`);
    });
}
