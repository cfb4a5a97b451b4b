// The stage: camera, light, shadows, ground with its grid, planes, and what the camera does.
import {
    AmbientLight, BasicShadowMap, Box3, Color, DataTexture, DirectionalLight, DoubleSide, FrontSide, Group, HemisphereLight, LinearFilter, Mesh,
    MeshLambertMaterial, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster,
    RGBAFormat, Scene, ShaderMaterial, ShadowMaterial, SRGBColorSpace, Vector2, Vector3, WebGLRenderer
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Box, Run } from "./run";
import { rotate } from "./shapes";

const GRID_VERTEX = `
varying vec3 at;
void main() { vec4 w = modelMatrix * vec4(position, 1.0); at = w.xyz; gl_Position = projectionMatrix * viewMatrix * w; }`;
// Lines every cell and, stronger, every ten cells; they fade away from the middle and when they get closer than a pixel.
const GRID_FRAGMENT = `
uniform float cell; uniform vec3 ink; uniform vec2 middle; uniform float reach; uniform float strength;
varying vec3 at;
float lines(float size) {
    vec2 x = at.xy / size, width = fwidth(x);
    vec2 near = abs(fract(x - 0.5) - 0.5) / max(width, 1e-6);
    float line = 1.0 - min(min(near.x, near.y), 1.0);
    return line * (1.0 - smoothstep(0.25, 0.6, max(width.x, width.y)));
}
void main() {
    float fade = 1.0 - smoothstep(0.25, 1.0, distance(at.xy, middle) / reach);
    float a = max(0.45 * lines(cell), lines(10.0 * cell)) * fade * strength;
    if (a < 0.004) discard;
    gl_FragColor = vec4(ink, a);
}`;

/** Length of a grid cell for a scene of this size: 1, 2 or 5 times a power of ten. */
export function cellFor(size: number): number {
    const raw = size / 12, power = 10 ** Math.floor(Math.log10(raw)), x = raw / power;
    return (x < 1.5 ? 1 : x < 3.5 ? 2 : x < 7.5 ? 5 : 10) * power;
}

function box3(box: Box): Box3 {
    return box ? new Box3(new Vector3(box[0], box[1], box[2]), new Vector3(box[3], box[4], box[5])) : new Box3();
}

export class Stage {
    readonly scene = new Scene();
    readonly camera = new PerspectiveCamera(34, 1, 0.01, 1000);
    readonly renderer: WebGLRenderer;
    readonly controls: OrbitControls;
    readonly bounds: Box3;
    readonly cell: number;
    private readonly sun = new DirectionalLight(0xfff8ee, 2.7);
    private readonly sky = new HemisphereLight(0xf4f7ff, 0xd3cbc0, 1.75);
    private readonly grid: ShaderMaterial;
    private readonly shade = new ShadowMaterial({ opacity: 0.28, depthWrite: false });
    private readonly walls = new MeshLambertMaterial({ color: 0xaab4bf, transparent: true, opacity: 0.22, side: FrontSide,
        depthWrite: false });
    private readonly slopes = new MeshLambertMaterial({ color: 0xc9ced4, side: DoubleSide });
    private readonly followed = new Vector3();
    private following = false;

    /** fine: the best picture, however long it takes. */
    constructor(private readonly run: Run, private readonly canvas: HTMLCanvasElement, fine: boolean) {
        const attributes = { antialias: true, alpha: false, preserveDrawingBuffer: true, powerPreference: "high-performance" as const };
        const fast = canvas.getContext("webgl2", { ...attributes, failIfMajorPerformanceCaveat: true });
        const plain = !fast && !fine; // no graphics card: simpler pictures, unless they are to be kept
        const context = fast ?? canvas.getContext("webgl2", { ...attributes, antialias: !plain });
        if (!context) throw new Error("This browser cannot draw in three dimensions (WebGL 2 is switched off).");
        this.renderer = new WebGLRenderer({ canvas, context });
        this.renderer.outputColorSpace = SRGBColorSpace;
        this.renderer.toneMapping = NeutralToneMapping;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = plain ? BasicShadowMap : PCFShadowMap;
        this.renderer.shadowMap.autoUpdate = false;
        this.camera.up.set(0, 0, 1);
        this.bounds = this.findBounds();
        const size = this.bounds.getSize(new Vector3()).length();
        this.cell = cellFor(size);
        this.grid = new ShaderMaterial({
            vertexShader: GRID_VERTEX, fragmentShader: GRID_FRAGMENT, transparent: true, depthWrite: false, side: DoubleSide,
            uniforms: { cell: { value: this.cell }, ink: { value: new Color() }, middle: { value: new Vector2() }, reach: { value: 1 },
                strength: { value: 0.55 } }
        });
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.zoomToCursor = true;
        this.controls.maxPolarAngle = Math.PI * 0.97;
        this.light(size, plain ? 1024 : 2048);
        this.addGround(size);
        this.fit();
    }

