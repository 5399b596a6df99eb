import { isRecord, jsonOf } from "../../base/json/record.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms } from "../../base/units.js";
import type { HookFields, HookName } from "../../contracts/hooks/hooks.js";

export interface HookRunnerDeps {
  readonly clock: Clock;
  readonly spawner: Spawner;
  /** Directory that hooks run in: the home. */
  readonly cwd: string;
  /** The whole environment of a hook. */
  readonly env: () => Readonly<Record<string, string>>;
}

/** How a hook ended. */
export interface HookOutput {
  readonly code: number;
  readonly stdout: string;
  /** Its first characters. */
  readonly stderr: string;
}

const STDOUT_BYTES = 1 << 20;
const STDERR_BYTES = 8 << 10;
const STDERR_CHARS = 500;
const GRACE_MS: Ms = 1_000;

/**
 * Run a hook once with an object on its standard input. Its whole group has ended when this returns.
 *
 * @throws Error when it cannot be started, does not end before the signal, or writes more than 1 MiB
 */
export async function runHook(
  { clock, spawner, cwd, env }: HookRunnerDeps,
  [file = "", ...args]: readonly string[],
  payload: object,
  signal: AbortSignal,
): Promise<HookOutput> {
  const child = await spawner.spawn({
    file,
    args,
    cwd,
    env: env(),
    forPerson: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    endsWithOwner: true,
  });
  const stdout = bounded(STDOUT_BYTES);
  const stderr = bounded(STDERR_BYTES);
  let stop: (why: string) => void = () => undefined;
  const stopped = new Promise<string>((resolve) => {
    stop = resolve;
  });
  child.onOutput((chunk, stream) => {
    if (stream === "stderr") stderr.add(chunk);
    else if (!stdout.add(chunk)) stop(`wrote more than ${STDOUT_BYTES >> 20} MiB`);
  });
  const onAbort = () => stop(signal.reason instanceof Error ? signal.reason.message : "interrupted");
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    child.write(`${JSON.stringify(payload)}\n`);
    child.closeInput();
    const ended = await Promise.race([child.exited, stopped]);
    if (typeof ended === "string") throw new Error(ended);
    await settlesWithin(clock, GRACE_MS, child.closed); // what it started may hold its pipes
    return { code: ended.code ?? 128, stdout: stdout.text(), stderr: stderr.text().trim().slice(0, STDERR_CHARS) };
  } finally {
    signal.removeEventListener("abort", onAbort);
    await spawner.endGroup(child.pid, 0);
  }
}

function bounded(max: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    /** False: it is full. */
    add: (chunk: Buffer): boolean => {
      if (size < max) chunks.push(chunk.subarray(0, max - size));
      size += chunk.length;
      return size <= max;
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

/** The object on standard input (extensions part, 5.3). */
export function hookPayload(event: HookName, fields: HookFields[HookName], cwd: string): object {
  const given: Readonly<Record<string, unknown>> = { ...fields };
  const { tool_name = null, args = null, session_id = null, cwd: own = cwd, ...extra } = given;
  return { hook_event_name: event, tool_name, tool_input: args, session_id, cwd: own, extra };
}

/**
 * What its output means, as a callback of the hook would answer it.
 *
 * @throws Error for output that cannot be understood, and for a failed program that is to fail open
 */
export function answerOf(event: HookName, { code, stdout, stderr }: HookOutput, failOpen: boolean): unknown {
  const policy = event === "pre_tool_call" || event === "pre_gateway_dispatch";
  const said = stderr === "" ? `exit code ${code}` : stderr;
  if (code !== 0) {
    if (!policy || failOpen) throw new Error(said);
    return event === "pre_tool_call" ? { action: "block", message: said } : { action: "skip" };
  }
  if (stdout.trim() === "") return undefined;
  const read = jsonOf(stdout);
  if (!isRecord(read)) throw new Error("its output is not a JSON object");
  if (event === "pre_llm_call") return typeof read["context"] === "string" ? { context: read["context"] } : undefined;
  return policy ? decisionIn(event, read) : undefined;
}

/** Both spellings of a block; anything else is for the reader of the answers of hooks to judge. */
function decisionIn(event: HookName, read: Readonly<Record<string, unknown>>): unknown {
  const { decision, reason } = read;
  if (decision === undefined) return read;
  if (decision === "allow" || decision === "approve") return undefined;
  if (decision !== "block" && decision !== "deny") return read; // malformed: it fails
  if (event === "pre_gateway_dispatch") return { action: "skip" };
  return { action: "block", message: typeof reason === "string" ? reason : "blocked by a hook" };
}
