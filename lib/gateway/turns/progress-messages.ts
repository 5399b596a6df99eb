import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Outgoing, Receipt } from "../../contracts/gateway/outbox.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { drawSendKey } from "../outbox/send-keys.js";
import { toSendTarget } from "../targets/event-target.js";
import type { LiveTurn } from "./live-turns.js";

export interface BubbleDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly platformOf: (event: LiveTurn["event"]) => Platform | undefined;
}

/** One message beside the answer whose text changes. */
export interface Bubble {
  /** What it is to show from now on. Shown soon; what is overtaken by a newer text is left out. */
  show(text: string): void;
  /** Stop changing it. Resolves when nothing of it is underway. */
  close(remove: boolean): Promise<void>;
}

/** Messages that come and go with a turn: best effort, beside the outbox, and never in its way (gateway part, 6.1). */
export interface Bubbles {
  open(live: LiveTurn): Bubble;
}

const CALL: Ms = 10_000;
/** Between two edits. */
const PAUSE: Ms = 1_000;

export function createBubbles(deps: BubbleDeps): Bubbles {
  return { open: (live) => new Shown(deps, live) };
}

class Shown implements Bubble {
  readonly #deps: BubbleDeps;
  readonly #live: LiveTurn;
  #wanted: string | undefined;
  #id: string | undefined;
  #closed = false;
  /** The platform did not take it: it is left alone. */
  #given = false;
  #work: Promise<void> | undefined;

  constructor(deps: BubbleDeps, live: LiveTurn) {
    this.#deps = deps;
    this.#live = live;
  }

  show(text: string): void {
    if (this.#closed || this.#given || this.#live.fenced !== undefined) return;
    this.#wanted = text;
    this.#work ??= this.#all().finally(() => {
      this.#work = undefined;
    });
  }

  async close(remove: boolean): Promise<void> {
    this.#closed = true;
    this.#wanted = undefined;
    await this.#work;
    const id = this.#id;
    if (!remove || id === undefined) return;
    await this.#call((platform, signal) => platform.send(this.#row("", "remove", id), signal));
  }

  async #all(): Promise<void> {
    while (this.#wanted !== undefined) {
      const text = this.#wanted;
      this.#wanted = undefined;
      await this.#once(text);
      if (this.#wanted !== undefined) await this.#deps.clock.sleep(PAUSE, this.#live.over).catch(() => undefined); // the turn has ended
    }
  }

  async #once(text: string): Promise<void> {
    const id = this.#id;
    const receipt = await this.#call((platform, signal) => {
      if (id === undefined || !platform.caps.edits) return platform.send(this.#row(text, "send"), signal);
      const chatId = toSendTarget(this.#live.event)?.chatId ?? "";
      return (
        platform.edit?.(chatId, id, text, { final: false, signal }) ??
        platform.send(this.#row(text, "edit", id), signal)
      );
    });
    if (receipt?.result === "sent") this.#id = id ?? receipt.messageId ?? undefined;
    else if (id === undefined) this.#given = true;
  }

  #row(text: string, via: Outgoing["via"], messageId?: string): Outgoing {
    const { event } = this.#live;
    const target = toSendTarget(event) ?? {
      platform: event.platform,
      account: event.account,
      chatId: "",
      threadId: null,
      replyTo: null,
    };
    const { ids } = this.#deps;
    const payload = { text, format: "plain", silent: true, ...(messageId === undefined ? {} : { messageId }) } as const;
    const id = `bubble_${ids.hex(8)}`;
    return {
      id,
      kind: "notice",
      via,
      target: { ...target, replyTo: null },
      payload,
      idemKey: drawSendKey(ids, event.platform),
      repeat: false,
    };
  }

  async #call(call: (platform: Platform, signal: AbortSignal) => Promise<Receipt>): Promise<Receipt | undefined> {
    const platform = this.#deps.platformOf(this.#live.event);
    if (platform === undefined || toSendTarget(this.#live.event) === undefined) return undefined;
    const control = new AbortController();
    const cancel = this.#deps.clock.after(CALL, () => control.abort(new Error("timeout")));
    const late = new Promise<undefined>((resolve) =>
      control.signal.addEventListener("abort", () => resolve(undefined), { once: true }),
    );
    try {
      return await Promise.race([call(platform, control.signal), late]);
    } catch {
      return undefined; // ok to lose: it is shown beside the answer
    } finally {
      cancel();
    }
  }
}
