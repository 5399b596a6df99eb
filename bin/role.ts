import { ownForLong } from "../lib/app/long-owner.js";
import type { Client } from "../lib/backplane/client.js";
import { comingClient } from "../lib/backplane/coming.js";
import type { Ownership } from "../lib/backplane/elect.js";
import { follow } from "../lib/backplane/lasting.js";
import { localConnection } from "../lib/backplane/local.js";
import { systemClock } from "../lib/base/clock.js";
import { toAppError } from "../lib/base/errors.js";
import type { Own, OwnHooks, WorkspaceCommand } from "./own.js";

/** What this process is to the home while the screen is open: its owner, a client, or a client that became the owner. */
export interface Role {
  readonly client: Client;
  /** As it begins. */
  readonly owner: boolean;
  /** The first frame was drawn: nothing that takes its time holds it up any more. */
  readonly onShown?: () => void;
  /** The owner here once it works, or why it cannot. */
  begun(): Promise<Own | undefined>;
  /** The owner here; undefined as a client. It can come later, never go. */
  own(): Own | undefined;
  onRole(listener: (owner: boolean, text: string) => void): () => void;
  readonly log: (message: string, error: unknown) => void;
}

/** This process owns the home from the beginning. The screen comes first: what is asked of the owner meanwhile waits for it. */
export function owning(command: WorkspaceCommand, ownership: Ownership, onStop: () => void): Role {
  let own: Own | undefined;
  let start: () => void = () => undefined;
  const shown = new Promise<void>((resolve) => {
    start = resolve;
  });
  const begun = shown.then(async () => {
    own = await begin(command, ownership, { onStop, tookOver: false });
    return own;
  });
  begun.catch(onStop); // the screen is left, and whoever waits for the owner tells why
  const client = begun.then(async ({ host }) => localConnection(await host.door(), { kind: "workspace", version: command.version }));
  return {
    client: comingClient(client),
    owner: true,
    onShown: start,
    begun: () => {
      start(); // it may have been left before anything was shown
      return begun;
    },
    own: () => own,
    onRole: () => () => undefined,
    log: logTo(() => own),
  };
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
    own = await begin(command, met, { onStop, tookOver: true });
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
    owner: false,
    begun: async () => own,
    own: () => own,
    onRole: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    log,
  };
}

/** Whoever is only a client loads nothing of an owner. */
async function begin(command: WorkspaceCommand, ownership: Ownership, hooks: OwnHooks): Promise<Own> {
  const { startOwn } = await import("./own.js");
  return await startOwn(command, ownership, hooks);
}

/** A client has no log of its own. */
const logTo =
  (own: () => Own | undefined) =>
  (message: string, error: unknown): void => {
    own()?.host.app.options.log.error(message, { error: toAppError(error).message });
  };
