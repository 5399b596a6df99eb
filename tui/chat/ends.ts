import { shortTokens } from "../../lib/contracts/chat/compaction-lines.js";
import type { SessionPage } from "../../lib/contracts/wire/shapes/session-page.js";
import type { Display } from "../app/display.js";
import type { RowOf } from "../draw/canvas.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { THEME } from "../draw/theme.js";
import { truncateToWidth } from "../draw/width.js";
import { type Data, number } from "../model/data.js";
import { type Message, toItems } from "./items.js";
import { took } from "./look/look.js";
import type { ChatItem, ChatState, Ending } from "./state.js";

/** The messages of a page as items; the last one of each turn that has ended says so. */
export function itemsIn(page: SessionPage): readonly ChatItem[] {
  const messages: readonly Message[] = page.messages.map((message) => ({ ...message }));
  const items = toItems(messages, page.running === true);
  const lastKeys = new Map<string, ChatItem>();
  const turns = new Map(page.messages.map(({ id, turn_id }) => [id, turn_id]));
  for (const item of items) {
    const turn = turns.get(messageOf(item));
    if (turn !== undefined) lastKeys.set(turn, item);
  }
  const endings = new Map<ChatItem, Ending>();
  for (const turn of page.turns ?? []) {
    const item = lastKeys.get(turn.turn_id);
    const ending = endingIn({ ...turn });
    if (item !== undefined && ending !== undefined && canEnd(item)) endings.set(item, ending);
  }
  return endings.size === 0 ? items : items.map((item) => withOne(item, endings.get(item)));
}

/** Id of the message that an item was made of: it is the number in its key. */
const messageOf = ({ key }: ChatItem): number => Number(/^[mtc](\d+)/.exec(key)?.[1] ?? 0);

const withOne = (item: ChatItem, ending: Ending | undefined): ChatItem =>
  ending === undefined ? item : { ...item, ending };

/** What the agent did or said ends a turn, not what a person did. */
const canEnd = ({ kind }: ChatItem): boolean => kind !== "user" && kind !== "command";

/** A turn of the conversation on the screen has ended. */
export function withEnding(chat: ChatState, data: Data): ChatState {
  const last = chat.items.at(-1);
  const ending = endingIn(data);
  if (last === undefined || ending === undefined || !canEnd(last)) return chat;
  return { ...chat, items: [...chat.items.slice(0, -1), { ...last, ending }] };
}

/** What the event or the record of an end says; undefined: not how long it took. */
function endingIn(data: Data): Ending | undefined {
  if (typeof data["duration_ms"] !== "number") return undefined;
  const at = Date.parse(String(data["ended_at"]));
  const cost = data["estimated_cost_usd"];
  return {
    at: Number.isNaN(at) ? undefined : at,
    ms: data["duration_ms"],
    input: number(data, "input_tokens") + number(data, "cache_read_tokens") + number(data, "cache_write_tokens"),
    output: number(data, "output_tokens"),
    cost: typeof cost === "number" ? cost : undefined,
    model: sanitizeLine(String(data["model"] ?? "")),
  };
}

/** What stands below the last item of a turn: how long it took, when it ended, tokens, price, which model answered. */
export function endingRows(
  ending: Ending | undefined,
  { showCost, compact }: Display,
  width: number,
): readonly RowOf[] {
  if (ending === undefined) return [];
  const { at, ms, input, output, cost, model } = ending;
  const parts = [
    took(ms),
    ...(at === undefined ? [] : [new Date(at).toTimeString().slice(0, 5)]),
    ...(input + output === 0 ? [] : [`↑${shortTokens(input)} ↓${shortTokens(output)}`]),
    ...(cost === undefined || !showCost ? [] : [cost > 0 && cost < 0.01 ? "<$0.01" : `$${cost.toFixed(2)}`]),
    ...(model === "" ? [] : [model]),
  ];
  const line: RowOf = [[THEME.dim, truncateToWidth(parts.join(" · "), width)]];
  return compact ? [line] : [[], line];
}
