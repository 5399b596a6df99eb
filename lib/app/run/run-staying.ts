import { wasNotBegun } from "../../backplane/client.js";
import type { Ownership } from "../../backplane/elect.js";
import { type CommandLine, overClient } from "../../cli/command-line.js";
import { execute } from "../../cli/execute-command.js";
import { prefixOf } from "../../cli/invocation.js";
import { services } from "../../rpc/commands/command-services.js";
import type { App } from "../app.js";
import { dispatchUntil } from "../owner/dispatch-until.js";
import { createHost, type Host, stopHost } from "../owner-process.js";
import { startOrUndo } from "../process/foreground.js";
import { ownForLong } from "../process/long-owner.js";

/**
 * Run a command that stays: in the owner when there is one that stays too, else in this process, which becomes it.
 *
 * @returns exit code
 */
export async function runStaying(line: CommandLine): Promise<number> {
  const { home, version, caller } = line;
  const met = await electOrRun(line);
  if (typeof met === "number") return met;
  const stopping = new AbortController();
  const onStop = () => stopping.abort();
  const listens = line.entry?.listens === true;
  const role = listens ? ({ listens } as const) : ({ reserved: true } as const);
  const host = await createHost({
    home,
    kind: "long",
    version,
    env: caller.env,
    globals: line.globals,
    ...role,
    onStop,
  });
  const unwatch = await startOrUndo(host, met);
  try {
    for (const problem of [...host.config.problems(), ...host.config.warnings()])
      await caller.err(`${prefixOf(line.argv)}${problem}\n`);
    return await inHere(line, host, AbortSignal.any([caller.signal, stopping.signal]));
  } finally {
    unwatch();
    await stopHost(host, met, "stopped");
    await tellWorkers(host, line);
  }
}

/** An owner that leaves before it has begun is not the end: another one is asked, or this process becomes it. */
async function electOrRun(line: CommandLine): Promise<Ownership | number> {
  const { home, version } = line;
  for (;;) {
    const met = await ownForLong(home, { kind: "cli", version });
    if (met.role === "owner") return met;
    try {
      return await overClient(line, met.client);
    } catch (error) {
      if (!wasNotBegun(error)) throw error;
    } finally {
      met.client.close();
    }
  }
}

function inHere({ argv, caller }: CommandLine, { app }: Host, signal: AbortSignal): Promise<number> {
  const { cwd, env, columns, color, isTty: tty, force, gone, out, err, stdin, pipeExit } = caller;
  const own = { ...services(app), ...(app.options.reserved === true && { owner: reservedOwner(app) }) };
  return execute(
    { ...own, argv, cwd, env, columns, color, tty, pid: process.pid, signal, force, gone, out, err, stdin, pipeExit },
    caller.entries,
  );
}

/** The owner as the command sees it for which it is reserved. */
function reservedOwner(app: App): App["owner"] {
  const { status, underWay, stopWorkers, doctor, protocol, stop } = app.owner;
  return {
    status,
    underWay,
    stopWorkers,
    doctor,
    protocol,
    stop,
    dispatchUntil: async (signal, numbers, told) =>
      dispatchUntil((await app.boards()).dispatcher, signal, numbers, told),
  };
}

async function tellWorkers({ app }: Host, { caller }: CommandLine): Promise<void> {
  const workers = (await app.boards.peek())?.dispatcher.running() ?? 0;
  if (workers > 0) await caller.err(`kanban: ${workers} worker(s) continue; the next owner adopts them\n`);
}
