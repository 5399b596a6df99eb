import type { KeyLease, ModelChoice, ModelFailure, ModelRequest } from "../../contracts/models/model.js";

/** The keys of one request: which one it goes out with, and which were tried. Without a pool it does nothing. */
export class KeyRotation {
  readonly #choice: ModelChoice;
  readonly #tried = new Set<string>();
  #lease: KeyLease | undefined;

  constructor(choice: ModelChoice) {
    this.#choice = choice;
  }

  /** Keys that were used up by this request. */
  get tried(): number {
    return this.#tried.size;
  }

  /** Take the first key. @returns the failure of an empty pool */
  begin(): ModelFailure | undefined {
    return this.#next() ? undefined : this.#choice.keys?.problem();
  }

  /** The request with the key that is its turn. */
  apply(request: ModelRequest): ModelRequest {
    if (!this.#lease) return request;
    this.#choice.keys?.used(this.#lease);
    return { ...request, apiKey: this.#lease.secret };
  }

  /** What a failure means for the keys. `none`: each of them was tried, and `problem` says so. */
  after(failure: ModelFailure): "rotate" | "same" | "keep" | "none" {
    const { keys } = this.#choice;
    if (!keys || !this.#lease) return "keep";
    const verdict = keys.failed(this.#lease, failure);
    if (verdict !== "rotate") return verdict;
    this.#tried.add(this.#lease.id);
    return this.#next() ? "rotate" : "none";
  }

  problem(): ModelFailure | undefined {
    return this.#choice.keys?.problem();
  }

  succeeded(): void {
    if (this.#lease) this.#choice.keys?.succeeded(this.#lease);
  }

  end(): void {
    if (this.#lease) this.#choice.keys?.release(this.#lease);
    this.#lease = undefined;
  }

  #next(): boolean {
    this.end();
    this.#lease = this.#choice.keys?.lease(this.#tried);
    return this.#choice.keys === undefined || this.#lease !== undefined;
  }
}
