/** Most bytes that wait. The commit of one message takes about 80 kB. */
const ROOM = 128 << 10;

/** Write bytes at a place of a file. @returns how many were written */
export type WriteAt = (fd: number, bytes: Uint8Array, at: number) => number;

/**
 * Writes to a journal, of which each goes on where the one before ended, as one: from the beginning of a transaction to its sync. SQLite writes
 * the twenty pages of a small commit in forty pieces, and each of them is a call of the system. What waits here is on the file before any reader
 * syncs, reads, measures or cuts it, and no commit succeeds without a sync, so that nothing is durable later than without this. What SQLite
 * writes behind its sync (it fills up the sector) goes to the file at once: no later failure can take it.
 */
export class Gathered {
  readonly #write: WriteAt;
  #on = false;
  #bytes: Buffer | undefined;
  #fd = -1;
  #at = 0;
  #length = 0;

  constructor(write: WriteAt) {
    this.#write = write;
  }

  /** A transaction has begun. */
  begin(): void {
    this.#on = true;
  }

  /** A file is about to be synced. @throws what a write that waited fails with */
  end(): void {
    this.#on = false;
    this.flush();
  }

  /** @throws what this write, or one that waited, fails with */
  add(fd: number, bytes: Uint8Array, at: number): number {
    const { length } = bytes;
    if (fd !== this.#fd || at !== this.#at + this.#length || this.#length + length > ROOM) this.flush();
    if (!this.#on || length > ROOM) return this.#write(fd, bytes, at);
    this.#bytes ??= Buffer.allocUnsafeSlow(ROOM);
    if (this.#length === 0) {
      this.#fd = fd;
      this.#at = at;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length += length;
    return length;
  }

  /** Write what waits. After a failure nothing waits any more: the transaction that it belonged to has failed. */
  flush(): void {
    const length = this.#length;
    this.#length = 0;
    if (this.#bytes === undefined) return;
    for (let done = 0; done < length; )
      done += this.#write(this.#fd, this.#bytes.subarray(done, length), this.#at + done);
  }

  /** What waits is given up: its file is closed without asking SQLite. */
  drop(): void {
    this.#on = false;
    this.#length = 0;
  }
}
