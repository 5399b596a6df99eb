import type { PassResult } from "../../../../contracts/board/board.js";
import type { BoardController } from "../desk.js";

/** One pass of the dispatcher over the board, and what it did. */
export async function runPass({ board, services }: BoardController): Promise<void> {
  const pass = await board.send<PassResult>("POST", "/dispatch");
  services.tell("done", passText(pass));
}

type Told = Pick<
  PassResult,
  "reclaimed" | "promoted" | "due" | "spawned" | "skipped_capped" | "skipped_paused" | "skipped_unassigned"
>;

/** What a pass did, in one line; what it did not touch is left out. */
export function passText(pass: Told): string {
  const parts: readonly (readonly [number, string])[] = [
    [pass.spawned.length, "started"],
    [pass.promoted, "promoted"],
    [pass.due, "due"],
    [pass.reclaimed, "taken back"],
    [pass.skipped_unassigned.length, "without assignee"],
    [pass.skipped_capped, "waiting for a free slot"],
    [pass.skipped_paused, "waiting for the pause to end"],
  ];
  const told = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return told.length === 0 ? "The pass found nothing to do." : `Pass: ${told.join(", ")}.`;
}
