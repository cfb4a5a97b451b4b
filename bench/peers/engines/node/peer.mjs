// One run of an engine from npm, driven by the race through pipes (engine_node.c): node peer.mjs ENGINE CODE.
// In: the setting, one line of JSON; then an empty line for every step. Out: "ready" or "no"; then for each step its seconds by the clock of this process, and the
// poses of all bodies (x y z w x y z) as doubles. The clock runs over the engine's step alone.
import { readSync, writeSync } from "node:fs";

const gravity = 9.81;

/** MuJoCo by its XML, as engine_mujoco.c writes it for version 2.2.2. code: 0 as it comes, 1 the hardest contacts that its manual allows for the step. */
async function mujoco(s, code) {
    const api = await (await import("@mujoco/mujoco")).default();
    const numbers = list => list.map(x => x.toPrecision(17)).join(" "), stiff = code === 1 ? ` solref='${2 * s.step} 1' solimp='0.99 0.999 0.0001'` : "";
    const inertial = b => `<inertial pos='0 0 0' mass='${b.mass}' diaginertia='${numbers(b.inertia)}'/>`;
    const geom = b => ({
        none: "", box: `<geom type='box' size='${numbers(b.half)}'/>`, sphere: `<geom type='sphere' size='${b.half[0]}'/>`, hull: "<geom type='mesh' mesh='stone'/>",
        plane: `<geom type='plane' size='${s.reach} ${s.reach} 1' pos='${numbers(b.pose.slice(0, 3))}' quat='${numbers(b.pose.slice(3))}'/>`
    })[b.shape];
    const tree = s.joints.length > 0; // a chain hangs in itself: its joints cannot open
    let body = "";
    if (tree)
        s.bodies.forEach((b, i) => {
            const from = i > 0 ? s.bodies[i - 1].pose : [0, 0, 0], joint = s.joints[i];
            body += `<body name='b${i}' pos='${numbers([0, 1, 2].map(k => b.pose[k] - from[k]))}'><joint type='ball' pos='${numbers([0, 1, 2].map(k => joint.point[k] - b.pose[k]))}'/>${inertial(b)}`;
        });
    else
        s.bodies.forEach((b, i) => {
            body += b.mass > 0 ? `<body name='b${i}' pos='${numbers(b.pose.slice(0, 3))}' quat='${numbers(b.pose.slice(3))}'><freejoint/>${inertial(b)}${geom(b)}</body>` : geom(b);
        });
    const xml = `<mujoco><option timestep='${s.step}' gravity='0 0 -${gravity}'${code === 1 ? " cone='elliptic' noslip_iterations='50' integrator='implicitfast'" : ""}/>` +
        `<size memory='${s.bodies.length > 200 ? 2000 : 200}M'/><default><geom friction='${s.mu} 0 0'${stiff}/></default>` +
        (s.hull.length ? `<asset><mesh name='stone' vertex='${numbers(s.hull.flat())}'/></asset>` : "") + `<worldbody>${body}${tree ? "</body>".repeat(s.bodies.length) : ""}</worldbody></mujoco>`;
    const model = api.MjModel.from_xml_string(xml), data = new api.MjData(model);
    const moving = s.bodies.map((b, i) => b.mass > 0 ? i : -1).filter(i => i >= 0);
    return {
        step: () => api.mj_step(model, data),
        pose: out => {
            if (tree) api.mj_kinematics(model, data);
            moving.forEach((i, k) => {
                if (tree) out.set([...data.xpos.subarray(3 * k + 3, 3 * k + 6), ...data.xquat.subarray(4 * k + 4, 4 * k + 8)], 7 * i);
                else out.set(data.qpos.subarray(7 * k, 7 * k + 7), 7 * i);
            });
        }
    };
}

