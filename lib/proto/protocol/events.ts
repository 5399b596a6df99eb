import * as z from "zod";
import { EVENT_KINDS } from "../board-notify.js";
import { defineEvent, type EventForm, eventFrame } from "./define.js";
import { SESSION_EVENTS } from "./session-events.js";

const text = z.string();

/** Events of a board, from the store `board:<slug>`: `task_id`, `run_id` and `actor` are members of the event, the rest is in `data`. */
const BOARD_EVENTS: readonly EventForm[] = EVENT_KINDS.map((kind) =>
  defineEvent(kind, true, `Board: ${kind.replaceAll("_", " ")}. agent help kanban lists the kinds.`, {}),
);

/** A message to a chat that may not have arrived; from the store `state`. */
const unsent = {
  ...{ id: text, kind: text, platform: text, account: text, chat_id: text },
  error: z.unknown().optional().describe("what the platform said"),
};

/** Events that belong to no conversation and no board. */
const OTHER_EVENTS: readonly EventForm[] = [
  defineEvent("owner.leaving", false, "The owner ends; connect again for its successor. Sent without a subscription.", {
    reason: text,
    pid: z.int(),
  }),
  defineEvent("outbox.unknown", true, "A message to a chat was cut off: it may have arrived. It is not sent again by itself.", unsent),
  defineEvent("outbox.failed", true, "A message to a chat could not be sent.", unsent),
  defineEvent("board.opened", false, "Topic `boards`: a board was opened or made.", { store: text }),
  defineEvent("run.changed", false, "Topic `runs`: something works, or works differently.", { id: text }),
  defineEvent("run.gone", false, "Topic `runs`: it works no longer.", { id: text }),
  defineEvent("display.changed", false, "Topic `display`: settings of screens.", {}),
  defineEvent("log.begin", false, "Topic `logs:…`: the newest lines.", { lines: z.array(text), before: text.nullable() }),
  defineEvent("log.lines", false, "Topic `logs:…`: more lines.", { text }),
  defineEvent("log.failed", false, "Topic `logs:…`: the log cannot be read.", { message: text }),
  defineEvent("events.reset", false, "Events were pruned: read the state again; events after `last_seq` follow.", { last_seq: z.int() }),
  defineEvent("events.ended", false, "The store was removed; no more events come.", { code: text, message: text }),
];

/** Every event that an owner sends. */
export const EVENTS: readonly EventForm[] = [...SESSION_EVENTS, ...BOARD_EVENTS, ...OTHER_EVENTS];

const BY_NAME = new Map(EVENTS.map((form) => [form.name, form]));
/** An event of 32 kB and more comes without its data. */
const CUT = z.object({ truncated: z.literal(true) });

/** What differs from the published schema, in one line; undefined: it is as published. */
export function checkEvent(sent: unknown): string | undefined {
  const frame = eventFrame.safeParse(sent);
  if (!frame.success) return `no event: ${frame.error.issues[0]?.path.join(".")} ${frame.error.issues[0]?.message}`;
  const { event, data } = frame.data;
  const form = BY_NAME.get(event);
  if (form === undefined) return `${event} is not published`;
  if (CUT.safeParse(data).success) return undefined;
  const issue = form.data.safeParse(data).error?.issues[0];
  return issue === undefined ? undefined : `${event}: data.${issue.path.join(".")}: ${issue.message}`;
}
