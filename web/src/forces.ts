// What acts: contacts with their impulses and cones, joints with their frames and reactions.
import {
    BufferAttribute, BufferGeometry, Color, ConeGeometry, DoubleSide, Group, IcosahedronGeometry, LineBasicMaterial, LineSegments,
    MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3
} from "three";
import { Arrows, Swarm } from "./arrows";
import { residualColour, scaleColour, styleColour } from "./colours";
import { JOINT_REALS } from "./decode";
import type { Frame, Run } from "./run";
import { multiply, rotate } from "./shapes";

export interface ForceLook {
    points: boolean; arrows: boolean; cones: boolean; joints: boolean;
    colour: "status" | "impulse" | "residual";
    length: number; // of arrows, 1: as chosen for the run
}

const Z = new Vector3(0, 0, 1);

/** The origin of a joint's frame on a body (-1: the world). */
function placed(frame: Frame, body: number, local: number[]): [number, number, number] {
    if (body < 0) return [local[0], local[1], local[2]];
    const p = rotate(frame.rotation, 4 * body, local);
    return [p[0] + frame.position[3 * body], p[1] + frame.position[3 * body + 1], p[2] + frame.position[3 * body + 2]];
}

/** The x-th part of a list, by size. */
function quantile(list: number[], x: number): number {
    const sorted = list.filter(v => v > 0).sort((a, b) => a - b);
    return sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(x * sorted.length))] : 0;
}

export class Forces {
    readonly group = new Group();
    readonly look: ForceLook = { points: true, arrows: true, cones: false, joints: true, colour: "status", length: 1 };
    readonly unit: number;      // size of a typical body, m
    readonly reference: number; // impulse whose arrow is as long as two units, N s
    private readonly reactionReference: number; // the same for joints, whose reactions may be of another size
    selected = -1;
    private readonly pointMaterial = new MeshLambertMaterial();
    private readonly arrows = new Arrows(new MeshLambertMaterial());
    private readonly points = new Swarm(new IcosahedronGeometry(1, 1), this.pointMaterial);
    private readonly cones = new Swarm(new ConeGeometry(1, 1, 24, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5),
        new MeshBasicMaterial({ transparent: true, opacity: 0.2, depthWrite: false, side: DoubleSide }));
    private readonly frames: LineSegments;
    private readonly soft: Set<number>;   // bodies that are flexible parts
    private readonly links: LineSegments; // between the two origins of a joint: ropes, springs, gaps
    private status: Color[] = [];
    private reaction = new Color();

