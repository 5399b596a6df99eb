import type { TurnId } from "../../base/units.js";
import type { TurnDeps } from "./turn-types.js";

const DRAFT_EVERY_MS = 2_000; // core part, 2.2

/** The text of a turn so far, kept where a kill leaves it. */
export interface AnswerDraft {
  add(text: string): void;
  /** What has streamed does not count; the next text starts over. */
  reset(): void;
  /** Nothing more comes. Rejects when a draft could not be stored. */
  settled(): Promise<void>;
}

/** Text is stored within 2 s of its coming, also when nothing follows it. */
export function keepDraft(
  { clock, transcript, redact }: Pick<TurnDeps, "clock" | "transcript" | "redact">,
  turn: TurnId,
): AnswerDraft {
  let text = "";
  let due: (() => void) | undefined;
  let saving: Promise<void> = Promise.resolve();
  const save = () => {
    due = undefined;
    const now = text;
    saving = saving.then(() => transcript.draft(turn, redact(now)));
    saving.catch(() => undefined); // `settled` gives it to the turn
  };
  const rest = () => {
    due?.();
    due = undefined;
  };
  return {
    add: (more) => {
      text += more;
      due ??= clock.after(DRAFT_EVERY_MS, save);
    },
    reset: () => {
      text = "";
      rest();
    },
    settled: () => {
      rest();
      return saving;
    },
  };
}
