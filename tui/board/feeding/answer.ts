import { sanitizeLine } from "../../draw/sanitize.js";
import { text } from "../../model/data.js";
import { toCard, toCounts } from "../cards.js";
import { dataRows, isData } from "../wire.js";

/** An answer of `board.cards`. */
export function pageOf(answer: unknown) {
  const data = isData(answer) ? answer : {};
  const paused = data["paused"];
  const told = {
    slug: sanitizeLine(text(data, "board")),
    counts: toCounts(data["counts"]),
    paused: isData(paused) ? { reason: sanitizeLine(text(paused, "reason")) } : undefined,
  };
  const seq = data["latest_event_id"];
  const cards = dataRows(data["cards"]).flatMap((row) => toCard(row) ?? []);
  return { told, cards, seq: typeof seq === "number" ? seq : 0 };
}
