// What `sinew export` writes of the hand, read by three.js: the skin of the GLB against the point cache of the same
// replay at its ends, and the bones and strands that are in it. SINEW_NODE_MODULES names the folder that has three,
// SINEW_BUILD_DIR the build.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const three = (file) => import(pathToFileURL(join(process.env.SINEW_NODE_MODULES, "three", file)));
globalThis.self ??= globalThis; // the loader asks for it
const THREE = await three("build/three.module.js");
const { GLTFLoader } = await three("examples/jsm/loaders/GLTFLoader.js");

const folder = mkdtempSync(join(tmpdir(), "sinew-web-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const sinew = (...words) => execFileSync(join(process.env.SINEW_BUILD_DIR, "sinew"), [...words, "--quiet"], { cwd: folder });

function load(path) {
    const bytes = readFileSync(path);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return new Promise((done, fail) => new GLTFLoader().parse(buffer, "", done, fail));
}

function readCache(path) {
    const bytes = readFileSync(path);
    const count = bytes.readInt32LE(16);
    const frames = bytes.readInt32LE(28);
    return { count, frames, at: (frame, i, k) => bytes.readFloatLE(32 + 12 * (frame * count + i) + 4 * k) };
}

/** Plays the animation to its ends: how far the skin is from the cache of the same replay there, m. */
function farthest(gltf, cache) {
    const skin = gltf.scene.getObjectByName("skin");
    assert.equal(skin.geometry.attributes.position.count, cache.count);
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[0]);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    const point = new THREE.Vector3();
    let worst = 0;
    for (const [time, frame] of [[0, 0], [gltf.animations[0].duration, cache.frames - 1]]) {
        mixer.setTime(time);
        gltf.scene.updateMatrixWorld(true);
        for (let i = 0; i < cache.count; i += 7) {
            skin.getVertexPosition(i, point); // morph targets and skinning
            point.applyMatrix4(skin.matrixWorld);
            worst = Math.max(worst, ...point.toArray().map((v, k) => Math.abs(v - cache.at(frame, i, k))));
        }
    }
    return worst;
}

test("three.js shows the skin of an exported hand where the point cache has it", async () => {
    sinew("track", "hand", "fist", "-o", "out", "--frames", "40:50");
    sinew("export", "out.replay.xml", "--to", "glb");
    sinew("export", "out.replay.xml", "--to", "pc2");
    const gltf = await load(join(folder, "out.glb"));
    const flexor = gltf.scene.getObjectByName("FDP2");
    assert.deepEqual(flexor.children.map((mesh) => mesh.material.name).sort(), ["muscle", "tendon"]);
    const worst = farthest(gltf, readCache(join(folder, "out.pc2")));
    assert.ok(worst < 3e-5, `the skin is ${worst} m off`);
});

// Flesh may be 0.2 mm from rest in a draft, and the two come to rest by different ways; the rest is what a GLB leaves out.
test("three.js shows flesh and muscles where the point cache has them", async () => {
    sinew("track", "hand", "fist", "-o", "soft", "--frames", "24:28");
    sinew("export", "soft.replay.xml", "--to", "glb", "--flesh", "draft", "--muscles");
    sinew("export", "soft.replay.xml", "--to", "pc2", "--flesh", "draft", "--muscles");
    sinew("export", "soft.replay.xml", "--to", "pc2", "-o", "skin.pc2");
    const cache = readCache(join(folder, "soft.pc2"));
    assert.ok(cache.count > readCache(join(folder, "skin.pc2")).count, "muscles follow the skin");
    const worst = farthest(await load(join(folder, "soft.glb")), cache);
    assert.ok(worst < 2.5e-4, `the flesh is ${worst} m off`);
});
