import { type AppError, fromWireError, toWireError } from "../../lib/base/errors.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Clock } from "../../lib/base/time/clock.js";
import { transaction } from "../body.js";
import { refused, unknownOutcome } from "../errors.js";
import { EVENTS_AFTER, LAST_SEQ, toStoredEvent } from "../events.js";
import { notifier } from "../notify.js";
import { inspect, mustBe } from "../statement.js";
import type { Closing, Row, Step, StoredEvent, StoreSpec } from "../store.js";
import { checkEvent, eventArgs, storable, storableArgs } from "../value.js";
import type { Link, Session } from "./link.js";
import type { OpenOptions } from "./options.js";
import type { Op, OpenRequest, Report } from "./protocol.js";
import type { BodyKind } from "./transactions.js";
import { type StoreThread, storeThread, type Tenant, ThreadDeath } from "./worker.js";

const DEATHS_MAX = 3;
const DEATHS_WITHIN_MS = 10 * 60_000;

/** An engine in the thread that holds all stores. */
export async function threadLink(spec: StoreSpec, options: OpenOptions): Promise<Link> {
  const client = new ThreadClient(spec, options);
  await client.open();
  return client;
}

interface Connection {
  readonly thread: StoreThread;
  readonly store: number;
}

let lastSession = 0;

class ThreadClient implements Link, Tenant {
  readonly name: string;
  readonly #spec: StoreSpec;
  readonly #options: OpenOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #listeners: ReturnType<typeof notifier>;
  readonly #deaths: number[] = [];
  #connection: Promise<Connection> | undefined;
  /** The thread of the last connection, which may be gone. */
  #thread: StoreThread | undefined;
  #closed: AppError | undefined;
  /** Newest event that listeners were told; undefined before the first start. */
  #heard: number | undefined;
  /** The connection that is being opened, for the functions of its migrations. */
  #migrating: Connection | undefined;

  constructor(spec: StoreSpec, options: OpenOptions) {
    this.name = spec.name;
    this.#spec = spec;
    this.#options = options;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#listeners = notifier(spec.name, options.log);
  }

  async open(): Promise<void> {
    await this.#connected();
  }

  async begin(kind: BodyKind, label: string): Promise<Session> {
    const { thread, store } = await this.#connected();
    lastSession += 1;
    thread.tell(store, { op: "begin", session: lastSession, kind, label });
    return this.#session({ thread, store }, lastSession, kind);
  }

  async script(...[label, steps, events]: Parameters<Link["script"]>): Promise<Row[][]> {
    for (const step of steps) checkStep(step);
    events.forEach(checkEvent);
    return (await this.#ask({ op: "script", label, steps, events })) as Row[][]; // the engine answers a script with the rows of its steps
  }

  async copyTo(path: string): Promise<{ sequence: number; sha256: string }> {
    return (await this.#ask({ op: "copy", path })) as { sequence: number; sha256: string }; // the answer of `copyTo` in the thread
  }

  async checkpoint(): Promise<void> {
    await this.#ask({ op: "checkpoint" });
  }

  onEvents(listener: Parameters<Link["onEvents"]>[0]): () => void {
    return this.#listeners.add(listener);
  }

  async close(how: Closing = "checkpoint"): Promise<void> {
    if (this.#closed) return;
    const connection = this.#connection;
    this.#closed = refused("closed", `${this.name} is closed`, { store: this.name });
    if (!connection) {
      await this.#thread?.exited();
      return;
    }
    const { thread, store } = await connection;
    try {
      await this.#answer(thread.ask(store, { op: "close", how }));
    } finally {
      await thread.leave(store);
    }
  }

  hear(report: Exclude<Report, { kind: "answer" | "bytes" }>): void {
    if (report.kind === "events") this.#tell(report.events);
    else if (report.kind === "log") this.#log[report.level](report.message, { store: this.name, ...report.facts });
    else if (report.kind === "recovered") this.#options.onRecovered?.(report.note);
    else if (report.kind === "fatal") this.#fatal(fromWireError(report.error));
    else void this.#migrate(report.session, report.to);
  }

  died(cause: unknown): void {
    this.#connection = undefined;
    this.#deaths.push(this.#clock.mono());
    this.#log.error("store thread died", {
      store: this.name,
      why: cause instanceof Error ? cause.message : String(cause),
    });
  }

  #fatal(error: AppError): void {
    if (this.#options.onFatal) this.#options.onFatal(error);
    else
      setImmediate(() => {
        throw error;
      });
  }

  #connected(): Promise<Connection> {
    if (this.#closed) return Promise.reject(this.#closed);
    const recent = this.#deaths.filter((at) => this.#clock.mono() - at < DEATHS_WITHIN_MS).length;
    if (recent >= DEATHS_MAX)
      return Promise.reject(refused("closed", `${this.name} stays closed: its thread died ${recent} times`));
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const thread = storeThread();
    this.#thread = thread;
    const store = thread.enter(this);
    this.#migrating = { thread, store };
    try {
      await this.#answer(thread.ask(store, { op: "open", request: toRequest(this.#spec, this.#options) }));
      if (this.#options.readonly !== true) await this.#catchUp({ thread, store });
      return { thread, store };
    } catch (error) {
      this.#connection = undefined;
      await thread.leave(store);
      throw error;
    }
  }

  /** Events that were durable when the thread died, and that it could not tell any more. */
  async #catchUp({ thread, store }: Connection): Promise<void> {
    const select = async (sql: string, args: readonly number[]) => {
      const answer = this.#answer(
        thread.ask(store, { op: "script", label: "catch up", steps: [{ sql, args }], events: [] }),
      );
      return ((await answer) as Row[][])[0] ?? []; // the engine answers a script with the rows of its steps
    };
    if (this.#heard === undefined) {
      this.#heard = Number((await select(LAST_SEQ, []))[0]?.["seq"] ?? 0);
      return;
    }
    for (;;) {
      const rows = await select(EVENTS_AFTER, [this.#heard, 500]);
      if (rows.length === 0) return;
      this.#tell(rows.map((row) => toStoredEvent(this.name, row)));
    }
  }

  #tell(events: readonly StoredEvent[]): void {
    this.#heard = events.at(-1)?.seq ?? this.#heard;
    this.#listeners.tell(events);
  }

  async #ask(op: Op): Promise<unknown> {
    const { thread, store } = await this.#connected();
    return this.#answer(thread.ask(store, op));
  }

