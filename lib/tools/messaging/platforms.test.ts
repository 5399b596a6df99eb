import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

const FOR_CHATS = ["cronjob", "send_message"];

test("cronjob and send_message are offered when a platform is set up in .env alone", async (t) => {
  const owner = await chatOwner(t, { script: [] });
  const place = { source: "cli", cwd: owner.work, env: {} } as const;
  const isOffered = async () =>
    (await owner.chat.toolList(place)).tools.filter(({ name }) => FOR_CHATS.includes(name)).map((one) => one.offered);
  assert.deepEqual(await isOffered(), [false, false]);
  writeFileSync(owner.home.env, "MSGT_BOT_TOKEN=424242:token\n", { mode: 0o600 });
  await owner.app.options.config.reload();
  assert.deepEqual(await isOffered(), [true, true]);
});
