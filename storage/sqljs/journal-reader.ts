import type { AppError } from "../../lib/base/errors.js";
import { refused } from "../errors.js";
import { newestSchema } from "../migrate.js";
import { contentEnd } from "./ahead.js";
import type { Base } from "./base.js";
import type { KnownSegment } from "./checkpoint.js";
import { keepLost, listSegments, restoreHint } from "./files.js";
import { type Frame, type Scan, scan } from "./frame.js";
import type { Memory } from "./memory.js";
import { parseFrame, type Replay } from "./payload.js";
import type { RecoverySetup, Tail } from "./recovered.js";
import { replay } from "./replay.js";
import { type HeadFound, readHead, type SegmentHead } from "./segment.js";

interface LoadedSegment {
  readonly number: number;
  readonly path: string;
  readonly bytes: Buffer;
  readonly head: SegmentHead;
  readonly from: number;
}

/** Reads the segments behind a checkpoint, in order. */
export class JournalReader {
  readonly #setup: RecoverySetup;
  readonly #memory: Memory;
  readonly #base: Base;
  readonly #store: string;
  #schema: number;
  #seq: number;
  #tail: Tail | undefined;
  readonly #segments: KnownSegment[] = [];
  /** seq that the next segment must begin with. */
  #next: number;
  #until = Number.POSITIVE_INFINITY;
  #bytes = 0;
  #transactions = 0;
  #purge = false;

  constructor(setup: RecoverySetup, memory: Memory, base: Base, row: { id: string; schema: number; seq: number }) {
    this.#setup = setup;
    this.#memory = memory;
    this.#base = base;
    this.#store = row.id;
    this.#schema = row.schema;
    this.#seq = Math.max(base.seq, row.seq);
    this.#next = this.#seq + 1;
  }

  /** Schema that the memory has now. */
  get schema(): number {
    return this.#schema;
  }