  async #answer<T>(asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw error instanceof ThreadDeath ? unknownOutcome(this.name, "store thread died", error.cause) : error;
    }
  }

  /** Arguments are checked here, so that a mistake is reported where it was made and no blob is copied to the thread. */
  #session({ thread, store }: Connection, session: number, kind: BodyKind | "migration"): Session {
    const ask = (op: Op) => this.#answer(thread.ask(store, op));
    const bound = (sql: string, args: Parameters<Session["all"]>[1], allowed: "read" | "any" | "write") =>
      storableArgs(args, (kind === "migration" ? inspect(sql) : mustBe(sql, allowed)).params, sql);
    return {
      all: async (sql, args) => {
        const given = bound(sql, args, kind === "read" ? "read" : "any");
        return (await ask({ op: "all", session, sql, args: given })) as Row[]; // the engine answers with rows
      },
      text: async (sql, args) =>
        (await ask({ op: "text", session, sql, args: bound(sql, args, "read") })) as Uint8Array, // the engine answers with bytes
      run: async (sql, args) => {
        const given = bound(sql, args, "write");
        return Number(await ask({ op: "run", session, sql, args: given }));
      },
      emit: (event) => {
        eventArgs(event);
        thread.tell(store, {
          op: "emit",
          session,
          event: { ...event, payload: JSON.parse(JSON.stringify(event.payload)) },
        });
      },
      commit: async () => void (await ask({ op: "commit", session })),
      rollback: async () => void (await ask({ op: "rollback", session })),
      rewind: async () => void (await ask({ op: "rewind", session })),
    };
  }

  async #migrate(session: number, to: number): Promise<void> {
    const connection = this.#migrating;
    if (!connection) return;
    let failure: unknown;
    try {
      const step = this.#spec.migrations.find((one) => one.to === to);
      await step?.apply?.(transaction(this.#session(connection, session, "migration"), "write"));
    } catch (error) {
      failure = error;
    }
    const error = failure === undefined ? undefined : toWireError(failure);
    connection.thread.tell(connection.store, { op: "migrated", session, error });
  }
}

/** Checked here, where the mistake was made, and before JSON turns an `undefined` into nothing. @throws E_INVALID */
function checkStep({ sql, args }: Step): void {
  for (const [at, value] of args.entries())
    if (typeof value !== "string" && (typeof value !== "object" || ArrayBuffer.isView(value)))
      storable(value, `argument ${at + 1} of: ${sql.slice(0, 200)}`);
}

function toRequest(spec: StoreSpec, options: OpenOptions): OpenRequest {
  return {
    spec: { name: spec.name, path: spec.path, kind: spec.kind },
    migrations: spec.migrations.map(({ to, statements, apply }) => ({ to, statements, applied: apply !== undefined })),
    readonly: options.readonly === true,
    longLived: options.longLived ?? true,
    checkpointBytes: options.checkpointBytes,
  };
}
