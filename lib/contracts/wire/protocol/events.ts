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
  error: z.unknown().optional().describe("message of the platform"),
};

/** Events that belong to no conversation and no board. */
const OTHER_EVENTS: readonly EventForm[] = [
  defineEvent(
    "owner.leaving",
    false,
    "The owner is stopping; reconnect to its successor. Sent without a subscription.",
    {
      reason: text,
      pid: z.int(),
    },
  ),
  defineEvent(
    "outbox.unknown",
    true,
    "A message to a chat was interrupted: it may have been delivered. It is not resent automatically.",
    unsent,
  ),
  defineEvent("outbox.failed", true, "Failed to send a message to a chat.", unsent),
  defineEvent("board.opened", false, "Topic `boards`: a board was opened or created.", { store: text }),
  defineEvent("run.changed", false, "Topic `runs`: activity started or changed.", runInfoShape),
  defineEvent("run.gone", false, "Topic `runs`: activity ended.", { id: text }),
  defineEvent("display.changed", false, "Topic `display`: settings of screens.", displaySettingsShape),
  defineEvent("editor.asked", false, "Topic `editor:…`: `editor.take` has something new.", {}),
  defineEvent("log.begin", false, "Topic `logs:…`: the newest lines.", logPageShape),
  defineEvent("log.lines", false, "Topic `logs:…`: more lines.", {
    text,
    upto: z.int().describe("lines so far, including those dropped under load"),
  }),
  defineEvent("log.failed", false, "Topic `logs:…`: the log cannot be read.", { message: text }),
  defineEvent("events.reset", false, "Events were pruned: reload the state; events after `last_seq` follow.", {
    last_seq: z.int(),
  }),
  defineEvent("events.ended", false, "The store was removed; there are no further events.", {
    code: text,
    message: text,
  }),
];

/** Every event that an owner sends. */
export const EVENTS: readonly EventForm[] = [...SESSION_EVENTS, ...BOARD_EVENTS, ...OTHER_EVENTS];

const BY_NAME = new Map(EVENTS.map((form) => [form.name, form]));
/** An event of 32 kB and more comes without its data. */
const CUT = z.object({ truncated: z.literal(true) });

/** What differs from the published schema, in one line; undefined: it is as published. */
export function checkEvent(sent: unknown): string | undefined {
  const frame = eventFrame.safeParse(sent);
  if (!frame.success)
    return `invalid event: ${frame.error.issues[0]?.path.join(".")} ${frame.error.issues[0]?.message}`;
  const { event, data } = frame.data;
  const form = BY_NAME.get(event);
  if (form === undefined) return `unpublished event ${event}`;
  if (CUT.safeParse(data).success) return undefined;
  const parsed = form.data.safeParse(data);
  const issue = parsed.error?.issues[0];
  if (issue !== undefined) return `${event}: data.${issue.path.join(".")}: ${issue.message}`;
  return findUnpublished(data, parsed.data, `${event}: data`);
}