    /** What to look at: where bodies begin and end, unless some fly far away. */
    private findBounds(): Box3 {
        const start = box3(this.run.meta.start), end = box3(this.run.meta.end), both = start.clone().union(end), all = box3(this.run.meta.all);
        if (both.isEmpty()) return new Box3(new Vector3(-1, -1, 0), new Vector3(1, 1, 1));
        const size = (b: Box3) => b.getSize(new Vector3()).length();
        if (!start.isEmpty() && size(both) > 2.2 * size(start)) return start.expandByScalar(0.25 * size(start));
        return size(all) < 1.5 * size(both) ? all : both;
    }

    private light(size: number, map: number): void {
        const middle = this.bounds.getCenter(new Vector3()), reach = 0.75 * size;
        this.sun.position.copy(middle).add(new Vector3(-0.45, -0.62, 1.05).multiplyScalar(size));
        this.sun.target.position.copy(middle);
        this.sun.castShadow = true;
        const { shadow } = this.sun;
        shadow.mapSize.set(map, map);
        shadow.camera.left = shadow.camera.bottom = -reach;
        shadow.camera.right = shadow.camera.top = reach;
        shadow.camera.near = 0.05 * size;
        shadow.camera.far = 3 * size;
        shadow.bias = -0.0006;
        shadow.normalBias = 0.0012 * size;
        shadow.radius = 3;
        const fill = new DirectionalLight(0xe9f0ff, 1.1);
        fill.position.copy(middle).add(new Vector3(0.9, -0.3, 0.35).multiplyScalar(size));
        fill.target.position.copy(middle);
        this.scene.add(this.sun, this.sun.target, this.sky, fill, fill.target, new AmbientLight(0xffffff, 0.12));
    }

