import { connect } from "../backplane/client.js";
import { type Clientship, type Ownership, ownOrConnect } from "../backplane/elect.js";
import type { Home } from "../base/home.js";
import type { CommandEntry } from "../commands/entry.js";
import type { CallerIo } from "./caller.js";
import { execute } from "./cli/execute.js";
import { createHost, type Host, stopHost } from "./host.js";
import { services } from "./run.js";

export interface CommandLine {
  readonly argv: readonly string[];
  readonly home: Home;
  readonly version: string;
  readonly entry: CommandEntry | undefined;
  readonly caller: CallerIo;
}

/** A command that takes longer lets others in. */
const OPEN_AFTER_MS = 200;

/**
 * Run one command line: in the owner when there is one; else in this process, which only looks for a reading command and is the owner for
 * the length of any other.
 *
 * @returns exit code
 */
export async function runCommand(line: CommandLine): Promise<number> {
  const { home, version, entry } = line;
  if (entry?.access === "read" && !entry.follow) {
    const client = await connect(home, { kind: "cli", version });
    return client ? overClient(line, { role: "client", client }) : looking(line);
  }
  const role = await ownOrConnect(home, { kind: "cli", version });
  return role.role === "client" ? overClient(line, role) : owning(line, role);
}

async function overClient({ argv, caller }: CommandLine, { client }: Clientship): Promise<number> {
  try {
    const { columns, color, isTty } = caller;
    return await client.run({ argv: [...argv], cwd: caller.cwd, env: { ...caller.env }, columns, color, is_tty: isTty }, caller.remote);
  } finally {
    client.close();
  }
}

async function looking(line: CommandLine): Promise<number> {
  const host = await createHost({ home: line.home, kind: "readonly", version: line.version, env: line.caller.env });
  try {
    return await inHere(line, host);
  } finally {
    await host.app.stop();
  }
}

async function owning(line: CommandLine, ownership: Ownership): Promise<number> {
  const host = await createHost({ home: line.home, kind: "command", version: line.version, env: line.caller.env });
  // Most commands are over before anybody could connect; who comes meanwhile tries again until then.
  const keepShut = host.app.options.clock.after(OPEN_AFTER_MS, () => {
    host.door().catch((error: unknown) => host.app.options.log.error("no socket for other commands", { error: String(error) }));
  });
  try {
    const exit = await inHere(line, host);
    keepShut();
    await othersDone(line, host);
    return exit;
  } finally {
    keepShut();
    await stopHost(host, ownership, "the command has ended");
  }
}

/** Somebody else may have begun a turn here meanwhile; it is not cut off. */
async function othersDone({ caller }: CommandLine, { app, door }: Host): Promise<void> {
  const backplane = await door.peek();
  if (!backplane) return;
  backplane.leave("the command has ended");
  const turns = (await app.chats.peek())?.openTurns() ?? 0;
  if (backplane.openRequests() > 0 || turns > 0) await caller.err("agent: waiting for work that others started here\n");
  await backplane.idle(caller.signal);
}

function inHere({ argv, caller }: CommandLine, { app }: Host): Promise<number> {
  const { cwd, env, columns, color, signal, gone, out, err, stdin, pipeExit } = caller;
  return execute({ ...services(app), argv, cwd, env, columns, color, signal, gone, out, err, stdin, pipeExit }, caller.entries);
}
