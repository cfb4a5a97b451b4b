// A .glb of cairn export: validated, opened by three.js, and its motion held against the table of poses: node gltf.mjs FILE.glb TABLES EVERY
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import validator from "gltf-validator";
import { AnimationMixer, Quaternion, Vector3 } from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

globalThis.self ??= globalThis; // what the loader expects of a browser
const [, , file, tables, every] = process.argv, bytes = readFileSync(file);

const report = await validator.validateBytes(new Uint8Array(bytes), { maxIssues: 20 });
assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages, null, 1));
assert.equal(report.issues.numWarnings, 0, JSON.stringify(report.issues.messages, null, 1));

const gltf = await new Promise((resolve, reject) =>
    new GLTFLoader().parse(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "", resolve, reject));
function table(name) {
    const path = `${tables}/${name}.csv`;
    if (!existsSync(path)) return [];
    const [head, ...rows] = readFileSync(path, "utf8").trim().split("\n"), names = head.split(",");
    return rows.map(r => Object.fromEntries(r.split(",").map((v, i) => [names[i], Number(v)])));
}
const poses = table("poses"), parts = table("parts"), nodes = table("nodes"), soft = new Set(parts.map(p => p.body));
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
        assert.ok(soft.has(p.body) || Math.abs(bodies[p.body].quaternion.dot(turn)) > 1 - 1e-6, `rotation of body ${p.body}, step ${p.step}`);
        checks++;
    }
}
// Flexible parts: at each key frame every vertex of a skin is where a node is, and every node of the outside is met.
let vertices = 0;
const at = new Vector3(), up = x => [x.x, x.z, -x.y];
for (const k of parts.length > 0 ? [0, Math.floor(times.length / 2), times.length - 1] : []) {
    mixer.setTime(Math.min(times[k], clip.duration * (1 - 1e-9)));
    gltf.scene.updateMatrixWorld(true);
    for (const part of parts) {
        const mesh = bodies[part.body], here = nodes.filter(n => n.step === steps[k] && n.node >= part.node_first && n.node < part.node_first + part.nodes).map(up);
        assert.ok(mesh.isMesh && mesh.geometry.morphAttributes.position.length === times.length - 1, `part ${part.part} has no shapes`);
        const size = Math.max(...here.map(x => Math.hypot(...x.map((c, i) => c - here[0][i])))), rod = part.elements === part.nodes - 1;
        const met = new Set();
        for (let i = 0; i < mesh.geometry.getAttribute("position").count; i++, vertices++) {
            mesh.getVertexPosition(i, at);
            mesh.localToWorld(at);
            const away = here.map(x => Math.hypot(at.x - x[0], at.y - x[1], at.z - x[2])), least = Math.min(...away);
            assert.ok(rod ? Math.abs(least - 0.02) < 1e-4 : least < 1e-5 * size, `part ${part.part}, step ${steps[k]}: vertex ${i} is ${least} m from the next node`);
            met.add(away.indexOf(least));
        }
        assert.ok(met.size >= (rod ? part.nodes : 8), `part ${part.part}: ${met.size} nodes seen of ${part.nodes}`);
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
console.log(`${file}: ${bodies.length} bodies, ${triangles} triangles, ${times.length} key frames, ${checks} poses and ${vertices} vertices of flexible parts as recorded`);
