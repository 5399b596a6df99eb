import { closeSync, constants, openSync, readSync } from "node:fs";
import type { Socket } from "node:net";
import { once } from "../async/lazy.js";
import { errorCode } from "../fs/files.js";
import type { Clock } from "../time/clock.js";
import type { Ms } from "../units.js";

/**
 * Who takes so long gets a stream that tells what is written while it is written. Most commands have ended by then, and to make a stream takes the
 * owner longer than to read what they have left.
 */
const STREAM_AFTER: Ms = 5;
/** As much as the system keeps in a pipe (Linux, pipe(7)). */
const PIPE_BYTES = 64 << 10;

/** Loaded with the first stream, and asked for once: a bundle copies its members at each request. */
const net = once(() => import("node:net"));
/** Taken with the first output, and for all: what is read goes into a copy of its own. */
let scratch: Buffer | undefined;

/** The reading end of the pipe that all shells of a zygote write to, one after the other. */
export class ZygotePipe {
  readonly #path: string;
  readonly #clock: Clock;
  #idle: number | undefined;

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  /** For the next shell. A reader has to be there before it opens its end, and must not wait for it. @returns undefined when it cannot be read */
  open(): ZygoteOutput | undefined {
    try {
      const fd = this.#idle ?? openSync(this.#path, constants.O_RDONLY | constants.O_NONBLOCK);
      this.#idle = undefined;
      return new ZygoteOutput(fd, this.#clock, (unused) => {
        this.#idle = unused;
      });
    } catch {
      return undefined; // the pipe was removed, or there are too many open files: the caller starts its shell itself
    }
  }

  /** Nobody opens it again. Harmless twice. */
  close(): void {
    const fd = this.#idle;
    this.#idle = undefined;
    if (fd !== undefined) closeSync(fd);
  }
}

/** What one shell writes, and those that it leaves behind. */
export class ZygoteOutput {
  /** Resolves when nobody can write to it any more. */
  readonly closed: Promise<void>;
  readonly #clock: Clock;
  readonly #giveBack: (fd: number) => void;
  readonly #listeners: ((chunk: Buffer) => void)[] = [];
  readonly #early: Buffer[] = [];
  #fd: number | undefined;
  #stream: Socket | undefined;
  #kept = true;
  #cancel: () => void = () => undefined;
  #tellClosed: () => void = () => undefined;

  /** @param giveBack is told the descriptor when everything was read and nobody writes */
  constructor(fd: number, clock: Clock, giveBack: (fd: number) => void) {
    this.#fd = fd;
    this.#clock = clock;
    this.#giveBack = giveBack;
    this.closed = new Promise((resolve) => {
      this.#tellClosed = resolve;
    });
  }

  /** Called with what comes, also with what came before. */
  onData(listener: (chunk: Buffer) => void): void {
    if (this.#listeners.push(listener) === 1) this.#stream?.on("data", this.#tell);
    for (const chunk of this.#early.splice(0)) listener(chunk);
    if (this.#listeners.length === 1 && this.#fd !== undefined)
      this.#cancel = this.#clock.after(STREAM_AFTER, () => this.#follow());
  }

  /** The shell has ended: what it wrote is in the pipe. */
  ended(): void {
    if (this.#fd === undefined) return; // a stream reads it, or nobody can
    if (this.#readAll()) this.#end(this.#giveBack);
    else this.#follow(); // somebody whom it left behind holds the pipe
  }

  /** Nobody writes to it: nothing was started. */
  drop(): void {
    this.#end(closeSync);
  }

  /** It does not keep this process alive. */
  unref(): void {
    this.#kept = false;
    this.#stream?.unref();
  }

  #end(what: (fd: number) => void): void {
    const fd = this.#fd;
    this.#fd = undefined;
    this.#cancel();
    if (fd !== undefined) what(fd);
    this.#tellClosed();
  }

  /** @returns whether the other end is closed */
  #readAll(): boolean {
    scratch ??= Buffer.allocUnsafeSlow(PIPE_BYTES);
    for (;;) {
      const read = this.#readSome(scratch);
      if (read === undefined) return false;
      if (read === 0) return true;
      this.#tell(Buffer.from(scratch.subarray(0, read)));
    }
  }

  /** @returns 0 when nobody can write any more, undefined when somebody can */
  #readSome(bytes: Buffer): number | undefined {
    try {
      return this.#fd === undefined ? undefined : readSync(this.#fd, bytes);
    } catch (error) {
      return errorCode(error) === "EAGAIN" ? undefined : 0; // a pipe that cannot be read gives nothing more
    }
  }

  readonly #tell = (chunk: Buffer): void => {
    if (this.#listeners.length === 0) this.#early.push(chunk);
    for (const listener of this.#listeners) listener(chunk);
  };

  #follow(): void {
    const fd = this.#fd;
    if (fd === undefined) return;
    this.#fd = undefined;
    this.#cancel();
    void net().then(({ Socket }) => {
      const stream = new Socket({ fd, readable: true, writable: false });
      stream.on("error", () => undefined); // it shows in `closed`
      stream.once("close", () => this.#tellClosed());
      if (this.#listeners.length > 0) stream.on("data", this.#tell); // nothing is read that nobody hears
      if (!this.#kept) stream.unref();
      this.#stream = stream;
    }, this.#tellClosed);
  }
}