/** Rapier; code: iterations of its solver, 0 for its own. */
async function rapier(s, code) {
    const R = (await import("@dimforge/rapier3d-compat")).default;
    await R.init();
    const world = new R.World({ x: 0, y: 0, z: -gravity }), xyz = (a, at = 0) => ({ x: a[at], y: a[at + 1], z: a[at + 2] }), quat = p => ({ x: p[4], y: p[5], z: p[6], w: p[3] });
    world.timestep = s.step;
    if (code > 0) world.integrationParameters.numSolverIterations = code;
    const bodies = s.bodies.map(b => {
        const desc = b.mass > 0 ? R.RigidBodyDesc.dynamic().setCanSleep(false).setAdditionalMassProperties(b.mass, { x: 0, y: 0, z: 0 }, xyz(b.inertia), { x: 0, y: 0, z: 0, w: 1 }) : R.RigidBodyDesc.fixed();
        const body = world.createRigidBody(desc.setTranslation(b.pose[0], b.pose[1], b.pose[2]).setRotation(quat(b.pose)));
        const shape = { none: null, box: () => R.ColliderDesc.cuboid(...b.half), sphere: () => R.ColliderDesc.ball(b.half[0]), hull: () => R.ColliderDesc.convexHull(new Float32Array(s.hull.flat())),
            plane: () => new R.ColliderDesc(new R.HalfSpace({ x: 0, y: 0, z: 1 })) }[b.shape];
        if (shape) world.createCollider(shape().setDensity(0).setFriction(s.mu).setRestitution(0), body);
        return body;
    });
    const ground = s.joints.length ? world.createRigidBody(R.RigidBodyDesc.fixed()) : null;
    for (const j of s.joints) {
        const arm = i => i < 0 ? xyz(j.point) : { x: j.point[0] - s.bodies[i].pose[0], y: j.point[1] - s.bodies[i].pose[1], z: j.point[2] - s.bodies[i].pose[2] };
        world.createImpulseJoint(R.JointData.spherical(arm(j.a), arm(j.b)), j.a < 0 ? ground : bodies[j.a], bodies[j.b], true);
    }
    return {
        step: () => world.step(),
        pose: out => bodies.forEach((b, i) => {
            const p = b.translation(), q = b.rotation();
            if (s.bodies[i].mass > 0) out.set([p.x, p.y, p.z, q.w, q.x, q.y, q.z], 7 * i);
        })
    };
}

