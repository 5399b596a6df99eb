/** One holder at a time, in order of asking. */
export class Gate {
  #held = false;
  readonly #waiting: (() => void)[] = [];
  readonly #open: boolean;

  /** @param open never holds a caller: only sabotage wants that */
  constructor(open = false) {
    this.#open = open;
  }

  get free(): boolean {
    return this.#open || (!this.#held && this.#waiting.length === 0);
  }

  /** Resolves with the function that lets the next one in; call it once. */
  async enter(): Promise<() => void> {
    if (this.free) return this.enterNow();
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
    });
    return () => this.#leave();
  }

  /** Only when `free`. */
  enterNow(): () => void {
    this.#held = true;
    return () => this.#leave();
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#held = false;
  }
}
