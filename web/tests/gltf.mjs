// A .glb of cairn export: validated, opened by three.js, and its motion held against the table of poses: node gltf.mjs FILE.glb POSES.csv EVERY
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import validator from "gltf-validator";
import { AnimationMixer, Quaternion, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

globalThis.self ??= globalThis; // what the loader expects of a browser
const [, , file, csv, every] = process.argv, bytes = readFileSync(file);

const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 20 });
assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages, null, 1));
assert.equal(report.issues.numWarnings, 0, JSON.stringify(report.issues.messages, null, 1));

const gltf = await new Promise((resolve, reject) =>
    new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "", resolve, reject));
const [head, ...rows] = readFileSync(csv, "utf8").trim().split("\n"), names = head.split(",");
const poses = rows.map(r => Object.fromEntries(r.split(",").map((v, i) => [names[i], Number(v)])));
const clip = gltf.animations[0], mixer = new AnimationMixer(gltf.scene), times = clip.tracks[0].times;
mixer.clipAction(clip).play();
const bodies = gltf.scene.children[0].children, steps = [...new Set(poses.map(p => p.step))].filter((_, i) => i % Number(every) === 0);
assert.equal(times.length, steps.length, "number of key frames");
let checks = 0;
for (const k of [0, Math.floor(times.length / 2), times.length - 1]) {
    mixer.setTime(Math.min(times[k], clip.duration * (1 - 1e-9)));
    gltf.scene.updateMatrixWorld(true);
    for (const p of poses.filter(q => q.step === steps[k])) {
        const at = bodies[p.body].getWorldPosition(new Vector3()), turn = new Quaternion(p.qx, p.qy, p.qz, p.qw);
        // y is up: (x, y, z) of Cairn is (x, z, -y)
        for (const [got, wanted] of [[at.x, p.x], [at.y, p.z], [at.z, -p.y]])
            assert.ok(Math.abs(got - wanted) < 1e-5 * (1 + Math.abs(wanted)), `body ${p.body}, step ${p.step}: ${got}, recorded is ${wanted}`);
        assert.ok(Math.abs(bodies[p.body].quaternion.dot(turn)) > 1 - 1e-6, `rotation of body ${p.body}, step ${p.step}`);
        checks++;
    }
}
let triangles = 0;
gltf.scene.traverse(o => {
    if (!o.isMesh) return;
    triangles += o.geometry.index.count / 3;
    // outside is where the normals point
    const p = o.geometry.getAttribute("position"), n = o.geometry.getAttribute("normal"), i = o.geometry.index;
    const [a, b, c] = [0, 1, 2].map(k => new Vector3().fromBufferAttribute(p, i.getX(k)));
    const face = b.sub(a).cross(c.sub(a)), normal = new Vector3().fromBufferAttribute(n, i.getX(0));
    assert.ok(face.dot(normal) > 0, "a triangle looks inside");
});
console.log(`${file}: ${bodies.length} bodies, ${triangles} triangles, ${times.length} key frames, ${checks} poses as recorded`);
