import { StringDecoder } from "node:string_decoder";
import type { Ms } from "../../base/units.js";
import { plainText } from "../../safety/redact/text.js";
import type { ToolContext } from "../core/define.js";

/** Most output that waits to be shown. */
const PROGRESS_CHARS = 8_192;
const PROGRESS_EVERY: Ms = 100;

export interface OutputProgress {
  add(chunk: Buffer): void;
  /** Nothing is reported after it. */
  end(): void;
}

/** Whole lines of output for the screen, redacted: the first at once, those that come soon after what was shown together, a few times a second. */
export function createOutputProgress(ctx: Pick<ToolContext, "ports" | "redactStream" | "progress">): OutputProgress {
  const { clock } = ctx.ports;
  const stream = ctx.redactStream();
  const decoder = new StringDecoder("utf8");
  let pending = "";
  let last = Number.NEGATIVE_INFINITY;
  let due: (() => void) | undefined;
  const tell = () => {
    due = undefined;
    last = clock.mono();
    const end = pending.lastIndexOf("\n") + 1;
    if (end === 0) return; // a line without an end has pushed out the others
    ctx.progress(plainText(pending.slice(0, end)));
    pending = pending.slice(end);
  };
  return {
    add: (chunk) => {
      pending = (pending + stream.push(decoder.write(chunk))).slice(-PROGRESS_CHARS);
      if (due !== undefined || !pending.includes("\n")) return;
      const early = PROGRESS_EVERY - (clock.mono() - last);
      if (early <= 0) tell();
      else due = clock.after(early, tell);
    },
    end: () => due?.(),
  };
}
