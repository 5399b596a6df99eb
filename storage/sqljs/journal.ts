import type { AppError } from "../../lib/base/errors.js";
import { appendFailed, unknownOutcome } from "../errors.js";
import type { StoredEvent } from "../store.js";
import type { Pace } from "./pace.js";
import { type Rendered, type Replay, renderTransaction } from "./payload.js";
import type { Sabotage } from "./sabotage.js";
import type { Segment } from "./segment.js";

/** Transactions that one fsync covers. */
interface Batch {
  readonly texts: string[];
  bytes: number;
  readonly events: StoredEvent[];
  readonly durable: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: AppError) => void;
}

/** What the journal tells its engine. */
export interface JournalHooks {
  /** A frame is on the disk. Called before those who wait for it hear. */
  durable(events: readonly StoredEvent[]): void;
  /** A frame could not be appended; it and all behind it are gone, the segment is as before. What memory holds is ahead of the disk. */
  lost(error: AppError): void;
  /** The disk broke its promise: the process must end. */
  fatal(error: AppError): void;
}

const BATCH_TRANSACTIONS = 256;
const BATCH_BYTES = 4 << 20;

/** Group commit: while one frame is being synced, the transactions that come meanwhile make up the next. */
export class Journal {
  readonly #name: string;
  readonly #hooks: JournalHooks;
  readonly #sabotage: Sabotage;
  readonly #pace: Pace;
  #segment: Segment;
  #seq: number;
  #queue: Batch[] = [];
  #flying: Batch | undefined;
  #dead: AppError | undefined;
  #pumpDue = false;
  /** Since the last checkpoint. */
  #transactions: number;
  #bytesBefore: number;

  constructor(
    name: string,
    start: { segment: Segment; seq: number; transactions: number; bytes: number; pace: Pace },
    hooks: JournalHooks,
    sabotage: Sabotage,
  ) {
    this.#name = name;
    this.#segment = start.segment;
    this.#pace = start.pace;
    this.#seq = start.seq;
    this.#transactions = start.transactions;
    this.#bytesBefore = start.bytes - start.segment.size;
    this.#hooks = hooks;
    this.#sabotage = sabotage;
  }

  /** Newest frame on the disk, or being written. */
  get seq(): number {
    return this.#seq;
  }

  get segment(): Segment {
    return this.#segment;
  }

  get transactions(): number {
    return this.#transactions;
  }

  get bytes(): number {
    return this.#bytesBefore + this.#segment.size;
  }

  /** Text of a transaction, before it is committed in memory. @throws E_TOO_LARGE */
  render(transaction: Replay): Rendered {
    return renderTransaction(this.#segment.dictionary, transaction);
  }

  /** A transaction was committed in memory. Resolves when it is on the disk. */
  add(rendered: Rendered, events: readonly StoredEvent[]): Promise<void> {
    if (this.#dead) return Promise.reject(this.#dead);
    const last = this.#queue.at(-1);
    const fits =
      last !== undefined && last.texts.length < BATCH_TRANSACTIONS && last.bytes + rendered.bytes <= BATCH_BYTES;
    const batch = fits ? last : createBatch();
    if (!fits) this.#queue.push(batch);
    batch.texts.push(rendered.text);
    batch.bytes += rendered.bytes + 1;
    batch.events.push(...events);
    this.#schedule();
    return batch.durable;
  }

  /** Resolves when all that was added is on the disk. */
  async latest(): Promise<void> {
    if (this.#dead) throw this.#dead;
    await (this.#queue.at(-1) ?? this.#flying)?.durable;
  }

  /** Go on in another segment. Only when nothing waits. */
  rotate(segment: Segment): void {
    this.#segment.close();
    this.#segment = segment;
    this.#transactions = 0;
    this.#bytesBefore = 0;
  }

  /** The files stay as they are; nothing more is written. */
  close(why: AppError): void {
    this.#dead ??= why;
    this.#segment.close();
    this.#rejectAll(why);
  }

  /** On the next turn of the loop, so that all calls of this turn share one frame. */
  #schedule(): void {
    if (this.#pumpDue || this.#flying) return;
    this.#pumpDue = true;
    setImmediate(() => {
      this.#pumpDue = false;
      this.#pump();
    });
  }

  #pump(): void {
    const batch = this.#dead || this.#flying ? undefined : this.#queue.shift();
    if (!batch) return;
    this.#flying = batch;
    const before = this.#segment.size;
    let bytes: number;
    try {
      bytes = this.#segment.append(this.#seq + 1, Buffer.from(`[${batch.texts.join(",")}]`));
    } catch (error) {
      this.#appendFailed(error, before);
      return;
    }
    this.#seq += 1;
    this.#transactions += batch.texts.length;
    if (this.#sabotage.ackBeforeSync === true) this.#show(batch);
    void this.#sync(batch, bytes);
  }

  /** Never rejects. What the thread waits for itself is done when it returns. */
  async #sync(batch: Batch, bytes: number): Promise<void> {
    const turn = this.#pace.begin(bytes);
    try {
      if (turn.here) this.#segment.syncNow();
      else await this.#segment.sync();
      turn.over();
    } catch (error) {
      if (this.#sabotage.ignoreFailedSync !== true) {
        this.#syncFailed(error);
        return;
      }
    }
    if (this.#dead) return;
    this.#flying = undefined;
    if (this.#sabotage.ackBeforeSync !== true) this.#show(batch);
    if (!turn.here) this.#pump();
    else if (this.#queue.length > 0) this.#schedule(); // those who wait hear of this frame before the thread waits for the next
  }

  #show(batch: Batch): void {
    this.#hooks.durable(batch.events);
    batch.resolve();
  }

  #appendFailed(cause: unknown, before: number): void {
    const error = appendFailed(this.#name, cause);
    try {
      if (this.#sabotage.keepShortAppend === true) this.#segment.skipTo(Math.max(before, this.#segment.fileSize()));
      else this.#segment.cutBack();
    } catch (failure) {
      this.#end(unknownOutcome(this.#name, "failed to truncate the journal", failure));
      return;
    }
    if (this.#sabotage.keepShortAppend === true) {
      this.#flying?.reject(error);
      this.#flying = undefined;
      this.#pump();
      return;
    }
    this.close(error);
    this.#hooks.lost(error);
  }

  #syncFailed(cause: unknown): void {
    this.#end(unknownOutcome(this.#name, "the disk did not confirm the change", cause));
  }

  #end(error: AppError): void {
    this.close(error);
    this.#hooks.fatal(error);
  }

  #rejectAll(error: AppError): void {
    const all = [...(this.#flying ? [this.#flying] : []), ...this.#queue];
    this.#flying = undefined;
    this.#queue = [];
    for (const batch of all) batch.reject(error);
  }
}

function createBatch(): Batch {
  let resolve: () => void = () => undefined;
  let reject: (error: AppError) => void = () => undefined;
  const durable = new Promise<void>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  durable.catch(() => undefined); // those who wait hear it; a batch without a waiter must not end the process
  return { texts: [], bytes: 0, events: [], durable, resolve, reject };
}