    constructor(private readonly run: Run, sceneSize: number) {
        const radii = run.bodies.map((b, i) => b.kind === 1 ? 0 : run.meta.radius[i]);
        this.unit = Math.min(0.12 * sceneSize, Math.max(0.004 * sceneSize, 0.8 * quantile(radii, 0.5)));
        const reaction = run.meta.step * quantile([...run.series("reaction")], 0.5) || this.typicalReaction();
        this.reference = quantile([...run.series("strongest")], 0.5) || reaction || 1;
        this.reactionReference = reaction || 1;
        this.soft = new Set(run.meta.parts.map(part => part.body));
        const joints = run.meta.joints.length, geometry = new BufferGeometry(), colours = new Float32Array(18 * joints);
        const axis = ["#d64545", "#3b9b50", "#3a6fd0"].map(c => new Color(c));
        for (let j = 0; j < joints; j++)
            for (let k = 0; k < 6; k++) axis[k >> 1].toArray(colours, 18 * j + 3 * k);
        geometry.setAttribute("position", new BufferAttribute(new Float32Array(18 * joints), 3));
        geometry.setAttribute("color", new BufferAttribute(colours, 3));
        this.frames = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true }));
        const between = new BufferGeometry();
        between.setAttribute("position", new BufferAttribute(new Float32Array(6 * joints), 3));
        this.links = new LineSegments(between, new LineBasicMaterial());
        this.frames.frustumCulled = this.links.frustumCulled = false;
        this.group.add(this.points.group, this.arrows.group, this.cones.group, this.frames, this.links);
        this.setTheme();
        this.setOnTop(false);
    }

    /** A weight times the step: runs without contacts have reactions of about this size. */
    private typicalReaction(): number {
        return 9.81 * this.run.meta.step * quantile(this.run.bodies.map(b => b.mass), 0.5);
    }

    setTheme(): void {
        this.status = ["open", "stick", "slip", "crush"].map(name => new Color(styleColour(name)));
        this.reaction = new Color(styleColour("c5"));
        (this.links.material as LineBasicMaterial).color.set(styleColour("soft"));
    }

    /** Seen through bodies, or hidden by them. */
    setOnTop(onTop: boolean): void {
        for (const material of [this.pointMaterial, this.arrows.material, this.frames.material as LineBasicMaterial]) {
            material.depthTest = !onTop;
            material.transparent = onTop; // drawn after the bodies
        }
        for (const group of [this.points.group, this.arrows.group, this.frames]) group.renderOrder = onTop ? 5 : 0;
    }

    update(frame: Frame): void {
        this.points.begin();
        this.arrows.begin();
        this.cones.begin();
        this.addContacts(frame);
        if (this.look.joints) this.addJoints(frame);
        this.points.end();
        this.arrows.end();
        this.cones.end();
        this.frames.visible = this.look.joints && this.run.meta.joints.length > 0;
        this.links.visible = this.run.meta.joints.length > 0;
        this.addLinks(frame);
    }

    /** Length of the arrow of an impulse: in proportion, up to ten units. */
    private arrowLength(impulse: number, reference = this.reference): number {
        return Math.min(10 * this.unit, 2 * this.unit * this.look.length * impulse / reference);
    }

    private addContacts(frame: Frame): void {
        const c = frame.contacts, { look, unit } = this, from = new Vector3(), along = new Vector3(), scale = new Vector3();
        const colour = new Color(), none = new Quaternion(), turn = new Quaternion(), all = look.points || look.arrows || look.cones;
        for (let i = all ? 0 : Math.max(0, this.selected); i < (all ? c.count : this.selected + 1); i++) {
            const chosen = i === this.selected;
            along.set(c.impulse[3 * i], c.impulse[3 * i + 1], c.impulse[3 * i + 2]);
            from.set(c.point[3 * i], c.point[3 * i + 1], c.point[3 * i + 2]);
            const size = along.length();
            if (look.colour === "impulse") scaleColour(Math.sqrt(size / (4 * this.reference)), colour);
            else if (look.colour === "residual") residualColour(c.residual[i], colour);
            else colour.copy(this.status[c.status[i]] ?? this.status[0]);
            if (look.points || chosen) this.points.add(from, none, scale.setScalar((chosen ? 0.13 : 0.06) * unit), colour);
            if ((look.arrows || chosen) && size > 0)
                this.arrows.add(from, along.multiplyScalar(this.arrowLength(size) / size), 0.045 * unit, colour);
            if ((look.cones || chosen) && c.status[i] > 0) {
                turn.setFromUnitVectors(Z, along.set(c.normal[3 * i], c.normal[3 * i + 1], c.normal[3 * i + 2]).normalize());
                const height = Math.max(0.4 * unit, this.arrowLength(size)), mu = this.run.meta.mu[c.mu[i]];
                this.cones.add(from, turn, scale.set(mu * height, mu * height, height), colour);
            }
        }
    }

    private addJoints(frame: Frame): void {
        const lines = this.frames.geometry.getAttribute("position") as BufferAttribute, xyz = lines.array as Float32Array;
        const from = new Vector3(), along = new Vector3(), h = this.run.meta.step;
        this.run.meta.joints.forEach((joint, j) => {
            const { origin, rotation } = this.jointFrame(frame, j), at = JOINT_REALS * j, there = Number.isFinite(frame.joints[at + 2]);
            for (let k = 0; k < 3; k++) {
                const axis = rotate(rotation, 0, [k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0]);
                for (let d = 0; d < 3; d++) {
                    xyz[18 * j + 6 * k + d] = origin[d];
                    xyz[18 * j + 6 * k + 3 + d] = origin[d] + (there ? 0.5 * this.unit * axis[d] : 0);
                }
            }
            if (!there || joint.b < 0 && joint.a < 0) return;
            along.set(frame.joints[at + 3], frame.joints[at + 4], frame.joints[at + 5]);
            const force = along.length();
            if (force > 0)
                this.arrows.add(from.set(...origin), along.multiplyScalar(this.arrowLength(force * h, this.reactionReference) / force),
                    0.045 * this.unit, this.reaction);
        });
        lines.needsUpdate = true;
    }

    private addLinks(frame: Frame): void {
        const lines = this.links.geometry.getAttribute("position") as BufferAttribute, xyz = lines.array as Float32Array;
        this.run.meta.joints.forEach((joint, j) => {
            const ends = [joint.a, joint.b].map((body, k) => placed(frame, body, k === 0 ? joint.frameA : joint.frameB));
            const drawn = Number.isFinite(frame.joints[JOINT_REALS * j + 2]) && !this.soft.has(joint.a) && !this.soft.has(joint.b);
            xyz.set(ends[0], 6 * j);
            xyz.set(ends[drawn ? 1 : 0], 6 * j + 3);
        });
        lines.needsUpdate = true;
    }

    /** The joint's frame on b in the world, or on a when b is the world or a flexible part, whose points have no frame. */
    jointFrame(frame: Frame, j: number): { origin: [number, number, number]; rotation: [number, number, number, number] } {
        const joint = this.run.meta.joints[j], onB = this.soft.has(joint.b) ? this.soft.has(joint.a) : joint.b >= 0 || this.soft.has(joint.a);
        const body = onB ? joint.b : joint.a, local = onB ? joint.frameB : joint.frameA;
        if (body < 0) return { origin: [local[0], local[1], local[2]], rotation: [local[3], local[4], local[5], local[6]] };
        return {
            origin: placed(frame, body, local),
            rotation: multiply(frame.rotation.subarray(4 * body, 4 * body + 4), local.slice(3))
        };
    }
}
