import type { Client, MetOwner } from "../lib/backplane/client.js";
import type { Ownership } from "../lib/backplane/elect.js";
import { meetLocally } from "../lib/backplane/local.js";
import { createReconnectingClient } from "../lib/backplane/reconnecting-client.js";
import type { Backplane } from "../lib/backplane/server.js";
import type { LocalOwner, WorkspaceCommand } from "./local-owner.js";
import { createOwnerSession, type OwnerSession } from "./owner-session.js";

/** What this process is to the home while the screen is open: its owner or a client, and sometimes the one after the other. */
export interface Role {
  readonly client: Client;
  /** As it begins. */
  readonly owner: boolean;
  /** The first frame was drawn: nothing that takes its time holds it up any more. */
  readonly onShown?: () => void;
  /** The screen is closed. @returns the owner here that is to be stopped. @throws why it could not begin */
  left(): Promise<LocalOwner | undefined>;
  /** The owner here; undefined as a client. */
  own(): LocalOwner | undefined;
  onRole(listener: (owner: boolean, text: string) => void): () => void;
  readonly log: (message: string, error: unknown) => void;
}

const WAITS_MS = [100, 300, 1_000, 2_000, 5_000]; // workspace part, 9

/**
 * This process owns the home from the beginning. The screen comes first: what is asked of the owner meanwhile waits until its door is open, and no
 * longer. Who asks for the home gets it, and the screen goes on as a client.
 */
export function createOwningRole(command: WorkspaceCommand, ownership: Ownership, onStop: () => void): Role {
  const seat = createOwnerSession(command, onStop);
  const shown = awaited<void>();
  const door = awaited<Backplane>();
  const begun = shown.came.then(() => seat.take(ownership, door.come));
  begun.catch(onStop); // the screen is left, and the waiter for the owner reports why
  let near: Promise<Backplane> | undefined = Promise.race([door.came, begun.then(() => door.came)]);
  const options = { kind: command.kind ?? "workspace", version: command.version };
  const client = createReconnectingClient(command.home, {
    ...options,
    waits: WAITS_MS,
    near: async (): Promise<MetOwner | undefined> => {
      const opened = await near;
      near = undefined;
      return opened && (await meetLocally(opened, options));
    },
  });
  return {
    ...roleOf(seat, quietAtFirst(client)),
    owner: true,
    onShown: shown.come,
    left: async () => {
      shown.come(); // it may have been left before anything was shown
      await begun;
      return seat.left();
    },
  };
}

/** What others wait for, and how it comes. */
function awaited<T>(): { readonly came: Promise<T>; readonly come: (what: T) => void } {
  let come: (what: T) => void = () => undefined;
  const came = new Promise<T>((resolve) => {
    come = resolve;
  });
  return { came, come };
}

/**
 * Another process owns the home, and the link that was found to it is taken over once the screen is there. When it is gone and no other takes its
 * place, this one does, and is then a client of itself: what was sent meanwhile goes the same way as to any other successor.
 */
export function createAttachedRole(command: WorkspaceCommand, first: MetOwner, onStop: () => void): Role {
  const { home, version, kind = "workspace" } = command;
  const seat = createOwnerSession(command, onStop);
  const shown = awaited<void>();
  let met: MetOwner | undefined = first;
  const near = async (): Promise<MetOwner | undefined> => {
    await shown.came;
    const given = met;
    met = undefined;
    return given?.link.open === true ? given : undefined;
  };
  return {
    ...roleOf(seat, createReconnectingClient(home, { kind, version, waits: WAITS_MS, near })),
    onShown: shown.come,
    left: async () => {
      shown.come(); // it may have been left before anything was shown
      return seat.left();
    },
  };
}

function roleOf(seat: OwnerSession, client: Client): Role {
  const { own, onRole, log, left } = seat;
  client.onConnect(seat.met);
  client.onClose(() => seat.look(() => client.connected));
  return {
    client,
    own,
    onRole,
    log,
    left,
    owner: false,
  };
}

/** An owner of this process is not news; its successors are. */
function quietAtFirst(client: Client): Client {
  let met = 0;
  client.onConnect(() => {
    met += 1;
  });
  return {
    ...client,
    get owner() {
      return client.owner;
    },
    get connected() {
      return client.connected;
    },
    onConnect: (listener) => client.onConnect(() => (met > 1 ? listener() : undefined)),
  };
}
