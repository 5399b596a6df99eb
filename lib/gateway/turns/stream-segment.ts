import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Receipt } from "../../contracts/gateway/outbox.js";
import type { Visible } from "../outbox/visible-texts.js";
import { maySilence } from "../text/silent-answer.js";
import { restFrom, splitFirstMessage } from "../text/split-text.js";
import { seenText } from "./streamed-text.js";

/** How a message is shown while it is written. */
export interface SegmentPorts {
  readonly clock: Clock;
  /** Send a first message. @returns its id; undefined: unknown, or not sent */
  begin(text: string): Promise<string | undefined>;
  /** Show more of it. Undefined: the platform is not there. */
  edit(id: string, text: string): Promise<Receipt | undefined>;
  /** Give a message its last text, for good. */
  finish(id: string, text: string): Promise<void>;
  /** Keep what is visible. False: the turn is closed. */
  note(visible: Visible): Promise<boolean>;
}

export interface SegmentRules {
  /** Largest message. */
  readonly textMax: number;
  /** Between two edits. */
  readonly interval: Ms;
  /** Shortest time between two edits, however much there is to show. */
  readonly least: Ms;
  /** New characters that are worth an edit at once. */
  readonly threshold: number;
  readonly cursor: string;
  /** Edits of one message before its last. */
  readonly editsMax: number;
}

/** What of a text is visible when nothing more is shown of it. */
export interface ClosedSegment {
  /** Message that shows the text from `prefix` on; undefined: none does. */
  readonly id: string | undefined;
  /** Code units that are visible for good. */
  readonly prefix: number;
  /** What that message shows, or what was shown by one that is not edited any more. */
  readonly shown: string;
  /** The message that is not edited any more, and still has its cursor. */
  readonly left: string | undefined;
  readonly began: Ms | undefined;
  /** Everything that is visible, by whatever message. */
  readonly seen: string;
}

const FIRST = 4;
const SLOWEST: Ms = 10_000;
const REFUSALS = 3;

/** A text that is shown while it is written (gateway part, 11.4): from one call of tools to the next. */
export class StreamSegment {
  readonly #ports: SegmentPorts;
  readonly #rules: SegmentRules;
  #raw = "";
  /** Code units in messages that are finished. */
  #prefix = 0;
  #finished: readonly string[] = [];
  #id: string | undefined;
  #shown = "";
  #shownAt: Ms = 0;
  #began: Ms | undefined;
  #interval: Ms;
  #edits = 0;
  #refusals = 0;
  /** The last edit was not taken: another one at once would be neither. */
  #missed = false;
  /** Nothing is shown any more before the end. */
  #still = false;
  /** Edits were refused too often: the message stays as it is. */
  #left: string | undefined;
  #closed = false;
  #step: Promise<void> | undefined;
  #cancel: () => void = () => undefined;

  constructor(ports: SegmentPorts, rules: SegmentRules) {
    this.#ports = ports;
    this.#rules = rules;
    this.#interval = rules.interval;
  }

