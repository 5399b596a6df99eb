import assert from "node:assert/strict";
import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { type Delegated, delegating } from "../../../fixtures/worlds/children.js";
import type { SessionId } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import { toChatSession } from "./conversations.js";

test("the configured directory is where chats, jobs and delegated work begin; a person begins where they are", async (t) => {
  proves(t, "config.terminal.cwd");
  const owner = await chatOwner(t, { script: delegating({ goal: "look", toolsets: ["file"] }, [{ text: "seen" }]) });
  const { app, chat, home, work } = owner;
  const wanted = join(realpathSync(home.dir), "elsewhere");
  mkdirSync(wanted);
  await app.settings.set("terminal.cwd", wanted, { asText: true, force: false });
  const cwdOf = async (id: SessionId) => (await chat.get(id))?.cwd;
  const turn = await owner.ask("do it");
  assert.equal(await cwdOf(turn.session_id), work);
  const [delegated] = (await owner.results(turn.session_id)) as Delegated[]; // the result of the one call
  assert.equal(await cwdOf(delegated?.results[0]?.session_id as SessionId), wanted); // an id that the chat gave
  await app.cron.create({ schedule: "every 2h", prompt: "look", name: "job" });
  const run = await app.cron.run("job");
  assert.equal(await cwdOf(run.session_id as SessionId), wanted); // the same
  const event = { platform: "msgt", account: "1", source: { chatId: "1" } } as unknown as Inbound; // what it says is not looked at
  assert.equal(toChatSession(event, app.options).cwd, wanted);
});

test("a configured directory that begins nowhere begins at the user's, for chats and jobs alike", async (t) => {
  const owner = await chatOwner(t, { script: [{ text: "looked" }], prepared: true });
  const { app, chat, home } = owner;
  const wanted = join(realpathSync(home.dir), "..", "elsewhere");
  mkdirSync(wanted);
  await app.settings.set("terminal.cwd", "elsewhere", { asText: true, force: false });
  await app.cron.create({ schedule: "every 2h", prompt: "look", name: "job" });
  const run = await app.cron.run("job");
  assert.equal((await chat.get(run.session_id as SessionId))?.cwd, wanted); // an id that the chat gave
  const event = { platform: "msgt", account: "1", source: { chatId: "1" } } as unknown as Inbound; // what it says is not looked at
  assert.equal(toChatSession(event, app.options).cwd, wanted);
});
