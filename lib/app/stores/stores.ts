import { dirname } from "node:path";
import type { FileStore } from "../../../storage/file/open.js";
import { boardMigrations } from "../../../storage/schema/board.js";
import { SESSION_EXTRAS } from "../../../storage/schema/session-extras.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import { STATE_MIGRATIONS } from "../../../storage/schema/state.js";
import type { OpenOptions } from "../../../storage/sqljs/options.js";
import type { Closing, Store, StoreSpec } from "../../../storage/store.js";
import { isStored } from "../../../storage/stored.js";
import { toAppError } from "../../base/errors.js";
import { listUnsortedNames } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import { silentLog } from "../../base/log/log.js";
import type { BoardSlug } from "../../base/units.js";
import { boardDir, storePath } from "../../board/core/places.js";
import type { AppOptions } from "../../config/app-options.js";
import { hasState } from "./has-state.js";
import { createOpenStores, type OnStoreOpen } from "./open-stores.js";

/** What the files of a store show. */
export interface StoreFindings {
  /** Parts that recovery took out, by name, and where they are kept. */
  readonly lost: readonly string[];
  readonly folder: string;
  /** What is wrong with the files, in one sentence each. */
  readonly findings: readonly string[];
}

/** Every store of this owner, opened when it is first needed and closed together. */
export interface Stores {
  /** A board's store. With `create` false, undefined for a board without one: reading verbs leave nothing behind. */
  board(slug: BoardSlug, create: boolean): Promise<Store | undefined>;
  sessions(): Promise<FileStore>;
  /** A new session store in memory; its caller closes it. */
  ephemeral(): Promise<FileStore>;
  /** Requests by key, and other small state of the owner. */
  state(): Promise<Store>;
  /**
   * Read the files of every store of the home and change none of them; the owner does it before anything is written.
   *
   * @throws E_STORE of a store without which no owner works. A board that cannot be used keeps no owner from starting: `problems` names it.
   */
  verify(): Promise<void>;
  /** What verification and opening found wrong with stores, in one sentence each, with the path of the store. */
  problems(): readonly string[];
  /** What was opened so far, and whether it could be. */
  health(): Promise<readonly { name: string; ok: boolean; detail: string }[]>;
  /** Look at the files of a board without opening it; `deep` also compares its two checkpoints. */
  inspect(slug: BoardSlug, deep: boolean): Promise<StoreFindings>;
  /** Look at the files of the state store; undefined: it was never made. */
  inspectState(): Promise<StoreFindings | undefined>;
  /** Called, and awaited, before the store is handed out. What it returns is called when the store is closed before all others. */
  onOpen(listener: OnStoreOpen): void;
  /** Close the store of a board and keep it closed while `work` moves its files; other callers wait meanwhile. */
  boardClosed<T>(slug: BoardSlug, work: () => Promise<T>): Promise<T>;
  /** Open a board's store that lies elsewhere. It is separate from the others: the caller closes it. */
  boardAt(path: string): Promise<Store>;
  /**
   * Close everything and open nothing any more. Resolves when no thread of a store can write; only then may the home be given to another process.
   * Harmless twice; the first way of closing counts.
   */
  close(how?: Closing): Promise<void>;
}

