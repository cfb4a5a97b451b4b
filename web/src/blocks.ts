// The blocks of the page: found by their names, unpacked by a worker, or here where there is none.
import { unpack, type Result, type Task, type Units } from "./decode";

declare const WORKER: string; // the worker's code, by build.mjs

type Order = { [K in Task["kind"]]: Omit<Extract<Task, { kind: K }>, "id" | "text"> }[Task["kind"]];
interface Answer { id: number; result?: Result; bytes: number; error?: string; }

export const noUnits: Units = { length: 1, speed: 1, turn: 1, point: 1, gap: 1, impulse: 0 };

export class Blocks {
    readonly done = { blocks: 0, bytes: 0 }; // unpacked so far
    private worker: Worker | null = null;
    private readonly waiting = new Map<number, { task: Task; take: (answer: Answer) => void }>();
    private next = 0;

    /** alone: everything is done here, as programs that photograph the page need it. */
    constructor(alone: boolean) {
        if (alone) return;
        try {
            const url = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
            this.worker = new Worker(url);
            this.worker.addEventListener("message", (e: MessageEvent<Answer>) => this.waiting.get(e.data.id)?.take(e.data));
            this.worker.addEventListener("error", e => {
                e.preventDefault();
                this.giveUp();
            });
        } catch {
            this.worker = null;
        }
    }

    /** No worker, or it cannot run: what waits is done here. */
    private giveUp(): void {
        this.worker?.terminate();
        this.worker = null;
        for (const { task, take } of this.waiting.values()) void this.here(task).then(take);
    }

    private async here(task: Task): Promise<Answer> {
        try {
            return { id: task.id, ...await unpack(task) };
        } catch (error) {
            return { id: task.id, bytes: 0, error: String(error) };
        }
    }

    /** null: the page has no such block. */
    async unpack(name: string, order: Order): Promise<Result | null> {
        const text = document.getElementById(name)?.textContent;
        if (text === null || text === undefined) return null;
        const task = { ...order, id: this.next++, text } as Task;
        const answer = await new Promise<Answer>(take => {
            this.waiting.set(task.id, { task, take });
            if (this.worker) this.worker.postMessage(task);
            else void this.here(task).then(take);
        });
        this.waiting.delete(task.id);
        if (answer.error || !answer.result) throw new Error(`The data of this page are damaged: ${name}: ${answer.error ?? "empty"}`);
        this.done.blocks++;
        this.done.bytes += answer.bytes;
        return answer.result;
    }
}
