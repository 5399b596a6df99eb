import { AppError, fromWireError, toWireError, unreachable } from "../../lib/base/errors.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import type { Log, LogFacts, LogSeverity } from "../../lib/base/log/log.js";
import { systemClock } from "../../lib/base/time/clock.js";
import { isAbort } from "../errors.js";
import type { Closing, Migration, Row } from "../store.js";
import { copyTo, runScript, runScripts } from "./actions.js";
import { Engine } from "./engine.js";
import type { Session } from "./link.js";
import type { Memory } from "./memory.js";
import { migrationSession } from "./migration.js";
import { QuickPace } from "./pace.js";
import type { Op, OpenRequest, Report, Request } from "./protocol.js";
import { engineSession } from "./session.js";

/** How long a silent body may hold others up. */
const SILENT_MS = 250;

interface OpenSession {
  /** Rejects when the transaction could not begin; every call of it then gives that error. */
  readonly session: Promise<Session>;
  tail: Promise<unknown>;
  cancel: () => void;
}

/** All engines of the thread, and the transactions that are open in them. */
export class Hub {
  readonly #report: (report: Report) => void;
  readonly #engines = new Map<number, Engine>();
  readonly #sessions = new Map<number, OpenSession>();
  readonly #migrations = new Map<number, (error: AppError | undefined) => void>();
  /** One for all stores: a slow disk must not hold up the thread once for each. */
  readonly #pace = new QuickPace(systemClock);
  #lastMigration = 0;

  constructor(report: (report: Report) => void) {
    this.#report = report;
  }

  /** Carry out what arrived together. Scripts whose turn it is run at once, so that one frame holds them; when one fails, all run twice. */
  take(batch: readonly Request[]): void {
    for (let at = 0; at < batch.length; ) {
      const group = scriptsFrom(batch, at);
      at += Math.max(1, group.length);
      const request = batch[at - 1];
      if (group.length > 1) this.#carryOutGroup(group);
      else if (request) void this.#carryOut(request, () => this.#perform(request.store, request.op));
    }
  }

