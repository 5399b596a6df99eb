import { systemCode } from "../../base/errors.js";
import { statPath } from "../../base/fs/files.js";
import type { Child, Spawner, SpawnSpec } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { filtersIn, gitEnv } from "./env.js";

/** What git is run with. */
export interface GitPorts {
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface GitOptions {
  /** Milliseconds after which it is ended. Default 30 s. */
  readonly limitMs?: Ms;
  /** More environment, e.g. another index. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Output beyond this many bytes is dropped, and the answer says so. Default 1 MiB. */
  readonly maxBytes?: number;
  /** It is ended at once when its result is no longer awaited. */
  readonly signal?: AbortSignal;
}

export interface GitAnswer {
  readonly ok: boolean;
  /** Standard output, whole. */
  readonly out: string;
  /** Trimmed: what it wrote when it succeeded, why it failed when it did not. */
  readonly said: string;
  /** The output was longer. */
  readonly cut: boolean;
}

/** Git in one directory, with the content filters of the repository switched off. */
export interface Git {
  readonly cwd: string;
  run(args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
}

const LIMIT_MS: Ms = 30_000;
const MAX_BYTES = 1 << 20;
const MAX_ERROR = 64 * 1024;
const NONE = "git ended with 1";
/** How long git may take to go once it is stopped. */
const GRACE_MS: Ms = 1_000;

/**
 * Look which filters the repository at `cwd` brings, and answer with a git that runs none of them. `filters: "none"`: nor those of the user, which
 * may take programs from the settings of the repository.
 */
export async function openGit(
  ports: GitPorts,
  cwd: string,
  {
    filters = "user",
    ...options
  }: Pick<GitOptions, "limitMs" | "signal"> & { readonly filters?: "user" | "none" } = {},
): Promise<Git> {
  const args = ["config", "--show-scope", "--null", "--name-only", "--get-regexp", "^filter\\."];
  const answer = await run(ports, { cwd, args, filters: [] }, options);
  // Git says 1 and nothing else when none are set. While they are unknown git must not run on files.
  if (!answer.ok && answer.said !== NONE) return { cwd, run: () => Promise.resolve(answer) };
  return gitAt(ports, cwd, filtersIn(answer.out, filters === "none"));
}

/** Git for looking at a repository and its references; it never touches files of a work tree. */
export const gitAt = (ports: GitPorts, cwd: string, filters: readonly string[] = []): Git => ({
  cwd,
  run: (args, options = {}) => run(ports, { cwd, args, filters }, options),
});

interface Call {
  readonly cwd: string;
  readonly args: readonly string[];
  readonly filters: readonly string[];
}

async function run(ports: GitPorts, call: Call, options: GitOptions): Promise<GitAnswer> {
  const max = options.maxBytes ?? MAX_BYTES;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    const child = await begin(ports, call, options);
    const ended = endOf(ports, child, options);
    child.onOutput((chunk, from) => {
      if (from !== "stdout") return;
      if (bytes < max) pieces.push(chunk.subarray(0, max - bytes));
      bytes += chunk.length;
    });
    const failure = await ended;
    const out = Buffer.concat(pieces).toString("utf8");
    return { ok: failure === undefined, out, said: failure ?? out.trim(), cut: bytes > max };
  } catch (error) {
    return { ok: false, out: "", said: await notStarted(call, error), cut: false };
  }
}

function begin({ spawner, env }: GitPorts, { cwd, args, filters }: Call, options: GitOptions): Promise<Child> {
  const spec: SpawnSpec = {
    file: "git",
    args: ["--no-pager", ...args],
    cwd,
    env: { ...gitEnv(env, filters), ...options.env },
    stdin: options.input === undefined ? "ignore" : "pipe",
    stdout: "pipe",
    stderr: "pipe",
  };
  return spawner.spawn(spec).then((child) => {
    if (options.input !== undefined) {
      child.write(options.input);
      child.closeInput();
    }
    return child;
  });
}

/** Why git failed, or undefined when it did not. */
async function endOf({ spawner, clock }: GitPorts, child: Child, options: GitOptions): Promise<string | undefined> {
  const { limitMs = LIMIT_MS, signal } = options;
  let err = "";
  let late = false;
  child.onOutput((chunk, from) => {
    if (from === "stderr") err = `${err}${chunk.toString("utf8")}`.slice(-MAX_ERROR);
  });
  const cancel = clock.after(limitMs, () => {
    late = true;
    void spawner.endGroup(child.pid, GRACE_MS);
  });
  const dropped = () => void spawner.endGroup(child.pid, GRACE_MS);
  signal?.addEventListener("abort", dropped);
  if (signal?.aborted) dropped();
  try {
    const exit = await child.exited;
    await child.closed;
    if (signal?.aborted) return "git was ended: nobody waits for it";
    if (late) return `git took longer than ${limitMs / 1000} s and was ended`;
    return exit.code === 0
      ? undefined
      : err.trim().replace(/^(fatal|error): /, "") || `git ended with ${exit.code ?? exit.signal}`;
  } finally {
    cancel();
    signal?.removeEventListener("abort", dropped);
  }
}

async function notStarted({ cwd }: Pick<Call, "cwd">, error: unknown): Promise<string> {
  const code = systemCode(error);
  if (code === undefined) throw error;
  const found = await statPath(cwd);
  if (found === undefined) return `no such directory: ${cwd}`;
  return found.kind === "directory" ? `git cannot be started (${code})` : `${cwd} is not a directory`;
}
