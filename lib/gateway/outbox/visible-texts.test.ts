import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayWorld } from "../../../fixtures/sim/gateway-world.js";
import { cutMissingText } from "./visible-texts.js";

test("what of an answer is visible is not sent again, what is missing is", async (t) => {
  const world = await gatewayWorld({ platforms: [] });
  t.after(() => world.stop());
  const { visible } = world;
  assert.equal(cutMissingText("Hello world", await visible.of("t1")), "Hello world");
  await visible.note("t1", { mode: "stream", messageIds: ["m1"], prefix: 6 });
  assert.equal(cutMissingText("Hello world", await visible.of("t1")), "world");
});

test("a turn that is closed shows nothing more", async (t) => {
  const world = await gatewayWorld({ platforms: [] });
  t.after(() => world.stop());
  const { visible, inbox } = world;
  assert.equal(await visible.note("t1", { mode: "placeholder", messageIds: ["m1"], prefix: 0 }), true);
  assert.equal(await inbox.end("t1", { state: "answered", reason: null, sends: [] }), true);
  assert.equal(await visible.note("t1", { mode: "stream", messageIds: ["m1"], prefix: 9 }), false);
  assert.deepEqual(
    { ...(await visible.of("t1")), updated_at: 0 },
    {
      turn_id: "t1",
      mode: "placeholder",
      state: "complete",
      message_ids: '["m1"]',
      delivered_prefix_length: 0,
      closed: 1,
      shown: null,
      updated_at: 0,
    },
  );
});
