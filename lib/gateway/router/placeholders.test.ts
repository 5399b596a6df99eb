import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simMessage, simPlatform } from "../../../fixtures/sim/platform.js";
import { silentLog } from "../../base/log/log.js";
import type { InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd, NewSend, Receipt } from "../../contracts/gateway/outbox.js";
import { toReceipt } from "../adapter/send-outcome.js";
import { NO_STEPS, turnsWithSteps } from "../lifecycle/turn-steps.js";
import type { GatewayTurns } from "./dispatch.js";
import { createPlaceholders } from "./placeholders.js";

const event = simMessage("msgg", "e1", "hi");
const row = { ...event, event_id: "e1", payload: JSON.stringify(event) } as unknown as InboxRow; // what is looked at is there
const BATCH: InboxBatch = { sessionKey: "s", rows: [row], text: "hi", receivedAt: 0, dueAt: 0 };
const target = { platform: "msgg", account: event.account, chatId: "c1", threadId: null, replyTo: null } as const;
const say = (text: string, more: Partial<NewSend["payload"]> = {}): NewSend => ({
  kind: "answer",
  target,
  payload: { text, format: "markdown", silent: false, ...more },
});
const FILE = { path: "/x.pdf", name: "x.pdf", mime: "application/pdf", kind: "document" } as const;

type Ending = Partial<InboxTurnEnd> & { readonly throws?: string };

/** What a turn ends with when its placeholder was shown as the platform answers. */
async function endOf(ending: Ending, shown: Receipt = { result: "sent", messageId: "m1" }, note?: "stream") {
  const world = await gatewayWorld({ platforms: [] });
  const seen: string[] = [];
  const platform = simPlatform("msgg", () => 0, toReceipt).port;
  const placeholder = async (_: unknown, key: string) => {
    seen.push(`shown ${key}`);
    return shown;
  };
  const run = async (): Promise<InboxTurnEnd> => {
    seen.push(`noted ${(await world.visible.of("t1"))?.mode}`);
    if (note === "stream") await world.visible.note("t1", { mode: "stream", messageIds: ["m1"], prefix: 2 });
    if (ending.throws !== undefined) throw new Error(ending.throws);
    return { state: "answered", reason: null, sends: [], ...ending };
  };
  const turns: GatewayTurns = {
    name: () => "t1",
    run,
    resume: run,
    fate: async () => ({ was: "ended", end: await run() }),
    failure: (_, __, error) => ({ state: "failed", reason: error, sends: [say(`failed: ${error}`)] }),
  };
  const deps = {
    platform: () => ({ ...platform, placeholder }),
    visible: () => world.visible,
    rows: async () => [row],
    log: silentLog,
  };
  const wrapped = turnsWithSteps({
    ...NO_STEPS,
    work: turns,
    log: silentLog,
    placeholder: createPlaceholders(deps),
  });
  const end = await wrapped.run("t1", BATCH, new AbortController().signal);
  const again = await wrapped.fate("t1").catch(() => undefined);
  await world.stop();
  return {
    end,
    again,
    seen,
    sends: end.sends.map(({ via = "send", payload }) => [via, payload.text, payload.messageId]),
  };
}

test("a placeholder is shown and noted before the turn is worked, under a key that the event alone gives", async () => {
  const { seen } = await endOf({ sends: [say("PONG")] });
  const [shown = "", noted] = seen;
  assert.match(shown, /^shown [0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(noted, "noted placeholder");
  assert.equal((await endOf({ sends: [say("other")] })).seen[0], shown);
});

const ENDS: readonly (readonly [name: string, ending: Ending, sends: readonly (readonly (string | undefined)[])[]])[] =
  [
    ["the answer takes its place", { sends: [say("PONG")] }, [["edit", "PONG", "m1"]]],
    [
      "of a long answer the first part does, and the others follow",
      { sends: [say("a"), say("b")] },
      [
        ["edit", "a", "m1"],
        ["send", "b", undefined],
      ],
    ],
    ["a turn that gives nothing says so there", { reason: "silent" }, [["edit", "(no reply)", "m1"]]],
    ["a turn that is stopped says so there", { reason: "stopped" }, [["edit", "(interrupted)", "m1"]]],
    ["a turn that throws fails there", { throws: "broken" }, [["edit", "failed: broken", "m1"]]],
    [
      "files alone take it away",
      { sends: [say("", { file: FILE })] },
      [
        ["remove", "(no reply)", "m1"],
        ["send", "", undefined],
      ],
    ],
    [
      "an end that edits it already stays as it is",
      { sends: [{ ...say("x", { messageId: "m1" }), via: "edit" }] },
      [["edit", "x", "m1"]],
    ],
  ];

for (const [name, ending, sends] of ENDS) {
  test(`placeholder: ${name}`, async () => {
    const found = await endOf(ending);
    assert.deepEqual(found.sends, sends);
    if (ending.throws === undefined) assert.deepEqual(found.again, { was: "ended", end: found.end });
  });
}

test("a placeholder that could not be shown changes nothing of the answer", async () => {
  assert.deepEqual((await endOf({ sends: [say("PONG")] }, { result: "unknown", error: "cut" })).sends, [
    ["send", "PONG", undefined],
  ]);
});

test("an answer that is streamed into the placeholder ends as its stream says", async () => {
  assert.deepEqual((await endOf({ sends: [say("rest")] }, undefined, "stream")).sends, [["send", "rest", undefined]]);
});