/** Jolt; code: velocity steps of its solver with a fifth as many position steps, 0 for its own. Planes are large boxes. */
async function jolt(s, code) {
    const J = await (await import("jolt-physics")).default(), layers = { still: 0, moves: 1, nothing: 2 };
    const settings = new J.JoltSettings(), pairs = new J.ObjectLayerPairFilterTable(3), broad = new J.BroadPhaseLayerInterfaceTable(3, 1);
    pairs.EnableCollision(layers.still, layers.moves);
    pairs.EnableCollision(layers.moves, layers.moves);
    for (let i = 0; i < 3; i++) broad.MapObjectToBroadPhaseLayer(i, new J.BroadPhaseLayer(0));
    settings.mObjectLayerPairFilter = pairs;
    settings.mBroadPhaseLayerInterface = broad;
    settings.mObjectVsBroadPhaseLayerFilter = new J.ObjectVsBroadPhaseLayerFilterTable(broad, 1, pairs, 3);
    settings.mMaxBodies = s.bodies.length + 16;
    settings.mMaxBodyPairs = settings.mMaxContactConstraints = Math.min(16384, 64 * (s.bodies.length + 16)); // more do not fit into its memory
    settings.mMaxWorkerThreads = 0;
    const physics = new J.JoltInterface(settings), system = physics.GetPhysicsSystem(), face = system.GetBodyInterface();
    system.SetGravity(new J.Vec3(0, 0, -gravity));
    const own = system.GetPhysicsSettings();
    if (code > 0) {
        own.mNumVelocitySteps = code;
        own.mNumPositionSteps = Math.round(code / 5);
        system.SetPhysicsSettings(own);
    }
    const far = 4 * s.reach, turn = (q, v) => { const [w, x, y, z] = q, t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
        return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]; };
    const hull = () => { const h = new J.ConvexHullShapeSettings(); for (const p of s.hull) h.mPoints.push_back(new J.Vec3(...p)); return h.Create().Get(); };
    const make = (shape, place, q, kind, layer) => new J.BodyCreationSettings(shape, new J.RVec3(...place), new J.Quat(q[1], q[2], q[3], q[0]), kind, layer);
    const bodies = s.bodies.map(b => {
        const moves = b.mass > 0, q = b.pose.slice(3);
        let place = b.pose.slice(0, 3), shape;
        if (b.shape === "box") shape = new J.BoxShape(new J.Vec3(...b.half));
        else if (b.shape === "sphere") shape = new J.SphereShape(b.half[0]);
        else if (b.shape === "hull") shape = hull();
        else if (b.shape === "plane") {
            shape = new J.BoxShape(new J.Vec3(far, far, far));
            place = place.map((x, k) => x - far * turn(q, [0, 0, 1])[k]);
        } else shape = new J.SphereShape(0.01);
        const made = make(shape, place, q, moves ? J.EMotionType_Dynamic : J.EMotionType_Static, b.shape === "none" ? layers.nothing : moves ? layers.moves : layers.still);
        made.mFriction = s.mu;
        made.mRestitution = 0;
        made.mAllowSleeping = false;
        made.mLinearDamping = made.mAngularDamping = 0;
        made.mMaxLinearVelocity = made.mMaxAngularVelocity = 1e6;
        if (moves) {
            made.mOverrideMassProperties = J.EOverrideMassProperties_MassAndInertiaProvided;
            made.mMassPropertiesOverride.mMass = b.mass;
            made.mMassPropertiesOverride.mInertia = J.Mat44.prototype.sScale(new J.Vec3(...b.inertia));
        }
        const body = face.CreateBody(made);
        face.AddBody(body.GetID(), J.EActivation_Activate);
        return body;
    });
    const ground = s.joints.length ? face.CreateBody(make(new J.SphereShape(0.01), [0, 0, 0], [1, 0, 0, 0], J.EMotionType_Static, layers.nothing)) : null;
    if (ground) face.AddBody(ground.GetID(), J.EActivation_DontActivate);
    for (const j of s.joints) {
        const point = new J.PointConstraintSettings();
        point.mSpace = J.EConstraintSpace_WorldSpace;
        point.mPoint1 = point.mPoint2 = new J.RVec3(...j.point);
        system.AddConstraint(point.Create(j.a < 0 ? ground : bodies[j.a], bodies[j.b]));
    }
    return {
        step: () => physics.Step(s.step, 1),
        pose: out => bodies.forEach((b, i) => {
            if (!(s.bodies[i].mass > 0)) return;
            const p = b.GetCenterOfMassPosition(), q = b.GetRotation();
            out.set([p.GetX(), p.GetY(), p.GetZ(), q.GetW(), q.GetX(), q.GetY(), q.GetZ()], 7 * i);
        })
    };
}

const room = Buffer.alloc(1 << 16);
let waiting = "";
function line() {
    for (;;) {
        const at = waiting.indexOf("\n");
        if (at >= 0) {
            const found = waiting.slice(0, at);
            waiting = waiting.slice(at + 1);
            return found;
        }
        const got = readSync(0, room);
        if (got === 0) return null;
        waiting += room.toString("latin1", 0, got);
    }
}
function send(bytes) {
    for (let at = 0; at < bytes.length;) at += writeSync(3, bytes, at);
}

const s = JSON.parse(line());
let run = null;
try {
    run = await { mujoco, rapier, jolt }[process.argv[2]](s, Number(process.argv[3]));
} catch (error) {
    console.error(String(error));
}
send(Buffer.from(run ? "y" : "n"));
const out = new Float64Array(1 + 7 * s.bodies.length), poses = out.subarray(1);
s.bodies.forEach((b, i) => poses.set(b.pose, 7 * i));
while (run && line() !== null) {
    const begin = process.cpuUsage();
    run.step();
    const used = process.cpuUsage(begin);
    out[0] = 1e-6 * (used.user + used.system);
    run.pose(poses);
    send(Buffer.from(out.buffer));
}