  /** @param at where it stands in the text; something before it is missing when that is not its end */
  add(text: string, at: number | undefined): void {
    if (at !== undefined && at !== this.#raw.length) this.#still = true;
    this.#raw += text;
    this.#look();
  }

  /** What was written is void: another text takes its place. */
  reset(): void {
    this.#raw = "";
    if (this.#finished.length > 0) this.#still = true;
  }

  /** Show nothing more. Resolves when nothing is underway. */
  async close(): Promise<ClosedSegment> {
    this.#closed = true;
    this.#cancel();
    await this.#step;
    const seen = seenText(this.#raw, false).slice(0, this.#prefix) + this.#shown;
    return {
      seen,
      id: this.#left === undefined ? this.#id : undefined,
      prefix: this.#prefix,
      shown: this.#shown,
      left: this.#left,
      began: this.#began,
    };
  }

  #look(): void {
    this.#cancel();
    if (this.#closed || this.#still || this.#step !== undefined) return;
    const wait = this.#wait();
    if (wait === undefined) return;
    if (wait > 0) {
      this.#cancel = this.#ports.clock.after(wait, () => this.#look());
      return;
    }
    this.#step = this.#show()
      .catch(() => {
        this.#still = true; // what is visible is noted; the end sends what is missing
      })
      .finally(() => {
        this.#step = undefined;
        this.#look();
      });
  }

  /** Until the next edit; undefined: there is nothing to show. */
  #wait(): Ms | undefined {
    const seen = seenText(this.#raw, false);
    const text = restFrom(seen, this.#prefix);
    if (this.#id === undefined) {
      const little = [...text.trim()].length < FIRST || (this.#prefix === 0 && maySilence(seen));
      return little && this.#began === undefined ? undefined : text.trim() === "" ? undefined : 0;
    }
    if (text === this.#shown) return undefined;
    if (text.length + this.#rules.cursor.length > this.#rules.textMax) return 0;
    if (this.#edits >= this.#rules.editsMax) return undefined;
    const passed = this.#ports.clock.mono() - this.#shownAt;
    const slowed = this.#missed || this.#interval > this.#rules.interval;
    const much = text.length - this.#shown.length >= this.#rules.threshold;
    return Math.max(0, (much && !slowed ? this.#rules.least : this.#interval) - passed);
  }

  async #show(): Promise<void> {
    const { textMax, cursor } = this.#rules;
    const seen = seenText(this.#raw, false);
    const text = restFrom(seen, this.#prefix);
    if (text.length + cursor.length > textMax) return this.#next(text, text.length - (seen.length - this.#prefix));
    if (this.#id === undefined) return this.#begin(text, cursor);
    const receipt = await this.#ports.edit(this.#id, `${text}${cursor}`);
    this.#shownAt = this.#ports.clock.mono();
    this.#missed = receipt?.result !== "sent";
    if (receipt?.result === "sent") {
      this.#refusals = 0;
      this.#edits += 1;
      this.#shown = text;
      await this.#note();
    } else if (receipt?.result === "refused" && receipt.retryAfterMs !== undefined) this.#slow();
  }

  async #begin(text: string, cursor: string): Promise<void> {
    this.#began ??= this.#ports.clock.mono();
    this.#id = await this.#ports.begin(`${text}${cursor}`);
    this.#shownAt = this.#ports.clock.mono();
    this.#shown = this.#id === undefined ? "" : text;
    this.#edits = 0;
    if (this.#id === undefined) this.#still = true;
    else await this.#note();
  }

  /**
   * The message is full: it gets its last text, and another one goes on.
   *
   * @param opened code units at the beginning of the text that open a block again
   */
  async #next(text: string, opened: number): Promise<void> {
    const { piece, taken } = splitFirstMessage(text, this.#rules.textMax);
    this.#began ??= this.#ports.clock.mono();
    const id = this.#id ?? (await this.#ports.begin(piece));
    if (id === undefined) {
      this.#still = true;
      return;
    }
    await this.#ports.finish(id, piece);
    this.#finished = [...this.#finished, id];
    this.#prefix += taken - opened;
    this.#id = undefined;
    this.#shown = "";
    await this.#note();
  }

  #slow(): void {
    this.#refusals += 1;
    this.#interval = Math.min(SLOWEST, this.#interval * 2);
    if (this.#refusals < REFUSALS) return;
    this.#still = true;
    this.#left = this.#id;
  }

  async #note(): Promise<void> {
    const messageIds = [...this.#finished, ...(this.#id === undefined ? [] : [this.#id])];
    const shown = this.#id === undefined ? {} : { shown: this.#shown };
    if (
      !(await this.#ports.note({
        mode: "stream",
        messageIds: this.#id === undefined ? [] : messageIds,
        prefix: this.#prefix,
        ...shown,
      }))
    )
      this.#still = true;
  }
}