export function createStores(home: Home, options: AppOptions): Stores {
  const stores = createOpenStores();
  const moving = new Map<BoardSlug, Promise<unknown>>();
  const problems = new Set<string>();
  const onRecovered = (note: string) => problems.add(note);
  const boardSpec = (slug: BoardSlug) =>
    ({ name: `board:${slug}`, path: storePath(home.root, slug), kind: "board", migrations: boardMigrations }) as const;
  const stateSpec = { name: "state", path: home.state, kind: "state", migrations: STATE_MIGRATIONS } as const;
  const board: Stores["board"] = async (slug, create) => {
    while (moving.has(slug)) await moving.get(slug);
    const spec = boardSpec(slug);
    if (!create && !stores.has(spec.name) && !isStored(spec.path, listUnsortedNames)) return undefined;
    return stores.get(spec.name, () => openSmall(options, spec, { onRecovered }));
  };
  const sessions = () => stores.get("sessions", () => openSessions(home, options));
  return {
    board,
    sessions,
    ephemeral: () => openSessions(home, options, true),
    state: () => stores.get("state", () => openSmall(options, stateSpec, { onRecovered })),
    verify: async () => {
      const look = (spec: StoreSpec) => openSmall(options, spec, { onRecovered, readonly: true });
      const first = await look(stateSpec); // stays open meanwhile, and with it the thread of all these stores
      try {
        for (const slug of storedBoards(home)) {
          const found = await look(boardSpec(slug)).catch(
            (error: unknown) => void problems.add(toAppError(error).message),
          );
          await found?.close();
        }
        await (await sessions()).ready(); // the file is read and found whole before anything is written to it
      } finally {
        await first.close();
      }
    },
    problems: () => [...problems],
    onOpen: stores.onOpen,
    inspect: (slug, deep) => inspect(boardSpec(slug), options, deep),
    inspectState: async () => (hasState(home) ? await inspect(stateSpec, options, false) : undefined),
    health: () => Promise.all(stores.entries().map(([name, store]) => healthOf(name, store))),
    boardClosed: async (slug, work) => {
      while (moving.has(slug)) await moving.get(slug);
      const moved = stores.closeOne(`board:${slug}`).then(work);
      const over = moved.catch(() => undefined).finally(() => moving.delete(slug));
      moving.set(slug, over);
      return moved;
    },
    boardAt: (path) =>
      stores.lend(() =>
        openSmall(
          { ...options, log: silentLog },
          { name: `board at ${path}`, path, kind: "board", migrations: boardMigrations },
        ),
      ),
    close: async (how = "checkpoint") => {
      for (const move of moving.values()) await move;
      await stores.close(how);
    },
  };
}

/** Boards of which files are there, `default` first. */
function storedBoards(home: Home): readonly BoardSlug[] {
  const names = ["default", ...listUnsortedNames(dirname(boardDir(home.root, "x")))].filter((name) =>
    BOARD_NAME.test(name),
  );
  const stored = [...new Set(names)].filter((name) => isStored(storePath(home.root, name), listUnsortedNames));
  return stored as BoardSlug[]; // slugs by their form
}

const BOARD_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

async function inspect(spec: StoreSpec, { disk }: AppOptions, deep: boolean): Promise<StoreFindings> {
  const { checkCopies, deepCheck, storeHealth } = await import("../../../storage/sqljs/health.js");
  const { lost } = storeHealth(disk, spec.path);
  const look = async () => (deep ? await deepCheck(spec, disk) : checkCopies(disk, spec.path));
  // A checkpoint that is made meanwhile moves the files under the look: what is truly wrong is found twice.
  const first = await look();
  const second = first.length > 0 ? await look() : [];
  return { lost, folder: `${spec.path}.lost`, findings: second.filter((finding) => first.includes(finding)) };
}

async function openSmall(
  options: AppOptions,
  spec: StoreSpec,
  more: Pick<OpenOptions, "onRecovered" | "readonly"> = {},
): Promise<Store> {
  const { openStore } = await import("../../../storage/sqljs/store-open.js");
  const { clock, log, disk, ids, onFatal } = options;
  const host = options.kind === "long" ? "thread" : "inline";
  const ends = onFatal === undefined ? {} : { onFatal };
  return openStore(spec, { disk, clock, log, ids, host, readonly: options.kind === "readonly", ...ends, ...more });
}

async function openSessions(home: Home, options: AppOptions, memory = false): Promise<FileStore> {
  const { openFileStore } = await import("../../../storage/file/open.js");
  const spec = {
    name: "sessions",
    path: home.sessions,
    kind: "sessions",
    migrations: sessionMigrations,
    extras: SESSION_EXTRAS,
  } as const;
  const host = options.kind === "long" ? "thread" : "inline";
  const { clock, log, onFatal } = options;
  const ends = onFatal === undefined ? {} : { onFatal };
  return openFileStore(spec, {
    clock,
    log,
    host,
    memory,
    marked: !memory,
    readonly: options.kind === "readonly",
    ...ends,
  });
}

async function healthOf(name: string, store: Promise<Store>): Promise<{ name: string; ok: boolean; detail: string }> {
  try {
    const seq = await (await store).lastSeq();
    return { name, ok: true, detail: `event ${seq}` };
  } catch (error) {
    return { name, ok: false, detail: toAppError(error).message };
  }
}
