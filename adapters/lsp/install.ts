import { join } from "node:path";
import { moveDir, removeDir } from "../../lib/base/fs/directory.js";
import { makeDirectory, writeAtomic } from "../../lib/base/fs/files.js";
import type { Ids } from "../../lib/base/ids.js";
import type { Child, Spawner } from "../../lib/base/process/spawn.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import type { InstallOutcome } from "../../lib/contracts/owner/language-servers.js";
import { tailText, toScreenLine } from "../../lib/safety/redact/text.js";
import type { ServerDefinition } from "./definition.js";
import { findProgram, installDir } from "./programs.js";

/** A package manager that has not ended by then will not. */
const WITHIN_MS: Ms = 600_000;
const OUTPUT_CHARS = 4_000;
const END_GRACE_MS: Ms = 1_000;

export interface InstallPorts {
  readonly home: string;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Environment of the package manager: no secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

interface Plan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What must be done for a server to be there, in words of a shell. */
export function installText({ install }: ServerDefinition): string {
  switch (install.by) {
    case "npm":
      return `npm install ${install.packages.join(" ")}`;
    case "go":
      return `go install ${install.package}`;
    case "hand":
      return install.how;
  }
}

/**
 * Install a server into the home: into a directory beside its place, which it takes when everything is there. Scripts of packages are not run.
 * Never rejects.
 */
export async function installServer(definition: ServerDefinition, ports: InstallPorts): Promise<InstallOutcome> {
  const { id } = definition;
  const draft = `${installDir(ports.home, id)}.${ports.ids.hex(4)}.new`;
  try {
    const plan = await planOf(definition, draft, ports);
    if (typeof plan === "string") return { id, ok: false, message: plan };
    await makeDirectory(draft, 0o700);
    if (definition.install.by === "npm")
      await writeAtomic(join(draft, "package.json"), '{ "private": true }\n', 0o600, false);
    const failed = await runPlan(plan, draft, ports);
    if (failed !== undefined) return { id, ok: false, message: failed };
    removeDir(installDir(ports.home, id));
    moveDir(draft, installDir(ports.home, id));
    return { id, ok: true, message: `installed into ${installDir(ports.home, id)}` };
  } catch (error) {
    return { id, ok: false, message: toScreenLine(error instanceof Error ? error.message : String(error), 300) };
  } finally {
    removeDir(draft);
  }
}

/** A text says why it cannot be done. */
async function planOf({ id, install }: ServerDefinition, draft: string, { env }: InstallPorts): Promise<Plan | string> {
  if (install.by === "hand") return `${id} is installed by hand: ${install.how}`;
  const manager = await findProgram(install.by, env);
  if (manager === undefined) return `${install.by} is not on the PATH, so ${id} cannot be installed`;
  if (install.by === "go")
    return { file: manager, args: ["install", install.package], env: { ...env, GOBIN: join(draft, "bin") } };
  const options = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--save-exact",
    "--loglevel=error",
    "--prefix",
    draft,
  ];
  return { file: manager, args: ["install", ...options, ...install.packages], env };
}

/** Undefined: it worked. */
async function runPlan(plan: Plan, cwd: string, { spawner, clock, signal }: InstallPorts): Promise<string | undefined> {
  if (signal.aborted) return "interrupted";
  const child = await spawner.spawn({ ...plan, cwd, stderr: "stdout", endsWithOwner: true });
  let output = "";
  child.onOutput((chunk) => {
    output = tailText(output + chunk.toString("utf8"), OUTPUT_CHARS);
  });
  const stopped = await watched(child, { spawner, clock, signal });
  const { code } = await child.exited;
  if (stopped !== undefined) return stopped;
  return code === 0 ? undefined : `${plan.file} failed with exit code ${code}: ${toScreenLine(output, 600)}`;
}

/** Wait for the end of a child; ends it when its time is over or it is no longer wanted, and says so. */
async function watched(
  child: Child,
  { spawner, clock, signal }: Pick<InstallPorts, "spawner" | "clock" | "signal">,
): Promise<string | undefined> {
  let reason: string | undefined;
  const end = (why: string) => {
    reason ??= why;
    return spawner.endGroup(child.pid, END_GRACE_MS);
  };
  const ending: Promise<boolean>[] = [];
  const onAbort = () => ending.push(end("interrupted"));
  const cancel = clock.after(WITHIN_MS, () => ending.push(end(`it took more than ${WITHIN_MS / 60_000} minutes`)));
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await child.exited;
  cancel();
  signal.removeEventListener("abort", onAbort);
  await Promise.all(ending);
  return reason;
}
