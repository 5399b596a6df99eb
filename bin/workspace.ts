import type { CallerIo } from "../lib/app/caller.js";
import { startHost } from "../lib/app/headless.js";
import { createHost, type Host, stopHost } from "../lib/app/host.js";
import { ownForLong } from "../lib/app/long-owner.js";
import type { Client } from "../lib/backplane/client.js";
import type { Ownership } from "../lib/backplane/elect.js";
import { follow } from "../lib/backplane/lasting.js";
import { localConnection } from "../lib/backplane/local.js";
import { systemClock } from "../lib/base/clock.js";
import type { Home } from "../lib/base/home.js";
import { ignoresRules, refuseWrongOptions } from "../lib/commands/chat/session.js";
import { depthFrom } from "../tui/theme/sgr.js";
import { openWorkspace } from "../tui/workspace.js";
import { processTty } from "./tty.js";

export interface WorkspaceCommand {
  readonly home: Home;
  readonly version: string;
  readonly caller: CallerIo;
  readonly globals: Readonly<Record<string, unknown>>;
}

interface Role {
  readonly client: Client;
  readonly owner: boolean;
  readonly log: (message: string, error: unknown) => void;
  leave(): Promise<void>;
}

/** Open the workspace: as the owner when there is none, else attached to it. */
export async function runWorkspace(command: WorkspaceCommand): Promise<number> {
  const { home, version, caller, globals } = command;
  refuseWrongOptions(globals);
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  caller.signal.addEventListener("abort", leave, { once: true });
  const elected = await ownForLong(home, { kind: "workspace", version });
  const role = elected.role === "owner" ? await owning(command, elected, leave) : attached(command, elected.client);
  const tty = processTty(leave);
  const { session } = await openWorkspace({
    tty,
    client: role.client,
    owner: role.owner,
    depth: depthFrom(text(globals["color"]), caller.env),
    cwd: caller.cwd,
    env: caller.env,
    resume: text(globals["resume"]) ?? (typeof globals["continue"] === "string" ? globals["continue"] : undefined),
    ignoreRules: ignoresRules(globals),
    checkpoints: globals["checkpoints"] === true,
    after: (ms, fn) => systemClock.after(ms, fn),
    mono: () => systemClock.mono(),
    now: () => systemClock.now(),
    log: role.log,
    signal: leaving.signal,
  });
  tty.close();
  await role.leave();
  if (session !== undefined) await caller.out(`Resume with: agent --resume ${session}\n`);
  return 0;
}

async function owning({ home, version, caller, globals }: WorkspaceCommand, ownership: Ownership, onStop: () => void): Promise<Role> {
  let host: Host | undefined;
  const onLog = (line: string) =>
    host?.app.bus.delta("logs", { event: "log", at: new Date(systemClock.now()).toISOString(), data: { line } });
  host = await createHost({ home, kind: "long", workspace: true, version, env: caller.env, globals, onStop, onLog });
  const own = host;
  const unwatch = await startHost(own);
  const client = await localConnection(await own.door(), { kind: "workspace", version });
  return {
    client,
    owner: true,
    log: (message, error) => own.app.options.log.error(message, { error: String(error) }),
    leave: async () => {
      client.close();
      await unwatch();
      await stopHost(own, ownership, "the workspace was closed");
      const workers = (await own.app.boards()).dispatcher.running();
      if (workers > 0) await caller.err(`agent: ${workers} worker(s) go on; the next owner adopts them\n`);
    },
  };
}

/** Another process owns the home. When it goes, its successor is found. */
function attached({ home, version }: WorkspaceCommand, first: Client): Role {
  first.close();
  const client = follow(home, { kind: "workspace", version });
  return { client, owner: false, log: () => undefined, leave: async () => client.close() };
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
