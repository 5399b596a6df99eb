import { chatEntries } from "../chat/entries.js";
import { chatRoom } from "../chat/move.js";
import { findVisibleRows } from "../draw/viewport.js";
import { layoutOf } from "../layout/layout.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import { type Code, hasSameText, type Painted } from "./code.js";

/** Colours code by its grammar, elsewhere. Undefined: it could not, and the first colours stay. */
export type PaintCode = (code: Pick<Code, "lang" | "lines">) => Promise<Painted | undefined>;

/** Asks for the colours of the code that is seen, a piece once. */
export interface Painting {
  /** A frame was drawn. */
  look(state: State): void;
}

/** What pieces of code are coloured with. */
export interface PaintingOptions {
  /** Absent: everything keeps its first colours. */
  readonly paintCode?: PaintCode;
  readonly log: (message: string, error: unknown) => void;
}

/** Colours what is seen, and sends a message for each piece. */
export function createPainting({ paintCode: paint, log }: PaintingOptions, send: (message: Message) => void): Painting {
  const asked = new Set<string>();
  let last: Pick<State, "chat" | "columns" | "rows" | "pane"> | undefined;
  const ask = async (code: Code): Promise<void> => {
    asked.add(code.key);
    const painted = await paint?.(code);
    if (painted === undefined || !hasSameText(painted, code.lines)) return; // it stays in `asked`: the next try would fail as well
    send({ type: "painted", key: code.key, painted });
    asked.delete(code.key); // those that the state has dropped are asked for again when they are seen
  };
  return {
    look: (state) => {
      if (paint === undefined || state.inline !== undefined || isSame(last, state)) return;
      last = state;
      for (const code of findVisibleCode(state))
        if (!state.colours.has(code.key) && !asked.has(code.key))
          ask(code).catch((error: unknown) => log("failed to highlight code", error));
    },
  };
}

const isSame = (a: Pick<State, "chat" | "columns" | "rows" | "pane"> | undefined, b: State): boolean =>
  a !== undefined && a.chat === b.chat && a.columns === b.columns && a.rows === b.rows && a.pane === b.pane;

/** Code in finished blocks of the conversation that is on the screen, from top to bottom. */
export function findVisibleCode(state: State): readonly Code[] {
  if (!layoutOf(state).panes.some(({ pane }) => pane === "chat")) return [];
  const entries = new Map(chatEntries(state).map((entry) => [entry.key, entry]));
  const { rows } = findVisibleRows([...entries.values()], state.chat.top, chatRoom(state));
  const parts = new Set(rows.map(({ at }) => entries.get(at.key)?.part(at.part)));
  return [...parts].flatMap((part) => part?.code ?? []);
}
