import { AppError } from "../../lib/base/errors.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Clock } from "../../lib/base/time/clock.js";
import { refused } from "../errors.js";
import { EVENTS_AFTER, toStoredEvent } from "../events.js";
import { notifier } from "../notify.js";
import type { Closing, DomainEvent, Migration, Query, Row, Step, Store, StoredEvent, Tx } from "../store.js";
import { bodyWork, type End, type Settle, scriptWork, type Work } from "./bodies.js";
import { copyMain, digestOf } from "./copy.js";
import { Journal } from "./journal.js";
import type { Connection } from "./ops.js";
import { openUpgraded } from "./upgrade.js";

/** A store in one SQLite file. */
export interface FileStore extends Store {
  /** Open the file now instead of at the first use. @throws what the first use would throw */
  ready(): Promise<void>;
  /** What is wrong with the file, in SQLite's words; reads all of it. */
  check(): Promise<readonly string[]>;
  /** Make the tables of `StoreSpec.extras` with this name, in one transaction; nothing where they are there. @throws E_STORE, E_STORE_FULL */
  extend(name: string): Promise<void>;
}

export interface HostOptions {
  readonly name: string;
  readonly path: string;
  readonly migrations: readonly Migration[];
  readonly memory: boolean;
  readonly readonly: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Run every body twice and compare. */
  readonly rehearse: boolean;
  /** A sync failed. Nothing can be said about the last change, and only a new process can read what is there. */
  readonly onFatal: (error: AppError) => void;
}

/** Transactions that share one fsync. */
const GROUP = 64;
/** How often a reader without the lock starts again because the file changed under it. */
const REREADS = 5;

interface Job {
  readonly work: Work;
  readonly fail: (error: unknown) => void;
}

/** Something that runs outside of a transaction, between two groups. */
type Chore = () => Promise<void>;

/** What callers ask for in one go, with all that follows from it at once, shares a commit. */
const afterMicrotasks = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** Order, grouping, listeners and checkpoints over one engine. One body is open at a time; what waits meanwhile shares the next commit. */
export class FileHost implements FileStore {
  readonly name: string;
  readonly #connection: Connection;
  readonly #options: HostOptions;
  readonly #listeners: ReturnType<typeof notifier>;
  readonly #queue: (Job | Chore)[] = [];
  #pumping = false;
  #opened = false;
  #fatal = false;
  #closed: Promise<void> | undefined;
  readonly #journal: Journal;

  constructor(connection: Connection, options: HostOptions) {
    this.name = options.name;
    this.#connection = connection;
    this.#options = options;
    this.#listeners = notifier(options.name, options.log);
    const post = (chore: Chore, soon: boolean) => {
      if (soon) this.#queue.unshift(chore);
      else this.#enqueue(chore, () => undefined);
    };
    const { path, clock, log } = options;
    this.#journal = new Journal({ connection, path, clock, log, post, onError: (error) => this.#failed(error) });
  }

  ready(): Promise<void> {
    return this.#chore(() => this.#ensureOpen());
  }

  read<T>(body: (q: Query) => Promise<T>): Promise<T> {
    return this.#post((settle) => bodyWork(this.#body("read", "read"), body, settle));
  }

  write<T>(label: string, body: (tx: Tx) => Promise<T>): Promise<T> {
    if (this.#options.readonly) return Promise.reject(this.#readOnly());
    return this.#post((settle) => bodyWork(this.#body(label, "write"), body, settle));
  }

  script(_label: string, steps: readonly Step[], events: readonly DomainEvent[] = []): Promise<Row[][]> {
    if (this.#options.readonly) return Promise.reject(this.#readOnly());
    return this.#post((settle) => scriptWork(this.#connection, { steps, events }, settle));
  }

  async events(after: number, limit: number): Promise<StoredEvent[]> {
    const rows = await this.read((q) => q.all(EVENTS_AFTER, [after, limit]));
    return rows.map((row) => toStoredEvent(this.name, row));
  }

  lastSeq(): Promise<number> {
    return this.#chore(async () => {
      await this.#ensureOpen();
      return this.#connection.send({ op: "lastSeq" });
    });
  }

  onEvents(listener: (events: readonly StoredEvent[]) => void): () => void {
    return this.#listeners.add(listener);
  }

  async copyTo(path: string): Promise<{ sequence: number; sha256: string }> {
    const { sequence, copied } = await this.#chore(() => this.#startCopy(path));
    return { sequence, sha256: await copied };
  }

  /** The copy goes on while others commit into the journal. */
  async #startCopy(path: string): Promise<{ sequence: number; copied: Promise<string> }> {
    await this.#ensureOpen();
    const sequence = await this.#connection.send({ op: "lastSeq" });
    if (this.#options.memory) {
      await this.#connection.send({ op: "vacuumInto", path });
      return { sequence, copied: digestOf(path) };
    }
    await this.#journal.empty();
    const copied = copyMain(this.#options.path, path);
    this.#journal.hold(copied);
    return { sequence, copied };
  }

