import type { CallerIo } from "../lib/app/caller.js";
import { startHost } from "../lib/app/headless.js";
import { createHost, type Host, stopHost } from "../lib/app/host.js";
import { ownForLong } from "../lib/app/long-owner.js";
import type { Client } from "../lib/backplane/client.js";
import type { Ownership } from "../lib/backplane/elect.js";
import { follow } from "../lib/backplane/lasting.js";
import { localConnection } from "../lib/backplane/local.js";
import { systemClock } from "../lib/base/clock.js";
import { toAppError } from "../lib/base/errors.js";
import type { Home } from "../lib/base/home.js";

/** What a workspace was started with. */
export interface WorkspaceCommand {
  readonly home: Home;
  readonly version: string;
  readonly caller: CallerIo;
  readonly globals: Readonly<Record<string, unknown>>;
}

/** An owner in this process. */
export interface Own {
  readonly host: Host;
  /** Stop it in order. @returns workers that go on */
  stop(): Promise<number>;
}

/** What this process is to the home while the screen is open: its owner, a client, or a client that became the owner. */
export interface Role {
  readonly client: Client;
  /** The owner here; undefined as a client. It can come later, never go. */
  own(): Own | undefined;
  onRole(listener: (owner: boolean, text: string) => void): () => void;
  readonly log: (message: string, error: unknown) => void;
}

/** This process owns the home from the beginning. */
export async function owning(command: WorkspaceCommand, ownership: Ownership, onStop: () => void): Promise<Role> {
  const own = await startOwn(command, ownership, onStop);
  const client = await localConnection(await own.host.door(), { kind: "workspace", version: command.version });
  return { client, own: () => own, onRole: () => () => undefined, log: logTo(() => own) };
}

const AGAIN_MS = 1_000;
const WAITS_MS = [100, 300, 1_000, 2_000, 5_000]; // workspace part, 9

/**
 * Another process owns the home. When it is gone and nobody takes its place, this one does, and is then a client of itself: what was sent
 * meanwhile goes the same way as to any other successor.
 */
export function attached(command: WorkspaceCommand, first: Client, onStop: () => void): Role {
  first.close();
  const { home, version } = command;
  const client = follow(home, { kind: "workspace", version, waits: WAITS_MS });
  const listeners = new Set<(owner: boolean, text: string) => void>();
  let own: Own | undefined;
  let looking = false;
  const log = logTo(() => own);
  const look = async () => {
    const met = await ownForLong(home, { kind: "workspace", version });
    if (met.role === "client") return met.client.close();
    own = await startOwn(command, met, onStop);
    for (const listener of listeners) listener(true, "the owner was gone: this workspace is the owner now");
  };
  const keepLooking = async () => {
    looking = true;
    while (own === undefined && !client.connected) {
      await look().catch((error: unknown) => log("this workspace could not become the owner", error));
      if (own === undefined) await systemClock.sleep(AGAIN_MS);
    }
    looking = false;
  };
  client.onClose(() => {
    if (!looking && own === undefined) keepLooking().catch((error: unknown) => log("no owner is looked for any more", error));
  });
  return {
    client,
    own: () => own,
    onRole: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log,
  };
}

async function startOwn({ home, version, caller, globals }: WorkspaceCommand, ownership: Ownership, onStop: () => void): Promise<Own> {
  const made = await createHost({ home, kind: "long", workspace: true, version, env: caller.env, globals, onStop });
  const unwatch = await startHost(made);
  return {
    host: made,
    stop: async () => {
      unwatch();
      await stopHost(made, ownership, "the workspace was closed");
      return (await made.app.boards()).dispatcher.running();
    },
  };
}

/** A client has no log of its own. */
const logTo =
  (own: () => Own | undefined) =>
  (message: string, error: unknown): void => {
    own()?.host.app.options.log.error(message, { error: toAppError(error).message });
  };