  /** @param until Newest frame to apply; default all */
  async read(until = Number.POSITIVE_INFINITY): Promise<void> {
    this.#until = until;
    const segments = this.#needed().filter((segment) => segment.head.first <= until);
    for (const [at, segment] of segments.entries()) await this.#apply(segment, segments.slice(at + 1));
    const { disk, dir } = this.#setup.files;
    if (this.#setup.mode === "owner") disk.syncDir(dir); // what a killed process created or renamed may not have its name on the disk yet
    if (segments.length > 0) this.#checkForeignKeys();
  }

  result() {
    const { files } = this.#setup;
    const complete =
      this.#tail !== undefined && this.#tail.number >= this.#base.segment && this.#seq >= this.#base.reach;
    if (!complete && this.#base.adopted !== true && this.#setup.sabotage.acceptGap !== true) {
      throw refused("damaged", `the journal of ${files.db} is missing or truncated`, {
        path: files.db,
        hint: restoreHint,
      });
    }
    return {
      schema: this.#schema,
      seq: this.#seq,
      tail: this.#tail,
      segments: this.#segments,
      journalBytes: this.#bytes,
      transactions: this.#transactions,
      purge: this.#purge,
    };
  }

  /** From the segment that holds the first frame behind the checkpoint to the last one. */
  #needed(): LoadedSegment[] {
    const { files, mode } = this.#setup;
    const numbers = listSegments(files);
    const loaded: LoadedSegment[] = [];
    for (const number of numbers.reverse()) {
      const path = files.segment(number);
      const bytes = files.disk.readFile(path) ?? Buffer.alloc(0);
      const found = readHead(bytes);
      if (found.kind === "torn" && number === numbers[0] && number > this.#base.segment) {
        if (mode === "owner") this.#removeTorn(path, bytes);
        continue;
      }
      loaded.unshift({ number, path, bytes, ...this.#checkHead(path, found) });
      if (loaded[0] && loaded[0].head.first <= this.#seq + 1) return loaded;
    }
    if (loaded.length === 0 || this.#setup.sabotage.acceptGap === true) return loaded;
    const first = loaded[0];
    throw this.#damaged(
      first?.path ?? files.db,
      0,
      `frames ${this.#seq + 1} to ${(first?.head.first ?? 0) - 1} are missing`,
    );
  }

  #checkHead(path: string, found: HeadFound): { head: SegmentHead; from: number } {
    if (found.kind === "newer") throw this.#newer(path, `journal version ${String(found.version)}`);
    if (found.kind !== "ok") throw this.#damaged(path, 0, "unreadable header");
    const { head } = found;
    if (head.store !== this.#store) {
      throw refused("foreign", `${path} is the journal of another store`, { path, hint: restoreHint });
    }
    if (head.schema > newestSchema(this.#setup.spec.migrations)) throw this.#newer(path, `schema ${head.schema}`);
    return { head, from: found.end };
  }

  #removeTorn(path: string, bytes: Buffer): void {
    const { files } = this.#setup;
    keepLost(
      files,
      "torn-segment",
      bytes,
      `${path}: the segment was being created when the machine stopped; it was empty`,
    );
    files.disk.remove(path);
    files.disk.syncDir(files.dir);
  }

  async #apply(segment: LoadedSegment, later: readonly LoadedSegment[]): Promise<void> {
    const { head, path, bytes, from } = segment;
    const { sabotage } = this.#setup;
    if (head.first > this.#next && sabotage.acceptGap !== true)
      throw this.#damaged(path, 0, `frames ${this.#next} to ${head.first - 1} are missing`);
    if (head.first < this.#next && this.#tail !== undefined) {
      // Left by a rotation that failed after its head: the segment before went on. It never took a frame.
      if (later.length === 0 && isEmpty(segment)) return;
      throw this.#damaged(path, 0, `frame ${head.first} is duplicated`);
    }
    if (head.schema > this.#schema) await this.#migrateTo(head.schema);
    const statements = new Map<number, string>();
    const result = scan(bytes, { from, first: head.first, salt: head.salt, sabotage }, (frame) =>
      this.#applyFrame(frame, path, statements),
    );
    if (result.kind === "damaged") throw this.#damaged(path, result.at, `a later frame (${result.later}) is intact`);
    const last = mayBeLast(later, result.next);
    if (result.kind === "torn" && !last) throw this.#damaged(path, result.at, "a later segment exists");
    const end = sabotage.goOnBehind === true && result.kind === "clean" ? bytes.length : result.at;
    if (this.#setup.mode === "owner" && last) this.#settle(segment, result.kind, end);
    this.#bytes += result.at;
    this.#next = result.next;
    const dictionary = new Map([...statements].map(([number, sql]) => [sql, number]));
    this.#segments.push({ number: segment.number, first: head.first });
    this.#tail = { number: segment.number, head, size: end, dictionary };
  }

  #applyFrame(frame: Frame, path: string, statements: Map<number, string>): void {
    const transactions = this.#parsed(frame, path, statements);
    if (frame.seq <= this.#seq || frame.seq > this.#until) return;
    for (const transaction of transactions) {
      replay(this.#memory, transaction, { path, seq: frame.seq });
      this.#purge ||= transaction.purge;
      this.#transactions += 1;
    }
    this.#seq = frame.seq;
  }

  #parsed(frame: Frame, path: string, statements: Map<number, string>): Replay[] {
    try {
      return parseFrame(frame.payload, statements);
    } catch (error) {
      throw this.#damaged(
        path,
        0,
        `frame ${frame.seq} is unreadable (${error instanceof Error ? error.message : String(error)})`,
      );
    }
  }

  async #migrateTo(schema: number): Promise<void> {
    await this.#setup.migrate(this.#memory, this.#schema, schema);
    this.#schema = schema;
  }

  /**
   * Cut a torn tail off, and put on the disk what a killed process had only handed to the kernel: from here on it is shown. What was allocated ahead goes
   * too: the next writer begins with a file that ends with its last frame, as if it never had been longer.
   */
  #settle({ path, bytes }: LoadedSegment, kind: Scan["kind"], end: number): void {
    const { files } = this.#setup;
    if (kind === "torn") {
      const note = `${path}: the journal from byte ${end} was being written when the machine stopped`;
      keepLost(files, "torn-tail", bytes.subarray(end, contentEnd(bytes, end)), note);
    }
    const file = files.disk.open(path, "update");
    try {
      if (end < bytes.length) file.truncate(end);
      file.syncNow();
    } finally {
      file.close();
    }
  }

  #checkForeignKeys(): void {
    const broken = this.#memory.all("PRAGMA foreign_key_check", []);
    if (broken.length === 0) return;
    const { db } = this.#setup.files;
    throw refused("damaged", `${db}: ${broken.length} rows refer to missing rows`, {
      path: db,
      hint: restoreHint,
    });
  }

  #damaged(path: string, offset: number, why: string): AppError {
    const text = `${path} is damaged at byte ${offset}: ${why}; nothing was changed`;
    return refused("damaged", text, { path, offset, hint: restoreHint });
  }

  #newer(path: string, what: string): AppError {
    return refused("newer", `${path} has ${what}: it was written by a newer version`, {
      path,
      hint: "use a newer version",
    });
  }
}

/** Nothing follows, or only an empty segment: the rotation that made it failed, and the segment before took one more append. */
function mayBeLast(later: readonly LoadedSegment[], next: number): boolean {
  const [only, ...more] = later;
  if (!only) return true;
  return more.length === 0 && isEmpty(only) && only.head.first === next;
}

const isEmpty = ({ bytes, from }: LoadedSegment): boolean => contentEnd(bytes, from) === from;
