import assert from "node:assert/strict";
import { test } from "node:test";
import type { SendEnding } from "../../../storage/tables/gateway/outbox.js";
import type { EventOrigin } from "../../contracts/board/platform-tag.js";
import type { OutboxRow, Receipt, SendVia } from "../../contracts/gateway/outbox.js";
import { repeatUntil } from "./send-keys.js";
import { maySend, settleExpiredSend, settleSend } from "./settle-send.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;

function row(platform: EventOrigin, change: Partial<OutboxRow> & { via?: SendVia; ago?: number } = {}): OutboxRow {
  const { ago = 0, ...rest } = change;
  const begun = NOW - ago;
  const via = change.via ?? "send";
  const payload = {
    text: "x",
    format: "plain",
    silent: false,
    grant: { token: "r1", expiresAt: begun + 50_000 },
  } as const;
  return {
    seq: 1,
    id: "ob_1",
    kind: "answer",
    turn_id: "t",
    seq_in_turn: 0,
    platform,
    account: "bot",
    chat_id: "c",
    thread_id: null,
    reply_to: null,
    lane: "l",
    via,
    source_key: null,
    idem_key: "k",
    state: "sending",
    attempts: 1,
    next_attempt_at: begun,
    expires_at: NOW + 24 * HOUR,
    uncertain: 0,
    first_sent_at: begun,
    repeat_until: repeatUntil({ platform, via }, payload, begun),
    resent: 0,
    retried_by_operator: 0,
    platform_message_id: null,
    error: null,
    created_at: begun,
    updated_at: begun,
    payload: JSON.stringify(payload),
    ...rest,
  };
}

const LOST: Receipt = { result: "unknown", error: "cut" };
const AGAIN: Receipt = { result: "refused", error: "busy", retryable: true };
const NEVER: Receipt = { result: "refused", error: "bad", retryable: false };
const rules = { now: NOW, wait: 1000, resendUnknown: false };

const CASES: readonly (readonly [string, OutboxRow, Receipt, Partial<SendEnding>, boolean?])[] = [
  [
    "a send that is taken is sent",
    row("msgt"),
    { result: "sent", messageId: "m" },
    { state: "sent", platform_message_id: "m" },
  ],
  [
    "a certain failure waits",
    row("msgt"),
    AGAIN,
    { state: "pending", next_attempt_at: NOW + 1000, attempts: 1, uncertain: 0 },
  ],
  [
    "the platform's time holds if it is longer",
    row("msgt"),
    { ...AGAIN, retryAfterMs: 60_000 },
    { next_attempt_at: NOW + 60_000 },
  ],
  ["our wait holds if it is longer", row("msgt"), { ...AGAIN, retryAfterMs: 10 }, { next_attempt_at: NOW + 1000 }],
  ["a refused token counts no attempt", row("msgt"), { ...AGAIN, credential: true }, { state: "pending", attempts: 0 }],
  ["a refusal for good fails", row("msgt"), NEVER, { state: "failed", error: "bad" }],
  ["without a key an uncertain send is unknown", row("msgt"), LOST, { state: "unknown", uncertain: 1 }],
  ["msgw has no key", row("msgw"), LOST, { state: "unknown" }],
  ["msgx promises nothing for its key", row("msgx"), LOST, { state: "unknown" }],
  ["msgd repeats within two minutes", row("msgd", { ago: 60_000 }), LOST, { state: "pending", uncertain: 1 }],
  ["msgd does not repeat at the end of its window", row("msgd", { ago: 91_000 }), LOST, { state: "unknown" }],
  ["msgf repeats within the hour", row("msgf", { ago: HOUR / 2 }), LOST, { state: "pending" }],
  ["msgf does not repeat after the hour", row("msgf", { ago: HOUR }), LOST, { state: "unknown" }],
  ["msgl repeats a push within the day", row("msgl", { ago: 23 * HOUR }), LOST, { state: "pending" }],
  ["msgg does not repeat after a day", row("msgg", { ago: 24 * HOUR }), LOST, { state: "unknown" }],
  ["a reply of msgl is repeated once", row("msgl", { via: "reply" }), LOST, { state: "pending" }],
  [
    "a reply of msgl is not repeated twice",
    row("msgl", { via: "reply", attempts: 2, uncertain: 1 }),
    LOST,
    { state: "unknown" },
  ],
  [
    "a reply is not repeated when its right ends before",
    row("msgl", { via: "reply", ago: 49_500 }),
    LOST,
    { state: "unknown" },
  ],
  ["an edit may always be repeated", row("msgt", { via: "edit", ago: 23 * HOUR }), LOST, { state: "pending" }],
  ["a removal may always be repeated", row("msgt", { via: "remove" }), LOST, { state: "pending" }],
  ["a refusal after an uncertain send is no failure", row("msgd", { uncertain: 1 }), NEVER, { state: "unknown" }],
  [
    "a repetition that waits past the window is not made",
    row("msgd", { uncertain: 1, ago: 60_000 }),
    { ...AGAIN, retryAfterMs: 60_000 },
    { state: "unknown" },
  ],
  ["a clock that was set back does not open a window again", row("msgd", { ago: -HOUR }), LOST, { state: "unknown" }],
  [
    "a certain failure begins the window anew",
    row("msgd", { ago: 300_000 }),
    AGAIN,
    { first_sent_at: null, repeat_until: null },
  ],
  ["where the user wants it an unknown send is repeated", row("msgt"), LOST, { state: "pending", resent: 1 }, true],
  ["but once", row("msgt", { resent: 1, uncertain: 1 }), LOST, { state: "unknown" }, true],
  [
    "a wanted repetition that certainly did not arrive stays wanted",
    row("msgt", { resent: 1, uncertain: 1 }),
    AGAIN,
    { state: "pending" },
    true,
  ],
];

for (const [name, before, receipt, after, resendUnknown = false] of CASES) {
  test(name, () => {
    const ending = settleSend(before, receipt, { ...rules, resendUnknown });
    assert.deepEqual({ ...ending, ...after }, ending);
  });
}

test("a message that waited too long failed, unless it may have arrived", () => {
  assert.equal(settleExpiredSend(row("msgt")).state, "failed");
  assert.equal(settleExpiredSend(row("msgd", { uncertain: 1 })).state, "unknown");
});

test("a message in doubt is sent within its window alone", () => {
  assert.equal(maySend(row("msgt"), NOW), true);
  assert.equal(maySend(row("msgd", { uncertain: 1 }), NOW), true);
  assert.equal(maySend(row("msgd", { uncertain: 1 }), NOW + 120_000), false);
  assert.equal(maySend(row("msgt", { uncertain: 1 }), NOW), false);
  assert.equal(maySend(row("msgt", { uncertain: 1, resent: 1 }), NOW), true);
});
