import type { FileStore } from "../../storage/file/open.js";
import { boardMigrations } from "../../storage/schema/board.js";
import { sessionMigrations } from "../../storage/schema/sessions.js";
import { STATE_MIGRATIONS } from "../../storage/schema/state.js";
import type { Store, StoreSpec } from "../../storage/store.js";
import { toAppError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import { exists } from "../base/home-files.js";
import type { BoardSlug } from "../base/units.js";
import { storePath } from "../board/places.js";
import type { AppOptions } from "./options.js";

export interface BoardFiles {
  /** Parts that recovery took out, by name, and where they are kept. */
  readonly lost: readonly string[];
  readonly folder: string;
  /** What is wrong with them, in one sentence each; always empty unless `deep`. */
  readonly findings: readonly string[];
}

/** Every store of this owner, opened when it is first needed and closed together. */
export interface Stores {
  /** A board's store. With `create` false, undefined for a board that has none: reading verbs leave nothing behind. */
  board(slug: BoardSlug, create: boolean): Promise<Store | undefined>;
  sessions(): Promise<FileStore>;
  /** A new session store in memory; whoever asks for it closes it. */
  ephemeral(): Promise<FileStore>;
  /** Requests by key, and other small state of the owner. */
  state(): Promise<Store>;
  /** What was opened so far, and whether it could be. */
  health(): Promise<readonly { name: string; ok: boolean; detail: string }[]>;
  /** What the files of a board tell about themselves; `deep` reads them in full. */
  inspect(slug: BoardSlug, deep: boolean): Promise<BoardFiles>;
  /** Called, and awaited, before the store is handed out. */
  onOpen(listener: (store: Store) => void | Promise<void>): void;
  /** Close the store of one board, e.g. before its directory is moved. */
  closeBoard(slug: BoardSlug): Promise<void>;
  /** Checkpoint and close everything. Harmless twice. */
  close(): Promise<void>;
}

export function createStores(home: Home, options: AppOptions): Stores {
  const open = new Map<string, Promise<Store>>();
  const listeners: ((store: Store) => void | Promise<void>)[] = [];

  /** A store that could not be opened is tried again at the next call: the user may have mended it. */
  const once = <S extends Store>(name: string, make: () => Promise<S>): Promise<S> => {
    const known = open.get(name);
    if (known !== undefined) return known as Promise<S>; // each name is only ever made by one maker
    const made = make().then(async (store) => {
      for (const listener of listeners) await listener(store);
      return store;
    });
    open.set(name, made);
    made.catch(() => open.delete(name));
    return made;
  };

  return {
    board: async (slug, create) => {
      const path = storePath(home.root, slug);
      if (!create && !open.has(`board:${slug}`) && !exists(path) && !exists(`${path}.current`)) return undefined;
      return once(`board:${slug}`, () => openSmall(options, { name: `board:${slug}`, path, kind: "board", migrations: boardMigrations }));
    },
    sessions: () => once("sessions", () => openSessions(home, options)),
    ephemeral: () => openSessions(home, options, true),
    state: () => once("state", () => openSmall(options, { name: "state", path: home.state, kind: "state", migrations: STATE_MIGRATIONS })),
    onOpen: (listener) => {
      listeners.push(listener);
    },
    inspect: (slug, deep) => inspect({ name: `board:${slug}`, path: storePath(home.root, slug), kind: "board" }, options, deep),
    health: () => Promise.all([...open].map(([name, store]) => healthOf(name, store))),
    closeBoard: async (slug) => {
      const store = open.get(`board:${slug}`);
      open.delete(`board:${slug}`);
      await (await store)?.close();
    },
    close: async () => {
      const all = [...open.values()];
      open.clear();
      for (const store of all) await (await store.catch(() => undefined))?.close();
    },
  };
}

async function inspect(board: Pick<StoreSpec, "name" | "path" | "kind">, { disk }: AppOptions, deep: boolean): Promise<BoardFiles> {
  const { deepCheck, storeHealth } = await import("../../storage/sqljs/health.js");
  const { lost } = storeHealth(disk, board.path);
  const look = () => deepCheck({ ...board, migrations: boardMigrations }, disk);
  // A checkpoint that is made meanwhile moves the files under the look: what is truly wrong is found twice.
  const findings = deep && (await look()).length > 0 ? await look() : [];
  return { lost, folder: `${board.path}.lost`, findings };
}

async function openSmall(options: AppOptions, spec: Parameters<typeof import("../../storage/open.js")["openStore"]>[0]): Promise<Store> {
  const { openStore } = await import("../../storage/open.js");
  const { clock, log, disk, ids } = options;
  const host = options.kind === "long" ? "thread" : "inline";
  return openStore(spec, { disk, clock, log, ids, host, readonly: options.kind === "readonly" });
}

async function openSessions(home: Home, options: AppOptions, memory = false): Promise<FileStore> {
  const { openFileStore } = await import("../../storage/file/open.js");
  const spec = { name: "sessions", path: home.sessions, kind: "sessions", migrations: sessionMigrations } as const;
  const host = options.kind === "long" ? "thread" : "inline";
  return openFileStore(spec, { clock: options.clock, log: options.log, host, memory, readonly: options.kind === "readonly" });
}

async function healthOf(name: string, store: Promise<Store>): Promise<{ name: string; ok: boolean; detail: string }> {
  try {
    const seq = await (await store).lastSeq();
    return { name, ok: true, detail: `event ${seq}` };
  } catch (error) {
    return { name, ok: false, detail: toAppError(error).message };
  }
}
