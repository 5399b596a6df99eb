import type { State, Updated } from "../../model/state.js";
import { sendCard } from "../moving.js";
import type { TaskCard } from "../state.js";
import { sendBulk } from "./bulk.js";
import { type Dialog, openQuestion, subjectCards } from "./dialog.js";

const SHOWN = 8;

/** Put the card at hand, or the marked ones, away. It is asked first. */
export const archive = (state: State): Updated => archiveCards(state, subjectCards(state.board));

export function archiveCards(state: State, cards: readonly TaskCard[]): Updated {
  const [first] = cards;
  if (first === undefined) return [state, []];
  const running = cards.filter((card) => card.status === "running").length;
  const effect =
    running === 0
      ? []
      : [
          running === 1 && cards.length === 1
            ? "It is running; its worker is stopped."
            : `${running} of them are running; their workers are stopped.`,
        ];
  const more = cards.length > SHOWN ? [`… and ${cards.length - SHOWN} more`] : [];
  const asked = openQuestion(state, {
    asker: "board.archive",
    title: cards.length === 1 ? `Archive ${first.id}?` : `Archive ${cards.length} tasks?`,
    lines: [
      ...cards.slice(0, SHOWN).map((card) => `${card.id}  ${card.title}`),
      ...more,
      "",
      ...effect,
      "Its waiting child tasks are released. You can restore it later.",
    ],
    yes: [{ name: "archive", label: "archive", key: "a" }],
    subject: {
      ids: cards.map((card) => card.id).join(" "),
      ...(cards.length === 1 ? { id: first.id, version: String(first.version) } : {}),
    },
  });
  return [asked, []];
}

export const ARCHIVE: Dialog = {
  confirmed: (state, choice, { ids = "" }) => {
    if (choice !== "archive") return [state, []];
    const all = ids.split(" ");
    const card = all.length === 1 ? state.board.cards.get(ids) : undefined;
    return card === undefined ? sendBulk(state, all, { status: "archived" }) : sendCard(state, card, "archived");
  },
};
