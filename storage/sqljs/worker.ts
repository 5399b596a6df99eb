import { Worker } from "node:worker_threads";
import { fromWireError } from "../../lib/base/errors.js";
import { faultEnvironment } from "../../lib/base/fault.js";
import { distFile } from "../../lib/base/fs/dist.js";
import type { Op, Report, Request } from "./protocol.js";

/** Who uses the thread: one per open store. */
export interface Tenant {
  /** A report about this store other than an answer. */
  hear(report: Exclude<Report, { kind: "answer" | "bytes" }>): void;
  /** The thread is gone, with whatever was under way. */
  died(cause: unknown): void;
}

type Long = Extract<Report, { kind: "bytes" }>;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests of so many characters do not wait for others. */
const PART_CHARACTERS = 8 << 10;

/** The one thread of all sqljs stores of this process. It is started for the first store and ends with the last. */
class StoreThread {
  readonly #worker: Worker;
  readonly #tenants = new Map<number, Tenant>();
  readonly #waiting = new Map<number, Waiting>();
  #outgoing: string[] = [];
  #length = 0;
  #lastId = 0;
  #lastStore = 0;
  #gone = false;
  #death = new ThreadDeath("ended");

  constructor() {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    this.#worker = new Worker(distFile("store-thread.cjs"), {
      env: faultEnvironment(),
      stdout: false,
      stderr: false,
      resourceLimits,
    });
    this.#worker.on("message", (batch: string | Long) => {
      if (typeof batch !== "string") return this.#hear({ kind: "answer", id: batch.id, value: batch.value }); // too long for a text among others
      for (const report of JSON.parse(batch) as Exclude<Report, Long>[]) this.#hear(report); // the thread writes reports
    });
    this.#worker.on("error", (error) => this.#died(error));
    this.#worker.on("exit", (code) => this.#died(new Error(`exit ${code}`)));
    this.#worker.unref();
  }

  get gone(): boolean {
    return this.#gone;
  }

  /** @returns the number by which the thread knows the store */
  enter(tenant: Tenant): number {
    this.#lastStore += 1;
    this.#tenants.set(this.#lastStore, tenant);
    return this.#lastStore;
  }

  /** Resolves at once while other stores use the thread, else when it has exited. */
  async leave(store: number): Promise<void> {
    this.#tenants.delete(store);
    if (this.#tenants.size === 0) this.#gone = true;
    await this.exited();
  }

  /** A thread that died or was left has exited when it resolves: until then it may still write. */
  async exited(): Promise<void> {
    if (this.#gone) await this.#worker.terminate();
  }

  /** End the thread as an abort of the library would. Tests see with it that nothing confirmed is lost and everybody hears. */
  async abort(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Ask and wait for the answer. The process stays alive until it is there. */
  ask(store: number, op: Op): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#death);
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      this.#send({ id: this.#lastId, store, op });
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(this.#lastId, { resolve, reject });
    });
  }

  tell(store: number, op: Op): void {
    this.#send({ id: 0, store, op });
  }

  /**
   * What is sent in one turn of the event loop travels together, as text: cloning its objects takes three times as long on both sides.
   * Much of it goes in parts, so that the thread works while the rest is made.
   *
   * @throws what JSON cannot hold
   */
  #send(request: Request): void {
    const text = JSON.stringify(request);
    this.#outgoing.push(text);
    this.#length += text.length;
    if (this.#gone) return;
    if (this.#length > PART_CHARACTERS) this.#flush();
    else if (this.#outgoing.length === 1) process.nextTick(() => this.#flush());
  }

  #flush(): void {
    if (this.#outgoing.length === 0) return;
    const batch = this.#outgoing;
    this.#outgoing = [];
    this.#length = 0;
    this.#worker.postMessage(`[${batch.join(",")}]`);
  }

  #hear(report: Exclude<Report, Long>): void {
    if (report.kind !== "answer") {
      this.#tenants.get(report.store)?.hear(report);
      return;
    }
    const waiting = this.#waiting.get(report.id);
    this.#waiting.delete(report.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (report.error) waiting?.reject(fromWireError(report.error));
    else waiting?.resolve(report.value);
  }

  #died(cause: unknown): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#death = new ThreadDeath(cause);
    const tenants = [...this.#tenants.values()];
    this.#tenants.clear();
    for (const tenant of tenants) tenant.died(cause);
    for (const { reject } of this.#waiting.values()) reject(this.#death);
    this.#waiting.clear();
  }
}

/** What the thread makes for a call is gone after it. With the runtime's own 48 MB an owner that writes much keeps 60 MB more. */
const YOUNG_MB = 8;

/** The thread ended while the call was under way: its outcome is unknown. */
export class ThreadDeath extends Error {
  constructor(cause: unknown) {
    super("store thread died", { cause });
  }
}

export type { StoreThread };

let shared: StoreThread | undefined;

/** The running thread, or a new one. */
export function storeThread(): StoreThread {
  if (!shared || shared.gone) shared = new StoreThread();
  return shared;
}
