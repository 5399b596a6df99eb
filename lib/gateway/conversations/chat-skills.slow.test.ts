import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { WEBHOOK_SECRET, webhookWorld } from "../../../fixtures/worlds/webhook-world.js";
import { webhookMethods } from "../../app/gateway/webhooks-api.js";
import { offeredCommands } from "../commands/offered-commands.js";

const MARK = "Count the sheep twice before you answer.";

async function setup(t: TestContext, config = "") {
  const world = await webhookWorld(t, { script: { pick: "history", replies: [{ text: "baa" }] }, config });
  const { home } = world.owner.app.options;
  const skill = (name: string) => {
    mkdirSync(join(home.dir, "skills", name), { recursive: true });
    writeFileSync(
      join(home.dir, "skills", name, "SKILL.md"),
      `---\nname: ${name}\ndescription: about it\n---\n${MARK}\n`,
    );
  };
  skill("count-sheep");
  const times = () =>
    world.owner.model.chats().map(({ body }) => JSON.stringify(body?.messages).split(MARK).length - 1);
  const bound = (id: string, text: string, skills: readonly string[]) =>
    world.deliver({ ...simMessage("msgt", id, text), skills });
  return { ...world, times, bound };
}

test("skills that are bound to a chat stand in its prompt once; an unknown one keeps no message from being answered", async (t) => {
  const { bound, shown, times } = await setup(t);
  await bound("e1", "hi", ["count-sheep", "nope"]);
  await shown(1);
  await bound("e2", "again", ["count-sheep", "nope"]);
  assert.deepEqual(
    (await shown(2)).map(({ text }) => text),
    ["baa", "baa"],
  );
  assert.deepEqual(times(), [1, 1]);
});

test("a skill that is bound to a chat later stands in the prompt from its next message on", async (t) => {
  const { bound, say, shown, times } = await setup(t);
  await say("e1", "hi");
  await shown(1);
  await bound("e2", "again", ["count-sheep"]);
  await shown(2);
  assert.deepEqual(times(), [0, 1]);
});

test("/<skill> in a chat begins a turn whose answer is sent, also with the signs that chats make of its name", async (t) => {
  const { say, shown, times } = await setup(t);
  await say("e1", "/count_sheep now");
  assert.deepEqual(
    (await shown(1)).map(({ text }) => text),
    ["baa"],
  );
  assert.deepEqual(times(), [1]);
});

test("members of a chat use the skills that their list names, and no others", async (t) => {
  const { say, shown, times } = await setup(
    t,
    "platforms: {msgt: {allow_admin_from: [u-c2], user_allowed_commands: [status]}}\n",
  );
  await say("e1", "/count_sheep now");
  assert.match((await shown(1))[0]?.text ?? "", /^⛔ .*count-sheep/);
  assert.deepEqual(times(), []);
});

test("the skills of a webhook stand in the prompt of its turns, and an unknown one is refused when it is subscribed", async (t) => {
  const world = await setup(t);
  const api = webhookMethods(world.owner.app, world);
  const wanted = {
    name: "ci",
    deliver: "msgt",
    deliver_extra: {},
    deliver_only: false,
    force: false,
    secret: WEBHOOK_SECRET,
    prompt: "look",
  };
  await assert.rejects(api.subscribeWebhook({ ...wanted, skills: ["count-shep"] }), {
    code: "E_USAGE",
    message: "unknown skill in --skills: 'count-shep'",
  });
  assert.deepEqual(await api.webhooks(), []);
  await api.subscribeWebhook({ ...wanted, skills: ["count-sheep"] });
  assert.equal((await world.post("ci", { a: 1 })).status, 202);
  await world.shown(1);
  assert.deepEqual(world.times(), [1]);
});

test("menus of bots hold skills behind the built-in commands", async (t) => {
  const { owner } = await setup(t);
  await owner.app.runtime.ready?.();
  const names = offeredCommands([], owner.app.runtime.commands()).map(({ name }) => name);
  assert.deepEqual(names, ["count-sheep"]);
});
