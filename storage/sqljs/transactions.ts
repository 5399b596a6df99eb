import { AppError } from "../../lib/base/errors.js";
import type { EpochMs } from "../../lib/base/units.js";
import { refused } from "../errors.js";
import { asStored, EVENT_INSERT_COUNTED, NEWEST_SEQ } from "../events.js";
import { mustBe } from "../statement.js";
import type { Args, DomainEvent, Row, StoredEvent, Value } from "../store.js";
import { EVENT_PAYLOAD, eventArgs, storableArgs } from "../value.js";
import { MAX_PAYLOAD } from "./frame.js";
import type { Journal } from "./journal.js";
import type { Memory } from "./memory.js";
import { type Change, type Rendered, tooLarge } from "./payload.js";

/** What a body may do. `purge`: a write after which no file holds what it deleted. */
export type BodyKind = "read" | "write" | "purge";

/** The open transaction. */
interface Body {
  readonly label: string;
  readonly kind: BodyKind;
  changes: Change[];
  events: StoredEvent[];
  /** Characters of the texts in it; never more than the bytes that the journal will take. */
  characters: number;
  /** The store was reloaded under it: nothing of it is there any more. */
  broken: AppError | undefined;
}

/** What transactions need of their engine. */
export interface TransactionPort {
  readonly name: string;
  readonly readonly: boolean;
  now(): EpochMs;
  /** @throws when the store is closed or not loaded */
  memory(): Memory;
  /** @throws for a reader */
  journal(): Journal;
  /** Resolves when everything that memory holds is on the disk. */
  settled(): Promise<void>;
  /** What is deleted here has to leave the files, too. */
  purging(): void;
}

/** The one open transaction of an engine: its statements, and what of it goes to the journal. Synchronous up to the commit. */
export class Transactions {
  readonly #port: TransactionPort;
  #body: Body | undefined;
  /** Newest event in the open transaction of the memory, counted on from the last one that it has emitted; undefined when it was not counted. */
  #lastSeq: number | undefined;

  constructor(port: TransactionPort) {
    this.#port = port;
  }

