import { join } from "node:path";
import { makeDirectory } from "../../base/fs/files.js";
import type { Cage } from "../../safety/cage/cage.js";
import { prepareGitLine } from "../../safety/cage/git/prepare.js";
import { startGitLine } from "../../safety/cage/git/start.js";
import { childEnv } from "../../safety/redact/env.js";
import type { ToolContext } from "../core/define.js";
import type { Shell } from "./image.js";
import type { Started } from "./script.js";

/** A line of git before it runs in a cage. */
export interface GitRun {
  /** It runs with the person's credentials; absent: as every other line. */
  readonly started?: Started;
  /** What the model should know when it has failed without them. */
  readonly hint?: string;
}

/** What a line of git starts from. */
export interface GitLinePlace {
  readonly cage: Cage;
  readonly shell: Pick<Shell, "env">;
  readonly cwd: string;
}

/** Start a line that is nothing but git and needs the person's credentials or changes a remote (core part, 20.9). */
export async function startGitRun(
  ctx: ToolContext,
  { cage, shell, cwd }: GitLinePlace,
  command: string,
): Promise<GitRun> {
  const { spawner, clock } = ctx.ports;
  const prepared = await prepareGitLine({ spawner, clock, env: ctx.env }, { command, cwd, plan: cage.plan });
  if (prepared.how === "ordinary") return prepared.hint === undefined ? {} : { hint: prepared.hint };
  const dir = join(ctx.home.runDir, "git");
  await makeDirectory(dir, 0o700);
  const env = childEnv(ctx.env, ctx.config);
  const started = await startGitLine(prepared, {
    spawner,
    clock,
    env,
    exported: shell.env,
    own: ctx.env,
    cage,
    dir,
    cwd,
  });
  return typeof started === "string"
    ? { hint: `the line ran in the cage, where git has no credentials: ${started}` }
    : { started };
}
