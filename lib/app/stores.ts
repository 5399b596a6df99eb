import type { FileStore } from "../../storage/file/open.js";
import { boardMigrations } from "../../storage/schema/board.js";
import { SESSION_EXTRAS } from "../../storage/schema/session-extras.js";
import { sessionMigrations } from "../../storage/schema/sessions.js";
import { STATE_MIGRATIONS } from "../../storage/schema/state.js";
import type { Store, StoreSpec } from "../../storage/store.js";
import { toAppError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import { exists } from "../base/home-files.js";
import { silentLog } from "../base/log.js";
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

type OnOpened = (() => void) | undefined;

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
  /** Called, and awaited, before the store is handed out. What it returns is called when the store is closed before all others. */
  onOpen(listener: (store: Store) => OnOpened | Promise<OnOpened>): void;
  /** Close the store of a board and keep it closed while `work` moves its files; whoever asks for it meanwhile waits. */
  boardClosed<T>(slug: BoardSlug, work: () => Promise<T>): Promise<T>;
  /** Open a board's store that lies elsewhere. It is no part of the others: the caller closes it. */
  boardAt(path: string): Promise<Store>;
  /** Checkpoint and close everything. Harmless twice. */
  close(): Promise<void>;
}

export function createStores(home: Home, options: AppOptions): Stores {
  const open = new Map<string, Promise<Store>>();
  const listeners: Parameters<Stores["onOpen"]>[0][] = [];
  const forget = new Map<string, (() => void)[]>();
  const moving = new Map<BoardSlug, Promise<unknown>>();

  /** A store that could not be opened is tried again at the next call: the user may have mended it. */
  const once = <S extends Store>(name: string, make: () => Promise<S>): Promise<S> => {
    const known = open.get(name);
    if (known !== undefined) return known as Promise<S>; // each name is only ever made by one maker
    const made = make().then(async (store) => {
      const ends: (() => void)[] = [];
      for (const listener of listeners) ends.push((await listener(store)) ?? (() => undefined));
      forget.set(name, ends);
      return store;
    });
    open.set(name, made);
    made.catch(() => open.delete(name));
    return made;
  };

  const closeOne = async (name: string): Promise<void> => {
    const store = open.get(name);
    open.delete(name);
    for (const end of forget.get(name) ?? []) end();
    forget.delete(name);
    await (await store?.catch(() => undefined))?.close();
  };

  return {
    board: async (slug, create) => {
      while (moving.has(slug)) await moving.get(slug);
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
    boardClosed: async (slug, work) => {
      while (moving.has(slug)) await moving.get(slug);
      const moved = closeOne(`board:${slug}`).then(work);
      const over = moved.catch(() => undefined).finally(() => moving.delete(slug));
      moving.set(slug, over);
      return moved;
    },
    boardAt: (path) =>
      openSmall({ ...options, log: silentLog }, { name: `board at ${path}`, path, kind: "board", migrations: boardMigrations }),
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
  const spec = { name: "sessions", path: home.sessions, kind: "sessions", migrations: sessionMigrations, extras: SESSION_EXTRAS } as const;
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
