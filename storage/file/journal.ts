import { existsSync } from "node:fs";
import { AppError } from "../../lib/base/errors.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Connection } from "./ops.js";

export interface JournalDeps {
  readonly connection: Connection;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Run something between two transactions, before what waits already when `soon`. */
  readonly post: (chore: () => Promise<void>, soon: boolean) => void;
  readonly onError: (error: unknown) => void;
}

const IDLE_MS = 200;
/**
 * Bytes at which the journal is merged without waiting for idleness. The next commit then begins again at its start: to write over what the
 * file has already is synced in half the time that a growing file takes, since the system need not note its size.
 */
const FULL_BYTES = 4 << 20;
/** One commit alone can be large. The journal is emptied as well then, since its file would stay as large. */
const LARGE_BYTES = 16 << 20;
const WARN_EVERY_MS = 60_000;

type Mode = "PASSIVE" | "TRUNCATE";

/** Decides when the journal of a file is merged into it. While a copy of the file is made it stays as it is. */
export class Journal {
  readonly #deps: JournalDeps;
  /** Commits are in the journal that are not in the file. */
  #unmerged = false;
  #cancelIdle: () => void = () => undefined;
  readonly #copies = new Set<Promise<unknown>>();
  #warned = Number.NEGATIVE_INFINITY;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /** Work goes on: the idle time begins again at the next commit. */
  busy(): void {
    this.#cancelIdle();
  }

  /** @param bytes of the journal that the commit has reached */
  committed(bytes: number, wrote: boolean): void {
    this.#unmerged ||= wrote;
    if (!this.#unmerged || bytes === 0) return;
    if (bytes > FULL_BYTES) this.#deps.post(() => this.#merge(bytes > LARGE_BYTES ? "TRUNCATE" : "PASSIVE"), true);
    else this.#cancelIdle = this.#deps.clock.after(IDLE_MS, () => this.#deps.post(() => this.#merge("PASSIVE"), false));
  }

  /** Merge everything and leave nothing in the journal. Waits for copies. */
  async empty(): Promise<void> {
    await this.settle();
    await this.#deps.connection.send({ op: "checkpoint", mode: "TRUNCATE" });
    this.#unmerged = false;
  }

  /** Keep the file as it is until `copy` has settled. */
  hold(copy: Promise<unknown>): void {
    const held = copy.catch(() => undefined).finally(() => this.#copies.delete(held));
    this.#copies.add(held);
  }

  /** Resolves when no copy is under way. */
  async settle(): Promise<void> {
    for (const copy of this.#copies) await copy;
  }

  /** A failure leaves the journal as it is, so nothing is lost; the next one tries again. */
  async #merge(mode: Mode): Promise<void> {
    this.#warnOfOthers();
    if (this.#copies.size > 0) return;
    try {
      await this.#deps.connection.send({ op: "checkpoint", mode });
      this.#unmerged = false;
    } catch (error) {
      this.#deps.onError(error);
      this.#deps.log.warning("checkpoint failed", {
        path: this.#deps.path,
        code: error instanceof AppError ? error.code : "E_INTERNAL",
      });
    }
  }

  /** Other programs do not see our lock, and two writers destroy the file. */
  #warnOfOthers(): void {
    const now = this.#deps.clock.mono();
    if (now - this.#warned < WARN_EVERY_MS || !existsSync(`${this.#deps.path}-shm`)) return;
    this.#warned = now;
    this.#deps.log.error("another program has the session store open and could damage it; use a copy instead", {
      path: this.#deps.path,
    });
  }
}
