import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { removeFileSync } from "../../base/fs/directory.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import { systemClock } from "../../base/time/clock.js";
import { toIso } from "../../base/units.js";
import type { PassResult } from "../../contracts/board/board.js";
import { type CommandContext, defineCommand } from "../define.js";
import { requirePerson } from "../params/board-target.js";
import { passLines } from "./render/pass-text.js";

export default defineCommand({
  path: "kanban daemon",
  summary: "Run the dispatcher in the foreground (deprecated: owners dispatch by themselves).",
  topic: "kanban",
  params: z.object({
    force: z.boolean().default(false).describe("run it despite the deprecation"),
    interval: z
      .number()
      .int()
      .min(1)
      .max(3600)
      .optional()
      .describe("seconds between passes (default kanban.dispatch_interval_seconds)"),
    max: z.number().int().min(0).optional().describe("maximum workers started per interval"),
    failure_limit: z.number().int().min(1).optional().describe("consecutive failures before a task is blocked"),
    pidfile: z.string().min(1).optional().describe("file that holds the process id while it runs"),
    verbose: z.boolean().default(false).describe("print what each pass did"),
  }),
  short: { verbose: "v" },
  surfaces: ["cli"],
  access: "admin",
  where: "root",
  follow: true,
  staysWith: "--force",
  run: async (params, ctx) => {
    if (!params.force) throw deprecated();
    await requirePerson(ctx);
    const { interval: intervalSeconds, max, failure_limit: failureLimit } = params;
    const numbers = { intervalSeconds, max, failureLimit };
    const { pid } = await ctx.owner.status();
    const told = createTeller(ctx, params.verbose);
    let pidfile: string | undefined;
    try {
      await ctx.owner.dispatchUntil(ctx.signal, numbers, {
        begun: async () => {
          pidfile = params.pidfile === undefined ? undefined : writePid(ctx, params.pidfile, pid);
          await ctx.err(`kanban: dispatching in process ${pid}; Ctrl+C stops it, workers continue\n`);
        },
        passed: told.passed,
      });
    } finally {
      if (pidfile !== undefined) removeFileSync(pidfile);
    }
    await told.done();
    return { data: { ok: true, pid, started: told.started }, ...(ctx.json ? {} : { streamed: true }) };
  },
});

function deprecated(): AppError {
  return new AppError("E_USAGE", "kanban daemon is deprecated: a long-lived owner dispatches by itself", {
    hint: "start one with agent gateway run, or agent --headless; kanban daemon --force runs the dispatcher here",
  });
}

function writePid(ctx: CommandContext, given: string, owner: number): string {
  const path = given.startsWith("/") ? given : `${ctx.cwd}/${given}`;
  replaceTextFile(path, `${ctx.pid ?? owner}\n`, 0o644);
  return path;
}

/** Counts what was started, and tells of each pass that did something when that is wanted. */
function createTeller(ctx: CommandContext, verbose: boolean) {
  let started = 0;
  let telling: Promise<void> = Promise.resolve();
  return {
    get started() {
      return started;
    },
    passed: (pass: PassResult) => {
      started += pass.spawned.length;
      const lines = verbose ? passLines(pass) : [];
      if (lines.length === 0) return;
      const stamp = toIso(systemClock.now()).slice(11, 19);
      telling = telling
        .then(() => ctx.err(lines.map((line) => `kanban: ${stamp} ${line}\n`).join("")))
        .catch(() => undefined);
    },
    done: () => telling,
  };
}
