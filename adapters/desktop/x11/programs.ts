import { programOnPath } from "../../../lib/base/process/program-path.js";
import type { Child, Spawner } from "../../../lib/base/process/spawn.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";

type Env = Readonly<Record<string, string>>;

export interface X11Parts {
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly env: Env;
}

/** A program of the machine answers within this time, or is ended. */
const RUN_MS: Ms = 15_000;
const OUTPUT_BYTES = 128 << 20;

export interface Ran {
  readonly code: number | null;
  readonly out: Buffer;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: Uint8Array;
  readonly ms?: Ms;
}

/** Run a program to its end. @throws Error when it is not there, does not end in time, or the signal aborts */
export async function runProgram(
  { spawner, clock, env }: X11Parts,
  [name = "", ...args]: readonly string[],
  signal: AbortSignal,
  { input, ms = RUN_MS }: RunOptions = {},
): Promise<Ran> {
  signal.throwIfAborted();
  const file = name.includes("/") ? name : programOnPath(name, env["PATH"]);
  if (file === undefined) throw new Error(`${name} is not on PATH; agent computer-use install shows how to install it`);
  const stdin = input === undefined ? "ignore" : "pipe";
  const child = await spawner.spawn({
    file,
    args,
    cwd: "/",
    env,
    stdin,
    stdout: "pipe",
    stderr: "pipe",
    endsWithOwner: true,
  });
  const output = collect(child);
  if (input !== undefined) {
    child.write(Buffer.from(input));
    child.closeInput();
  }
  let late = false;
  const kill = (): void => {
    spawner.signal({ group: child.pid }, "SIGKILL");
  };
  const cancel = clock.after(ms, () => {
    late = true;
    kill();
  });
  signal.addEventListener("abort", kill, { once: true });
  try {
    const { code } = await child.exited;
    await child.closed;
    signal.throwIfAborted();
    if (late) throw new Error(`${name} did not answer within ${ms / 1000} s; does the display still answer?`);
    return { code, ...output() };
  } finally {
    cancel();
    signal.removeEventListener("abort", kill);
  }
}

function collect(child: Child): () => Pick<Ran, "out" | "err"> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let size = 0;
  child.onOutput((chunk, stream) => {
    size += chunk.length;
    if (size <= OUTPUT_BYTES) (stream === "stdout" ? out : err).push(chunk);
  });
  return () => ({ out: Buffer.concat(out), err: Buffer.concat(err).toString("utf8").trim() });
}

/** Run xdotool. @throws Error with what it says when it fails */
export async function xdotool(parts: X11Parts, args: readonly string[], signal: AbortSignal, ms?: Ms): Promise<string> {
  const ran = await runProgram(parts, ["xdotool", ...args], signal, ms === undefined ? {} : { ms });
  const unknownKey = /No such key name '([^']*)'/.exec(ran.err)?.[1];
  if (unknownKey !== undefined) throw new Error(`unknown key '${unknownKey}'`);
  if (ran.code !== 0) throw new Error(failureText(parts, ran.err));
  return ran.out.toString("utf8");
}

/** What xdotool and ImageMagick say, in words that tell what to do. */
export function failureText({ env }: Pick<X11Parts, "env">, err: string): string {
  if (/can't open display|unable to open X server|Can't open X display/i.test(err))
    return `the display ${env["DISPLAY"] ?? ""} cannot be opened; is its X server running, and may this user use it (XAUTHORITY)?`;
  if (/BadWindow|BadDrawable|no such window/i.test(err)) return "the window is gone; list_apps shows what is open";
  const [first = ""] = err.split("\n").filter((line) => line.trim() !== "");
  return first === "" ? "it failed without a word" : first.slice(0, 500);
}
