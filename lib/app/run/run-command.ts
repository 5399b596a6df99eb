import type { Ownership } from "../../backplane/elect.js";
import { toAppError } from "../../base/errors.js";
import { exists } from "../../base/fs/home-files.js";
import { systemClock } from "../../base/time/clock.js";
import { type CommandLine, overClient } from "../../cli/command-line.js";
import { execute } from "../../cli/execute-command.js";
import { prefixOf } from "../../cli/invocation.js";
import { lineKey, namesKey, repeats } from "../../contracts/ui/keyed-line.js";
import { services } from "../../rpc/commands/command-services.js";
import { createHost, type Host, stopHost } from "../owner-process.js";

/** A command that takes longer lets others in. */
const OPEN_AFTER_MS = 200;

/** Owners that a line may lose before it gives up. */
const TRIES = 5;

/**
 * Run one command line: in the owner when there is one; else in this process, which only looks for a reading command and is the owner for
 * the length of any other. A line that may be run again goes to the next owner when one ends before it answers.
 *
 * @returns exit code
 */
export async function runCommandLine(line: CommandLine): Promise<number> {
  const keyed = line.entry !== undefined && repeats(line.entry.path, line.argv);
  if (!keyed && !namesKey(line.argv)) return runOnce(line);
  const { caller } = line;
  const key = line.line?.key ?? lineKey(process.pid, systemClock.now());
  for (let tries = line.line === undefined ? 1 : 2; ; tries += 1) {
    let shown = false;
    const out = (text: string) => {
      shown = true;
      return caller.remote.out(text);
    };
    try {
      return await runOnce({
        ...line,
        line: keyed ? { key, again: tries > 1 } : undefined,
        caller: { ...caller, remote: { ...caller.remote, out } },
      });
    } catch (error) {
      if (toAppError(error).code !== "E_OWNER_LOST" || shown || tries === TRIES || caller.signal.aborted) throw error;
    }
  }
}

async function runOnce(line: CommandLine): Promise<number> {
  const { version, entry } = line;
  const options = { kind: "cli", version };
  const has = (option: string) => line.argv.some((word) => word.split("=")[0] === option);
  if (entry?.asksWith?.some(has) === true) return reading(line, options);
  if (entry?.outside === true) return (await import("./run-outside.js")).runOutside(line, runCommandLine);
  const stays = entry?.listens === true || (entry?.staysWith !== undefined && line.argv.includes(entry.staysWith));
  if (stays) return (await import("./run-staying.js")).runStaying(line);
  const follows = entry?.follow === true || entry?.followsWith?.some(has) === true;
  if (follows) line.caller.watchOutput();
  const writes = entry?.writesWith !== undefined && has(entry.writesWith);
  if (entry?.access === "read" && !follows && !writes) return reading(line, options);
  if (entry?.resumesWith !== undefined)
    return (await import("./run-following.js")).runFollowing(line, entry.resumesWith, electing);
  return electing(line);
}

/** In the owner that is there, else in this process, which is the owner for the length of the command. */
async function electing(line: CommandLine): Promise<number> {
  const { home, version } = line;
  const options = { kind: "cli", version };
  const { ownOr } = await import("../../backplane/elect.js");
  const role = await ownOr(home, options, (client) => overClient(line, client));
  return role.role === "done" ? role.result : owning(line, role);
}

/** In the owner when there is one that has begun; else by looking. */
async function reading(
  line: CommandLine,
  options: { readonly kind: string; readonly version: string },
): Promise<number> {
  if (!exists(line.home.socket)) return looking(line);
  const { connect, wasNotBegun } = await import("../../backplane/client.js");
  const client = await connect(line.home, options);
  if (!client) return looking(line);
  try {
    return await overClient(line, client);
  } catch (error) {
    if (!wasNotBegun(error)) throw error;
    return looking(line);
  } finally {
    client.close();
  }
}

async function looking(line: CommandLine): Promise<number> {
  const host = await createHost({
    home: line.home,
    kind: "readonly",
    version: line.version,
    env: line.caller.env,
    globals: line.globals,
  });
  try {
    const exit = await inHere(line, host);
    await warnOfStores(line, host);
    return exit;
  } finally {
    await host.app.stop();
  }
}

async function owning(line: CommandLine, ownership: Ownership): Promise<number> {
  const host = await createHost({
    home: line.home,
    kind: "command",
    version: line.version,
    env: line.caller.env,
    globals: line.globals,
  });
  // Most commands end before a client could connect; a client that comes meanwhile tries again until then. A run of the build, which is remembered for later
  // ones, stays alone: on a slow machine every later command would load the door as well.
  const alone = line.caller.env["AGENT_CODE_CACHE"] !== undefined;
  const keepShut = host.app.options.clock.after(OPEN_AFTER_MS, () => {
    if (!alone)
      host
        .door()
        .catch((error: unknown) =>
          host.app.options.log.error("not listening for other commands", { error: String(error) }),
        );
  });
  try {
    const exit = await inHere(line, host);
    keepShut();
    await warnOfStores(line, host);
    await othersDone(line, host);
    return exit;
  } finally {
    keepShut();
    await stopHost(host, ownership, "command finished");
  }
}

/** What recovery found wrong with the stores that the command used, whether it only reads or also writes. */
async function warnOfStores({ argv, caller }: CommandLine, { app }: Host): Promise<void> {
  for (const problem of app.stores.problems()) await caller.err(`${prefixOf(argv)}warning: ${problem}\n`);
}

/** Another client may have begun a turn here meanwhile; it is not cut off. */
async function othersDone({ caller }: CommandLine, { app, door }: Host): Promise<void> {
  const backplane = await door.peek();
  if (!backplane) return;
  backplane.leave("command finished");
  const turns = (await app.chats.peek())?.openTurns() ?? 0;
  if (backplane.openRequests() > 0 || turns > 0)
    await caller.err("agent: waiting for work started by others in this process\n");
  await backplane.idle(caller.signal);
}

function inHere({ argv, caller, line }: CommandLine, { app }: Host): Promise<number> {
  const { cwd, env, columns, color, isTty: tty, signal, force, gone, out, err, bytes, stdin, pipeExit } = caller;
  const { pid } = process;
  return execute(
    {
      ...services(app),
      argv,
      line,
      cwd,
      env,
      columns,
      color,
      tty,
      pid,
      signal,
      force,
      gone,
      out,
      err,
      bytes,
      stdin,
      pipeExit,
    },
    caller.entries,
  );
}
