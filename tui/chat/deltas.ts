import type { WireDelta } from "../../lib/contracts/wire/wire.js";
import type { Message } from "../model/messages.js";
import type { SetTimer } from "../terminal/decode.js";

/** A model sends hundreds of pieces a second and a frame comes every 33 ms: growing text is sent in portions. */
const PORTION_MS = 30;

interface Growing {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** Where the next piece begins, if it follows. */
  readonly end: number | undefined;
}

export interface Portions {
  take(delta: WireDelta): void;
  /** Tell what has come: something follows it. */
  flush(): void;
  stop(): void;
}

/** Deltas of a conversation as messages. Pieces of one text become one; everything else goes at once, behind what came before it. */
export function inPortions(after: SetTimer, send: (message: Message) => void): Portions {
  let growing: Growing | undefined;
  let due: (() => void) | undefined;
  const flush = () => {
    due?.();
    due = undefined;
    const told = growing;
    growing = undefined;
    if (told) send({ type: "chat", event: told.event, data: { ...told.data, text: told.text } });
  };
  const take = ({ event, data }: WireDelta) => {
    const piece = pieceOf(event, data);
    if (piece === undefined) {
      flush();
      return send({ type: "chat", event, data });
    }
    if (growing && !follows(growing, piece)) flush();
    growing = growing ? { ...growing, text: growing.text + piece.text, end: piece.end } : piece;
    due ??= after(PORTION_MS, flush);
  };
  return { take, flush, stop: () => due?.() };
}

function pieceOf(event: string, data: WireDelta["data"]): Growing | undefined {
  const { text, offset } = data;
  if ((event !== "text.delta" && event !== "reasoning.delta") || typeof text !== "string") return undefined;
  return { event, data, text, end: typeof offset === "number" ? offset + text.length : undefined };
}

/** Places are counted in the text as it came. */
function follows({ event, end }: Growing, piece: Growing): boolean {
  const { offset } = piece.data;
  return event === piece.event && (typeof offset === "number" ? offset === end : end === undefined);
}
