import * as z from "zod";
import { toAppError } from "../../base/errors.js";
import { jsonOf } from "../../base/json/record.js";
import type { Log } from "../../base/log/log.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms } from "../../base/units.js";
import type { FoundHook, GatewayHooks, HookDecision } from "../../contracts/gateway/hooks.js";

export interface HookRunner {
  readonly clock: Clock;
  readonly log: Log;
  readonly spawner: Spawner;
  /** The whole environment of a hook. */
  readonly env: () => Readonly<Record<string, string>>;
  /** The program that runs in place of a handler, with exactly the bytes that were allowed. @throws when the handler has other bytes now */
  readonly programOf: (hook: FoundHook) => Promise<string>;
}

const LIMIT_MS: Ms = 10_000;
const GRACE_MS: Ms = 1_000;
const OUTPUT_BYTES = 64 << 10;
/** Events that wait for one hook; above it they are left out. */
const WAITING = 100;

const decision = z.object({
  decision: z.enum(["allow", "deny", "handled", "rewrite"]),
  message: z.string().optional(),
  command_name: z.string().optional(),
  raw_args: z.string().optional(),
});

/** Calls the hooks that are allowed to run. Each gets events one after the other. */
export function createHookCalls(deps: HookRunner, hooks: readonly FoundHook[]): GatewayHooks {
  const tails = new Map<string, { last: Promise<unknown>; waiting: number }>();
  const listening = (...names: readonly string[]) =>
    hooks.filter(({ events }) => names.some((name) => events.includes(name)));
  const queue = (hook: FoundHook, data: object) => {
    const tail = tails.get(hook.id) ?? { last: Promise.resolve(), waiting: 0 };
    tails.set(hook.id, tail);
    if (tail.waiting >= WAITING) return deps.log.warning("a hook is too slow: an event was skipped", { hook: hook.id });
    tail.waiting += 1;
    tail.last = tail.last.then(async () => {
      await call(deps, hook, data);
      tail.waiting -= 1;
    });
  };
  return {
    wants: (event) => listening(event).length > 0,
    tell: (event, data) => {
      for (const hook of listening(event)) queue(hook, { event, ...data });
    },
    asks: (command) => listening(...decidingOn(command)).length > 0,
    decide: async (command, args, source) => {
      for (const hook of listening(...decidingOn(command))) {
        const said = await call(deps, hook, { event: `command:${command}`, command, arguments: args, source });
        const made = decisionIn(deps, hook, said);
        if (made !== undefined && made.decision !== "allow") return made;
      }
      return undefined;
    },
    idle: async () => {
      await Promise.all([...tails.values()].map(({ last }) => last));
    },
  };
}

const decidingOn = (command: string) => [`command:${command}`, "command:*"];

function decisionIn({ log }: HookRunner, { id }: FoundHook, said: string): HookDecision | undefined {
  if (said.trim() === "") return undefined;
  const read = decision.safeParse(jsonOf(said));
  if (!read.success) {
    log.warning("invalid decision of a hook", { hook: id });
    return undefined;
  }
  const { decision: what, message, command_name, raw_args } = read.data;
  return {
    decision: what,
    ...(message === undefined ? {} : { message }),
    ...(command_name === undefined ? {} : { command_name }),
    ...(raw_args === undefined ? {} : { raw_args }),
  };
}

/** Run a hook once. @returns what it wrote; "" when it failed, which is logged */
async function call(
  { clock, log, spawner, env, programOf }: HookRunner,
  hook: FoundHook,
  data: object,
): Promise<string> {
  try {
    const program = await programOf(hook);
    const [file = program, ...args] = hook.script ? [process.execPath, program] : [program];
    const child = await spawner.spawn({
      file,
      args,
      cwd: hook.dir,
      env: env(),
      forPerson: true,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      endsWithOwner: true,
    });
    const chunks: Buffer[] = [];
    let size = 0;
    child.onOutput((chunk) => {
      if (size < OUTPUT_BYTES) chunks.push(chunk);
      size += chunk.length;
    });
    child.write(`${JSON.stringify(data)}\n`);
    child.closeInput();
    const done = await settlesWithin(clock, LIMIT_MS, child.exited);
    if (!done) await spawner.endGroup(child.pid, GRACE_MS);
    const { code } = await child.exited;
    await settlesWithin(clock, GRACE_MS, child.closed);
    if (done && code === 0 && size <= OUTPUT_BYTES) return Buffer.concat(chunks).toString("utf8");
    const why = !done ? `timed out after ${LIMIT_MS / 1000} s` : code === 0 ? "too much output" : `exit code ${code}`;
    log.warning("a hook failed", { hook: hook.id, error: why });
  } catch (error) {
    log.warning("a hook failed", { hook: hook.id, error: toAppError(error).message });
  }
  return "";
}