    /** Ground where a fixed plane looks up, slopes and glass walls where planes look elsewhere; without a plane a grid below everything. */
    private addGround(size: number): void {
        const reach = 6 * size, { bodies, meta } = this.run, middle = this.bounds.getCenter(new Vector3());
        const planes = new Group(), q = new Quaternion();
        let ground = -Infinity, at = 0;
        const moving = new Set(meta.moving);
        bodies.forEach((b, i) => {
            if (moving.has(i)) return;
            const pose = meta.pose.slice(at, at + 7);
            at += 7;
            if (meta.shapes[b.shape]?.kind !== "plane") return;
            const up = rotate(pose, 3, [0, 0, 1]);
            if (up[2] > 0.999) ground = Math.max(ground, pose[2]);
            else {
                const wall = new Mesh(new PlaneGeometry(1, 1), up[2] > 0.3 ? this.slopes : this.walls), origin = new Vector3(pose[0], pose[1], pose[2]);
                const normal = new Vector3(...up);
                wall.quaternion.copy(q.set(pose[4], pose[5], pose[6], pose[3]));
                wall.position.copy(middle).addScaledVector(normal, origin.sub(middle).dot(normal));
                wall.scale.setScalar(1.02 * size);
                wall.receiveShadow = true;
                planes.add(wall);
            }
        });
        const height = Number.isFinite(ground) ? ground : this.bounds.min.z - 0.02 * size;
        const floor = new Mesh(new PlaneGeometry(3 * size, 3 * size), this.shade), grid = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), this.grid);
        floor.position.set(middle.x, middle.y, height);
        grid.position.set(middle.x, middle.y, height + 1e-4 * size);
        floor.receiveShadow = true;
        floor.renderOrder = -2;
        grid.renderOrder = -1;
        this.grid.uniforms.middle.value.set(middle.x, middle.y);
        this.grid.uniforms.reach.value = 0.55 * reach;
        this.scene.add(floor, grid, planes);
    }

    setShadows(on: boolean): void {
        this.sun.castShadow = on;
        this.moved();
    }

    /** Bodies have moved: shadows must be drawn anew, which turning the camera does not need. */
    moved(): void {
        this.renderer.shadowMap.needsUpdate = true;
    }

    setTheme(dark: boolean): void {
        const top = new Color(dark ? "#1d242c" : "#dfe7ee"), low = new Color(dark ? "#12161b" : "#f7f5f1"), rows = 64;
        const data = new Uint8Array(4 * rows), c = new Color();
        for (let i = 0; i < rows; i++) {
            c.copy(low).lerp(top, i / (rows - 1)).convertLinearToSRGB();
            data.set([255 * c.r, 255 * c.g, 255 * c.b, 255], 4 * i);
        }
        const texture = new DataTexture(data, 1, rows, RGBAFormat);
        texture.colorSpace = SRGBColorSpace;
        texture.magFilter = texture.minFilter = LinearFilter;
        texture.needsUpdate = true;
        this.scene.background = texture;
        this.grid.uniforms.ink.value.set(dark ? "#8fa2b5" : "#6b7885");
        this.shade.opacity = dark ? 0.5 : 0.26;
        this.sky.intensity = dark ? 1.25 : 1.7;
        this.walls.color.set(dark ? 0x5b6773 : 0xaab4bf);
        this.slopes.color.set(dark ? 0x4a525b : 0xc9ced4);
    }

    /** Moves the camera so that a box fills the picture; from its present direction, or a good one at first. */
    fit(box = this.bounds, keepDirection = false): void {
        const direction = keepDirection
            ? this.camera.position.clone().sub(this.controls.target).normalize() : new Vector3(0.5, -0.8, 0.34).normalize();
        const right = new Vector3(0, 0, 1).cross(direction).normalize(), up = direction.clone().cross(right).normalize();
        const middle = box.getCenter(new Vector3()), corner = new Vector3();
        const ty = Math.tan(this.camera.fov * Math.PI / 360), tx = ty * this.camera.aspect;
        // A corner at (x, y), depth d towards the eye, is in the picture when |x - a| <= tx (distance - d), |y - b| <= ty (distance - d); (a, b): where the eye looks.
        const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
        for (let i = 0; i < 8; i++) {
            corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(middle);
            const depth = corner.dot(direction);
            [corner.dot(right) / tx, corner.dot(up) / ty].forEach((at, k) => {
                low[k] = Math.min(low[k], at - depth);
                high[k] = Math.max(high[k], at + depth);
            });
        }
        const distance = 1.04 * Math.max(1e-3, 0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]));
        middle.addScaledVector(right, 0.5 * tx * (low[0] + high[0])).addScaledVector(up, 0.5 * ty * (low[1] + high[1]));
        this.controls.target.copy(middle);
        this.camera.position.copy(middle).addScaledVector(direction, distance);
        const size = this.bounds.getSize(corner).length();
        this.camera.near = 0.002 * size;
        this.camera.far = 40 * size;
        this.camera.updateProjectionMatrix();
        this.controls.update();
    }

    /** Keeps a point where it is in the picture; null: no more. */
    follow(point: Vector3 | null): void {
        if (point) {
            if (this.following) {
                const step = point.clone().sub(this.followed);
                this.camera.position.add(step);
                this.controls.target.add(step);
            } else {
                const step = point.clone().sub(this.controls.target);
                this.camera.position.add(step);
                this.controls.target.add(step);
            }
            this.followed.copy(point);
        }
        this.following = point !== null;
    }

    /** To the size of its place; scale: pixels for one of the page, else those of the screen. */
    resize(scale?: number): boolean {
        const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!, ratio = scale ?? Math.min(window.devicePixelRatio || 1, 2);
        const old = this.renderer.getSize(new Vector2());
        if (!width || !height || old.x === width && old.y === height && this.renderer.getPixelRatio() === ratio) return false;
        this.renderer.setPixelRatio(ratio);
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        return true;
    }

    ray(x: number, y: number): Raycaster {
        const ray = new Raycaster(), { width, height } = this.canvas.getBoundingClientRect();
        ray.setFromCamera(new Vector2(2 * x / width - 1, 1 - 2 * y / height), this.camera);
        return ray;
    }

    /** Where a point is on the canvas, in CSS pixels; null: behind the camera. */
    project(x: number, y: number, z: number): [number, number] | null {
        const p = new Vector3(x, y, z).project(this.camera), { width, height } = this.canvas.getBoundingClientRect();
        return p.z > 1 ? null : [(p.x + 1) / 2 * width, (1 - p.y) / 2 * height];
    }

    /** Pixels of a metre where the camera looks at. */
    pixels(): number {
        const { camera, controls } = this, away = Math.max(camera.near, camera.position.distanceTo(controls.target));
        return this.canvas.height / (2 * away * Math.tan(camera.fov * Math.PI / 360));
    }

    render(): void {
        this.renderer.render(this.scene, this.camera);
    }
}