  /** Scripts that arrived together, for one store: one turn, and one transaction of the memory, for all of them. */
  #carryOutGroup(group: readonly ScriptRequest[]): void {
    const engine = this.#engines.get(group[0]?.store ?? 0);
    const answers = engine && answersOf(engine, group);
    for (const [at, request] of group.entries())
      void this.#carryOut(request, () => answers?.(at) ?? this.#perform(request.store, request.op));
  }

  async #carryOut({ id }: Request, perform: () => Promise<unknown>): Promise<void> {
    try {
      const value = await perform();
      if (value instanceof Uint8Array) this.#report({ kind: "bytes", id, value });
      else if (id > 0) this.#report({ kind: "answer", id, value });
    } catch (error) {
      if (isAbort(error)) die(error);
      if (id > 0) this.#report({ kind: "answer", id, error: toWireError(error) });
    }
  }

  #perform(store: number, op: Op): Promise<unknown> {
    switch (op.op) {
      case "open":
        return this.#open(store, op.request);
      case "begin":
        return this.#begin(store, op);
      case "all":
        return this.#inSession(op.session, (session) => session.all(op.sql, op.args));
      case "text":
        return this.#inSession(op.session, (session) => session.text(op.sql, op.args));
      case "run":
        return this.#inSession(op.session, (session) => session.run(op.sql, op.args));
      case "emit":
        return this.#inSession(op.session, async (session) => session.emit(op.event));
      case "rewind":
        return this.#inSession(op.session, (session) => session.rewind());
      case "commit":
      case "rollback":
        return this.#endSession(op.session, (session) => session[op.op]());
      case "migrated":
        return this.#migrated(op.session, op.error ? fromWireError(op.error) : undefined);
      case "script":
        return this.#script(this.#engine(store), op);
      case "copy":
        return copyTo(this.#engine(store), realDisk, op.path);
      case "checkpoint":
        return this.#engine(store).checkpoint();
      case "close":
        return this.#close(store, op.how);
      default:
        return unreachable(op);
    }
  }

  async #open(store: number, request: OpenRequest): Promise<void> {
    const migrations = request.migrations.map(
      ({ to, statements, applied }): Migration => ({ to, statements, ...(applied ? { apply: nothing } : {}) }),
    );
    const deps = {
      spec: { ...request.spec, migrations },
      disk: realDisk,
      clock: systemClock,
      log: this.#log(store),
      longLived: request.longLived,
      pace: this.#pace,
      readonly: request.readonly,
      ...(request.checkpointBytes === undefined ? {} : { checkpointBytes: request.checkpointBytes }),
      apply: (migration: Migration, memory: Memory) => this.#applyThere(store, migration, memory),
      onEvents: (events: Extract<Report, { kind: "events" }>["events"]) =>
        this.#report({ kind: "events", store, events }),
    };
    const onRecovered = (note: string) => this.#report({ kind: "recovered", store, note });
    const onFatal = (error: AppError) => this.#report({ kind: "fatal", store, error: toWireError(error) });
    this.#engines.set(store, await Engine.open({ ...deps, onRecovered }, onFatal));
  }

  #engine(store: number): Engine {
    const engine = this.#engines.get(store);
    if (!engine) throw new AppError("E_STORE", "the store is not open", { reason: "closed" });
    return engine;
  }

  async #close(store: number, how: Closing): Promise<void> {
    await this.#engine(store).close(how);
    this.#engines.delete(store);
  }

  async #script(engine: Engine, op: Extract<Op, { op: "script" }>): Promise<unknown> {
    return runScript(engine, op, engine.enterNow() ?? (await engine.enter()));
  }

  async #begin(store: number, op: Extract<Op, { op: "begin" }>): Promise<void> {
    const engine = this.#engine(store);
    const turn = engine.enterNow();
    const session = turn
      ? attempt(() => engineSession(engine, { kind: op.kind, label: op.label, leave: turn, strict: false }))
      : waitFor(engine, op);
    session.catch(() => undefined); // every call of the session tells it
    const open: OpenSession = { session, tail: session, cancel: () => undefined };
    this.#sessions.set(op.session, open);
    await session;
    open.cancel = this.#watch(store, op.label);
  }

  /** One call after the other, in the order in which they were made. */
  async #inSession<T>(number: number, call: (session: Session) => Promise<T>): Promise<T> {
    const open = this.#sessions.get(number);
    if (!open) throw new AppError("E_INTERNAL", "the transaction has ended");
    const mine = follow(open.tail, async () => call(await open.session));
    open.tail = mine.catch(() => undefined); // who made the call hears of it
    return mine;
  }

  async #endSession(number: number, call: (session: Session) => Promise<void>): Promise<void> {
    const open = this.#sessions.get(number);
    const ended = this.#inSession(number, call);
    this.#sessions.delete(number);
    try {
      await ended;
    } finally {
      open?.cancel();
    }
  }

  #watch(store: number, label: string): () => void {
    return systemClock.after(SILENT_MS, () => {
      this.#report({
        kind: "log",
        store,
        level: "warning",
        message: "a transaction has been open for a long time",
        facts: { label, ms: SILENT_MS },
      });
    });
  }

  /** The function of a migration is in the main thread; it works on the open transaction through a session of its own. */
  async #applyThere(store: number, migration: Migration, memory: Memory): Promise<void> {
    if (!migration.apply) return;
    this.#lastMigration -= 1;
    const number = this.#lastMigration;
    const session = migrationSession(memory);
    this.#sessions.set(number, { session: Promise.resolve(session), tail: Promise.resolve(), cancel: () => undefined });
    const done = new Promise<void>((resolve, reject) => {
      this.#migrations.set(number, (error) => (error ? reject(error) : resolve()));
    });
    this.#report({ kind: "migrate", store, session: number, to: migration.to });
    await done;
  }

  async #migrated(number: number, error: AppError | undefined): Promise<void> {
    await this.#sessions.get(number)?.tail;
    this.#sessions.delete(number);
    this.#migrations.get(number)?.(error);
    this.#migrations.delete(number);
  }

  #log(store: number): Log {
    const write =
      (level: LogSeverity) =>
      (message: string, facts: LogFacts = {}) =>
        this.#report({ kind: "log", store, level, message, facts });
    const log: Log = {
      debug: write("debug"),
      info: write("info"),
      warning: write("warning"),
      error: write("error"),
      child: () => log,
    };
    return log;
  }
}

type ScriptRequest = Request & { readonly op: Extract<Op, { op: "script" }> };

/** The scripts of one store that follow each other from `at` on. */
function scriptsFrom(batch: readonly Request[], at: number): ScriptRequest[] {
  const group: ScriptRequest[] = [];
  for (const { id, store, op } of batch.slice(at)) {
    if (op.op !== "script" || (group[0] && group[0].store !== store)) break;
    group.push({ id, store, op });
  }
  return group;
}

type Answers = (at: number) => Promise<unknown> | undefined;

/** What each script of a group gives. They run at once when nothing is in their way. */
function answersOf(engine: Engine, group: readonly ScriptRequest[]): Answers {
  const scripts = group.map(({ op }) => op);
  const leave = engine.enterNow();
  if (leave) {
    const answers = runScripts(engine, scripts, leave);
    return (at) => answers[at];
  }
  const later = runLater(engine, scripts);
  return async (at) => (await later)[at];
}

async function runLater(engine: Engine, scripts: readonly ScriptRequest["op"][]): Promise<readonly Promise<Row[][]>[]> {
  return runScripts(engine, scripts, await engine.enter());
}

async function nothing(): Promise<void> {
  await Promise.resolve();
}

async function attempt<T>(make: () => T): Promise<T> {
  return make();
}

async function waitFor(engine: Engine, op: Extract<Op, { op: "begin" }>): Promise<Session> {
  return engineSession(engine, { kind: op.kind, label: op.label, leave: await engine.enter(), strict: false });
}

async function follow<T>(before: Promise<unknown>, work: () => Promise<T>): Promise<T> {
  await before;
  return work();
}

/** The memory of the library is broken, and with it every store of this thread. */
function die(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