  async purge(body: (tx: Tx) => Promise<void>): Promise<void> {
    // Queued together, so that a close cannot come between them.
    await Promise.all([this.write("purge", body), this.#chore(() => this.#journal.empty())]);
  }

  check(): Promise<readonly string[]> {
    return this.#chore(async () => {
      await this.#ensureOpen();
      return this.#connection.send({ op: "check" });
    });
  }

  extend(name: string): Promise<void> {
    if (this.#options.readonly) return Promise.reject(this.#readOnly());
    return this.#chore(async () => {
      await this.#ensureOpen();
      const { send } = this.#connection;
      await send({ op: "begin" });
      try {
        await send({ op: "extend", name });
        await send({ op: "commit" });
      } catch (error) {
        await send({ op: "rollback" });
        throw error;
      }
    });
  }

  close(how: Closing = "checkpoint"): Promise<void> {
    if (this.#closed !== undefined) return this.#closed;
    this.#closed = this.#chore(async () => {
      await this.#journal.settle();
      await this.#connection.end(how);
    });
    return this.#closed;
  }

  #readOnly(): AppError {
    return refused("readonly", `${this.name} is open read-only`, { path: this.#options.path });
  }

  #body(label: string, kind: "read" | "write") {
    const { clock, log, rehearse } = this.#options;
    return { connection: this.#connection, clock, log, label, kind, rehearse: rehearse && kind === "write" };
  }

  #post<T>(make: (settle: Settle<T>) => Work): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#enqueue({ work: make({ resolve, reject }), fail: reject }, reject);
    });
  }

  #chore<T>(action: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#enqueue(async () => {
        try {
          resolve(await action());
        } catch (error) {
          reject(error);
        }
      }, reject);
    });
  }

  #enqueue(entry: Job | Chore, reject: (error: unknown) => void): void {
    if (this.#closed !== undefined) {
      reject(refused("closed", `the store ${this.name} is closed`));
      return;
    }
    this.#queue.push(entry);
    if (this.#pumping) return;
    this.#pumping = true;
    void this.#pump();
  }

  /** Never rejects: each entry hands its own failure to its caller. */
  async #pump(): Promise<void> {
    for (;;) {
      await afterMicrotasks();
      const next = this.#take();
      if (next === undefined) break;
      this.#journal.busy();
      if (typeof next === "function") await next();
      else await this.#runGroup(next);
    }
    this.#pumping = false;
  }

  #take(): readonly Job[] | Chore | undefined {
    const [first] = this.#queue;
    if (typeof first === "function" || first === undefined) {
      this.#queue.shift();
      return first;
    }
    const stop = this.#queue.findIndex((entry, at) => typeof entry === "function" || at === GROUP);
    return this.#queue.splice(0, stop < 0 ? this.#queue.length : stop).filter((entry) => typeof entry !== "function");
  }

  async #runGroup(group: readonly Job[]): Promise<void> {
    for (let round = 1; ; round++) {
      try {
        await this.#ensureOpen();
        await this.#transact(group);
        return;
      } catch (error) {
        this.#opened = false;
        if (round < REREADS && error instanceof AppError && error.data["reason"] === "reread") continue;
        this.#failed(error);
        for (const job of group) job.fail(error);
        return;
      }
    }
  }

  async #ensureOpen(): Promise<void> {
    if (this.#opened) return;
    await openUpgraded(this.#connection, this.#options.migrations);
    this.#opened = true;
  }

  async #transact(group: readonly Job[]): Promise<void> {
    const { send } = this.#connection;
    const begun = send({ op: "begin" });
    begun.catch(() => undefined); // looked at below; what is sent behind a failed `begin` fails as well
    const ends: Promise<End>[] = [];
    const reading: Promise<End>[] = [];
    for (const { work } of group) {
      if (work.writes) await Promise.all(reading.splice(0)); // each of them sees one state
      const end = work.run(group.length === 1); // never rejects, so that none is left alone when `begun` does
      ends.push(end);
      if (!work.writes) reading.push(end);
      else if (!work.pipelined) await end;
    }
    await Promise.all(reading);
    try {
      const [, journal] = await Promise.all([begun, send({ op: "commit" })]);
      const done = await Promise.all(ends);
      for (const end of done) end.settle();
      const events = done.flatMap((end) => end.events);
      if (events.length > 0) this.#listeners.tell(events);
      this.#journal.committed(
        journal,
        group.some(({ work }) => work.writes),
      );
    } catch (error) {
      await send({ op: "rollback" });
      throw error;
    }
  }

  #failed(error: unknown): void {
    if (this.#fatal || !(error instanceof AppError) || error.data["reason"] !== "sync") return;
    this.#fatal = true;
    this.#options.onFatal(error);
  }
}