  begin(kind: BodyKind, label: string): void {
    if (kind !== "read" && this.#port.readonly) {
      throw refused("readonly", `${this.#port.name} is open read-only`, { store: this.#port.name });
    }
    this.#port.memory().begin(kind === "read" ? "read" : "write");
    this.#lastSeq = undefined;
    this.#body = newBody(kind, label);
  }

  all(sql: string, args: Args): Row[] {
    const body = this.#open();
    const statement = mustBe(sql, body.kind === "read" ? "read" : "any");
    const bound = storableArgs(args, statement.params, sql);
    if (statement.kind === "write") grow(body, bound);
    if (statement.ofEvents) this.#lastSeq = undefined;
    const rows = this.#port.memory().all(sql, bound);
    if (statement.kind === "write") this.#note(body, sql, bound);
    return rows;
  }

  text(sql: string, args: Args): Uint8Array {
    this.#open();
    return this.#port.memory().text(sql, storableArgs(args, mustBe(sql, "read").params, sql));
  }

  /** @returns rows changed */
  run(sql: string, args: Args): number {
    const body = this.#open();
    const statement = mustBe(sql, "write");
    const bound = storableArgs(args, statement.params, sql);
    grow(body, bound);
    if (statement.ofEvents) this.#lastSeq = undefined;
    this.#port.memory().all(sql, bound);
    return this.#note(body, sql, bound);
  }

  emit(event: DomainEvent): void {
    const body = this.#open();
    if (body.kind === "read") throw new AppError("E_INVALID", `event ${event.kind}: a read cannot emit events`);
    const bound = eventArgs(event);
    const seq = this.#nextSeq();
    const row = [seq, ...bound];
    this.#port.memory().all(EVENT_INSERT_COUNTED, row);
    this.#note(body, EVENT_INSERT_COUNTED, row);
    this.#lastSeq = seq;
    body.events.push(asStored({ store: this.#port.name, seq, payload: String(bound[EVENT_PAYLOAD]) }, event));
  }

  /**
   * Run several bodies as one transaction of the memory, each still a transaction of its own in the journal: the pages that they share are
   * written once. When one fails, nothing of any of them is there.
   *
   * @returns for each body when it, and all it has seen, is on the disk
   */
  together(bodies: readonly { readonly label: string; readonly run: () => void }[]): Promise<void>[] {
    const done: { rendered: Rendered; events: readonly StoredEvent[] }[] = [];
    const journal = this.#port.journal();
    const indexes: (number | undefined)[] = [];
    try {
      for (const { label, run } of bodies) {
        if (this.#body) this.#body = newBody("write", label);
        else this.begin("write", label);
        run();
        const { changes, events } = this.#open();
        indexes.push(changes.length === 0 ? undefined : done.length);
        if (changes.length > 0)
          done.push({ rendered: journal.render({ label, at: this.#port.now(), purge: false, changes }), events });
      }
      this.#port.memory().commit();
    } catch (error) {
      for (const { rendered } of done.toReversed()) rendered.forget();
      this.rollback();
      throw error;
    }
    this.#body = undefined;
    const durable = done.map(({ rendered, events }) => journal.add(rendered, events));
    const settled = this.#port.settled();
    settled.catch(() => undefined); // a group without a reading body does not wait for it
    return indexes.map((at) => (at === undefined ? undefined : durable[at]) ?? settled);
  }

  /** End the transaction. Resolves when it, and all it has seen, is on the disk. A failing commit rolls back. */
  commit(): Promise<void> {
    const body = this.#open();
    if (body.kind === "purge") this.#port.purging();
    if (body.changes.length === 0) {
      this.rollback();
      return this.#port.settled();
    }
    const journal = this.#port.journal();
    const purge = body.kind === "purge";
    const rendered = journal.render({ label: body.label, at: this.#port.now(), purge, changes: body.changes });
    try {
      this.#port.memory().commit();
    } catch (error) {
      rendered.forget();
      throw error;
    }
    this.#body = undefined;
    return journal.add(rendered, body.events);
  }

  /** Undo the open transaction; harmless without one. */
  rollback(): void {
    const body = this.#body;
    this.#body = undefined;
    if (body && !body.broken) this.#port.memory().rollback();
  }

  /** Undo what the open transaction did and begin it again. */
  rewind(): void {
    const { kind, label } = this.#open();
    this.rollback();
    this.begin(kind, label);
  }

  /** The store was reloaded or closed under the open transaction. */
  breakOff(error: AppError): void {
    if (this.#body) this.#body.broken ??= error;
  }

  #open(): Body {
    if (!this.#body) throw new AppError("E_INTERNAL", `${this.#port.name}: no open transaction`);
    if (this.#body.broken) throw this.#body.broken;
    return this.#body;
  }

  /** Counted here: a statement that answers the `seq` which the table gave takes half as long again. */
  #nextSeq(): number {
    this.#lastSeq ??= Number(this.#port.memory().all(NEWEST_SEQ, [])[0]?.["seq"] ?? 0);
    return this.#lastSeq + 1;
  }

  #note(body: Body, sql: string, args: readonly Value[]): number {
    const rows = this.#port.memory().changed();
    if (rows > 0) body.changes.push({ sql, args, rows });
    return rows;
  }
}

function newBody(kind: BodyKind, label: string): Body {
  return { label, kind, changes: [], events: [], characters: 0, broken: undefined };
}

/** Refuse what can never be journalled before it is bound, not when all of it is there. */
function grow(body: Body, bound: readonly Value[]): void {
  const more = bound.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
  if (body.characters + more > MAX_PAYLOAD) throw tooLarge(body.label);
  body.characters += more;
}
