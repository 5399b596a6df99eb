import type { Readable, Writable } from "node:stream";

/** The body of a request on its way upstream. */
export interface Upload {
  readonly bytes: number;
  /** All that came so far is still held, so that it can be sent again. */
  readonly held: boolean;
  /** It has come to its end. */
  readonly ended: boolean;
  /** The client may send; false: it waits until the provider has taken more. */
  readonly flowing: boolean;
  /** Send it there: what is held first, then what comes. */
  to(sink: Writable): void;
  /** It goes nowhere for the moment; it is read on as long as it can be held. */
  detach(): void;
  /** It is not sent again: nothing is held any more. */
  release(): void;
  /** What still comes is thrown away. */
  discard(): void;
}

export interface UploadLimits {
  /** Bytes of the largest body. */
  readonly max: number;
  /** Bytes of the largest body that is held. */
  readonly hold: number;
}

/** Its reports, each at most once but `progress`. */
export interface UploadTold {
  tooLarge(): void;
  progress(): void;
  /** The whole body was handed over. */
  ended(): void;
}

/**
 * Read a body piece by piece. What fits into `hold` is read whatever the provider takes, as it is kept anyway; beyond it the client is slowed
 * down to what the provider takes.
 */
export function createUpload(source: Readable, limits: UploadLimits, told: UploadTold): Upload {
  return new Passing(source, limits, told);
}

class Passing implements Upload {
  bytes = 0;
  held = true;
  ended = false;
  flowing = true;
  readonly #source: Readable;
  readonly #limits: UploadLimits;
  readonly #told: UploadTold;
  #pieces: Buffer[] = [];
  #holding = true;
  #sink: Writable | undefined;
  #thrown = false;
  #reading = false;

  constructor(source: Readable, limits: UploadLimits, told: UploadTold) {
    this.#source = source;
    this.#limits = limits;
    this.#told = told;
    source.on("end", () => this.#end());
    source.on("error", () => undefined); // the client is gone: its connection tells
  }

  to(sink: Writable): void {
    this.#sink = sink;
    sink.on("drain", () => {
      if (this.#sink === sink) this.#resume();
    });
    for (const piece of this.#pieces) sink.write(piece);
    if (this.ended) sink.end();
    else this.#read();
  }

  detach(): void {
    this.#sink = undefined;
  }

  release(): void {
    this.#holding = false;
    this.#pieces = [];
    this.held = this.bytes === 0;
    if (this.#sink?.writableNeedDrain === true && !this.ended) this.#pause();
  }

  discard(): void {
    this.#thrown = true;
    this.#sink = undefined;
    this.release();
    this.#read();
  }

  #read(): void {
    if (this.#reading) this.#resume();
    else this.#source.on("data", (piece: Buffer) => this.#take(piece));
    this.#reading = true;
  }

  #take(piece: Buffer): void {
    this.bytes += piece.length;
    this.#told.progress();
    if (this.bytes > this.#limits.max) {
      this.#told.tooLarge();
      this.discard();
      return;
    }
    if (this.#thrown) return;
    const fits = this.#holding && this.bytes <= this.#limits.hold;
    if (fits) this.#pieces.push(piece);
    else this.#letGo();
    const more = this.#sink?.write(piece) ?? false;
    if (!more && !fits) this.#pause();
  }

  /** More than can be held: from here on there is one chance. */
  #letGo(): void {
    this.#holding = false;
    this.held = false;
    this.#pieces = [];
  }

  #end(): void {
    this.ended = true;
    this.#sink?.end();
    this.#told.ended();
  }

  #pause(): void {
    this.flowing = false;
    this.#source.pause();
  }

  #resume(): void {
    if (this.flowing) return;
    this.flowing = true;
    this.#source.resume();
  }
}
