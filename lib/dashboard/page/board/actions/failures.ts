import type { BoardController } from "../desk.js";
import { shortenTitle } from "./ask-for.js";

/** What was not done with a card, and why. */
export interface Failure {
  readonly id: string;
  readonly text: string;
}

/** Most failures that are listed one by one. */
const LISTED = 20;

/** Tell what was not done: one in passing, several in a list that stays until it is read. */
export function showFailures({ services, board }: BoardController, failures: readonly Failure[]): void {
  const [first] = failures;
  if (first === undefined) return;
  if (failures.length === 1) {
    services.tell("failed", first.text);
    return;
  }
  const { cards } = board.state.get();
  const lines = failures
    .slice(0, LISTED)
    .map(({ id, text }) => `${id} ${shortenTitle(cards.get(id)?.title ?? "")}\n    ${text}`);
  const more = failures.length > LISTED ? [`and ${failures.length - LISTED} more`] : [];
  services.dialogs
    .confirm({
      title: `${failures.length} tasks were not changed`,
      text: [...lines, ...more].join("\n"),
      confirm: "Close",
    })
    .catch(services.failed);
}
