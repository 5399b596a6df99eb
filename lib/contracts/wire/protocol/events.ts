import * as z from "zod";
import { displaySettingsShape, logPageShape, runInfoShape } from "../shapes/screens.js";
import { BOARD_EVENTS } from "./board-events.js";
import { defineEvent, type EventForm, eventFrame } from "./define.js";
import { findUnpublished } from "./results.js";
import { SESSION_EVENTS } from "./session-events.js";

const text = z.string();

/** A message to a chat that may not have arrived; from the store `state`. */
const unsent = {
  id: text,
  kind: text,
  platform: text,
  account: text,
  chat_id: text,
  error: z.unknown().optional().describe("what the platform said"),
};

/** Events that belong to no conversation and no board. */
const OTHER_EVENTS: readonly EventForm[] = [
  defineEvent("owner.leaving", false, "The owner ends; connect again for its successor. Sent without a subscription.", {
    reason: text,
    pid: z.int(),
  }),
  defineEvent(
    "outbox.unknown",
    true,
    "A message to a chat was cut off: it may have arrived. It is not sent again by itself.",
    unsent,
  ),
  defineEvent("outbox.failed", true, "A message to a chat could not be sent.", unsent),
  defineEvent("board.opened", false, "Topic `boards`: a board was opened or made.", { store: text }),
  defineEvent("run.changed", false, "Topic `runs`: something works, or works differently.", runInfoShape),
  defineEvent("run.gone", false, "Topic `runs`: it works no longer.", { id: text }),
  defineEvent("display.changed", false, "Topic `display`: settings of screens.", displaySettingsShape),
  defineEvent("log.begin", false, "Topic `logs:…`: the newest lines.", logPageShape),
  defineEvent("log.lines", false, "Topic `logs:…`: more lines.", {
    text,
    upto: z.int().describe("lines so far, with those that were left out because too many came at once"),
  }),
  defineEvent("log.failed", false, "Topic `logs:…`: the log cannot be read.", { message: text }),
  defineEvent("events.reset", false, "Events were pruned: read the state again; events after `last_seq` follow.", {
    last_seq: z.int(),
  }),
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
  const parsed = form.data.safeParse(data);
  const issue = parsed.error?.issues[0];
  if (issue !== undefined) return `${event}: data.${issue.path.join(".")}: ${issue.message}`;
  return findUnpublished(data, parsed.data, `${event}: data`);
}
