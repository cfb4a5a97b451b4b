// Unpacks blocks beside the page, so that playing does not stumble. Its code is put into the page's by build.mjs.
import { unpack, type Result, type Task } from "./decode";

function buffers(result: Result): Transferable[] {
    if (ArrayBuffer.isView(result)) return [result.buffer as ArrayBuffer];
    return Object.values(result as unknown as Record<string, unknown>).flatMap(v => ArrayBuffer.isView(v) ? [v.buffer as ArrayBuffer] : []);
}

addEventListener("message", (e: MessageEvent<Task>) => {
    unpack(e.data).then(({ result, bytes }) => {
        postMessage({ id: e.data.id, result, bytes }, { transfer: buffers(result) } as StructuredSerializeOptions);
    }).catch((error: unknown) => postMessage({ id: e.data.id, error: String(error) }));
});
