import type { ChildProcess } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import WebSocket from "ws";

/** A process of Node that was started with `--inspect=127.0.0.1:0`, seen from outside. */
export interface Inspected {
  /** MB that are in use after everything was collected that can be. */
  heap(): Promise<number>;
  /** Note where its time goes, from now on. @returns ends that and writes the profile */
  profile(path: string): Promise<() => Promise<void>>;
  close(): void;
}

type Json = Readonly<Record<string, unknown>>;

/** Connect to a process whose standard error is a pipe; what it writes there later is let go. */
export async function inspect(child: ChildProcess): Promise<Inspected> {
  const socket = new WebSocket(await addressOf(child), { perMessageDeflate: false });
  await new Promise<void>((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const open = new Map<number, (result: Json) => void>();
  socket.on("message", (data) => {
    const { id, result = {} }: { readonly id?: number; readonly result?: Json } = JSON.parse(String(data));
    if (id !== undefined) open.get(id)?.(result);
  });
  let last = 0;
  const call = (method: string, params: Json = {}): Promise<Json> =>
    new Promise((resolve) => {
      last += 1;
      open.set(last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return {
    heap: async () => {
      await call("HeapProfiler.collectGarbage");
      return Number((await call("Runtime.getHeapUsage"))["usedSize"]) / 2 ** 20;
    },
    profile: async (path) => {
      await call("Profiler.enable");
      await call("Profiler.start");
      return async () => writeFile(path, JSON.stringify((await call("Profiler.stop"))["profile"]));
    },
    close: () => socket.terminate(),
  };
}

function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error("the process is not listened to");
  return new Promise((resolve, reject) => {
    createInterface({ input: stderr })
      .on("line", (line) => {
        const address = /^Debugger listening on (ws:\S+)$/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      })
      .once("close", () => reject(new Error("the process ended before it could be inspected")));
  });
}
