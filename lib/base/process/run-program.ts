import type { Clock } from "../time/clock.js";
import type { Ms } from "../units.js";
import type { Spawner } from "./spawn.js";

export interface ProgramRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from its standard input; absent: nothing. */
  readonly input?: string;
  readonly ms: Ms;
}

export interface ProgramEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

/** More of either output is dropped. */
const OUTPUT_BYTES = 4 << 20;
const GRACE_MS: Ms = 2_000;

/**
 * Run a program to its end and collect what it prints. At the end of its time, and when the signal aborts, its whole group is ended.
 *
 * @throws the system's error when it cannot be started; the signal's reason
 */
export async function runProgram(
  { spawner, clock }: { readonly spawner: Spawner; readonly clock: Pick<Clock, "after"> },
  { file, args, cwd, env, input, ms }: ProgramRun,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted();
  const child = await spawner.spawn({
    file,
    args,
    cwd,
    env,
    stdin: input === undefined ? "ignore" : "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const sizes = { stdout: 0, stderr: 0 };
  child.onOutput((chunk, stream) => {
    if (sizes[stream] >= OUTPUT_BYTES) return;
    sizes[stream] += chunk.length;
    parts[stream].push(chunk);
  });
  if (input !== undefined) {
    child.write(input);
    child.closeInput();
  }
  let timedOut = false;
  let ending: Promise<boolean> | undefined;
  const end = () => {
    ending ??= spawner.endGroup(child.pid, GRACE_MS);
  };
  const cancel = clock.after(ms, () => {
    timedOut = true;
    end();
  });
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    const { code } = await child.exited;
    if (ending === undefined) await child.closed;
    else await ending;
    signal.throwIfAborted();
    const text = (stream: "stdout" | "stderr") => Buffer.concat(parts[stream]).toString("utf8");
    return { code, stdout: text("stdout"), stderr: text("stderr"), timedOut };
  } finally {
    cancel();
    signal.removeEventListener("abort", end);
  }
}
