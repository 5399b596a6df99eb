import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { simMessage, simPlatform } from "../../../fixtures/sim/platform.js";
import { toReceipt } from "../adapter/send-outcome.js";
import { loseCursor } from "./interrupted-turn.js";

test("a message that was being written when the program ended loses its cursor once, and what resumes the turn begins another one", async (t) => {
  const world = await gatewayWorld({ platforms: [simPlatform("msgd", () => 0, toReceipt)] });
  t.after(world.stop);
  await world.inbox.accept(simMessage("msgd", "1", "go"));
  const { inbox } = await world.rows();
  await world.visible.note("gw_1", { mode: "stream", messageIds: ["m0", "m1"], prefix: 1990, shown: "as far as this" });
  const deps = { visible: () => world.visible, outbox: () => world.outbox };
  await loseCursor(deps, { root: "gw_1", rows: inbox, was: "interrupted" });
  await loseCursor(deps, { root: "gw_1", rows: inbox, was: "interrupted" });
  const { outbox } = await world.rows();
  assert.deepEqual(
    outbox.map(({ via, payload }) => [via, JSON.parse(payload ?? "{}").messageId, JSON.parse(payload ?? "{}").text]),
    [["edit", "m1", "as far as this"]],
  );
  const record = await world.visible.of("gw_1");
  assert.deepEqual([record?.mode, record?.message_ids, record?.delivered_prefix_length], ["final", "[]", 0]);
});
