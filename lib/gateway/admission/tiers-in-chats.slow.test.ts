import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { ChatType } from "../../contracts/board/platform-tag.js";

const ENV = {
  MSGT_ALLOWED_USERS: "u-c1,u-c2",
  MSGT_ALLOW_ADMIN_FROM: "u-c1",
  MSGT_USER_ALLOWED_COMMANDS: "status,/Reset",
  MSGT_GROUP_USER_ALLOWED_COMMANDS: "title",
};

type World = Awaited<ReturnType<typeof chatGateway>>;

let count = 0;
async function answer(world: World, text: string, who: { readonly user: string; readonly type?: ChatType }) {
  const before = world.platform.ledger.length;
  const one = simMessage("msgt", `e${++count}`, text, who.type === "group" ? "-5" : `c-${who.user}`);
  await world.deliver({ ...one, source: { ...one.source, chatType: who.type ?? "dm", userId: who.user } });
  return (await world.shown(before + 1))[before]?.text ?? "";
}

test("an admin looks after bundles and the curator from a chat, a member does not", async (t) => {
  const world = await chatGateway(t, { script: [], env: ENV });
  assert.match(await answer(world, "/bundles", { user: "u-c1" }), /No bundles/);
  assert.match(await answer(world, "/curator", { user: "u-c1" }), /curator/i);
  for (const text of ["/bundles", "/curator", "/curator run"])
    assert.match(await answer(world, text, { user: "u-c2" }), /^⛔/, text);
});

test("who is no admin may run what the list names, by any name of it, and is told what that is", async (t) => {
  const world = await chatGateway(t, { script: [], env: ENV });
  const member = { user: "u-c2" };
  for (const text of [
    "/status",
    "/stat",
    "/new",
    "/reset",
    "/help",
    "/commands",
    "/whoami",
    "/help status",
    "/kanban list",
  ])
    assert.doesNotMatch(await answer(world, text, member), /⛔/, text);
  for (const text of [
    "/model",
    "/title x",
    "/ren x",
    "/stop",
    "/yolo",
    "/branch x",
    "/resume",
    "/platform pause msgt",
    "/cron list",
  ]) {
    assert.match(await answer(world, text, member), /^⛔ .*\/help, \/whoami, \/status, \/reset$/, text);
    assert.doesNotMatch(await answer(world, text, { user: "u-c1" }), /⛔/, text);
  }
  assert.match(await answer(world, "/kanban gc", member), /^⛔ .*\/status/);
  assert.match(await answer(world, "/whoami", member), /commands: \/help, \/whoami, \/status, \/reset/);
  assert.match(await answer(world, "/whoami", { user: "u-c1" }), /you are an admin/);
  const listed = await answer(world, "/commands", member);
  assert.match(listed, /^\/status /m);
  assert.doesNotMatch(listed, /^\/model/m);
});

test("a group has its own list of commands, and the admins of direct chats where it names none", async (t) => {
  const world = await chatGateway(t, { script: [], env: ENV });
  const group = { user: "u-c2", type: "group" } as const;
  assert.doesNotMatch(await answer(world, "/title x", group), /⛔/);
  assert.match(await answer(world, "/status", group), /^⛔ .*\/help, \/whoami, \/title$/);
  assert.doesNotMatch(await answer(world, "/status", { user: "u-c1", type: "group" }), /⛔/);
});

test("a refusal ends nothing: a member who may not stop leaves the turn as it is", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "LATE", hold: "model" }], env: ENV });
  await world.say("1", "work", "c2");
  await world.owner.model.arrived(1);
  await world.say("2", "/stop", "c2");
  assert.match((await world.shown(1))[0]?.text ?? "", /^⛔/);
  world.owner.model.release("model");
  assert.equal((await world.shown(2))[1]?.text, "LATE");
});

test("what needs a terminal is not there in a chat, admins included", async (t) => {
  const world = await chatGateway(t, { script: [], env: ENV });
  for (const text of [
    "/config show",
    "/config set model.default x",
    "/sessions delete x",
    "/sessions search x",
    "/quit",
    "/theme",
    "/tools",
    "/doctor",
  ])
    assert.match(await answer(world, text, { user: "u-c1" }), /^⛔ .* is not available in a chat/, text);
});

test("without tiers commands for admins are there in direct chats, and in a group for no one", async (t) => {
  const world = await chatGateway(t, { script: [], env: { MSGT_ALLOWED_USERS: "u-c1,u-c2" } });
  assert.doesNotMatch(await answer(world, "/yolo on", { user: "u-c1" }), /⛔/);
  assert.match(await answer(world, "/yolo on", { user: "u-c1", type: "group" }), /^⛔/);
  assert.doesNotMatch(await answer(world, "/model", { user: "u-c1", type: "group" }), /⛔/);
});

const QUICK = `quick_commands:
  disk: {type: exec, command: "echo free space; env | grep -c MSGT; exit 3"}
  who: {type: alias, target: whoami}
  fresh: {type: alias, target: "/new plan"}
  broken: {type: exec}
`;

test("commands of the user's own run on the machine or stand for others, with the same tiers and without credentials", async (t) => {
  const env = { ...ENV, MSGT_USER_ALLOWED_COMMANDS: "fresh", MSGT_BOT_TOKEN: "secret-token-of-the-bot" };
  const world = await chatGateway(t, { script: [], env, config: QUICK });
  const admin = { user: "u-c1" };
  assert.equal(await answer(world, "/disk", admin), "free space\n0\n⚠️ exit code 3");
  assert.match(await answer(world, "/who", admin), /^user: u-c1/);
  assert.match(await answer(world, "/fresh one", admin), /^New conversation .* "plan one"/);
  assert.match(await answer(world, "/broken", admin), /quick_commands\.broken must be/);
  assert.match(await answer(world, "/disk", { user: "u-c2" }), /^⛔/);
  assert.match(await answer(world, "/fresh", { user: "u-c2" }), /^⛔ you may not use \/new/);
  assert.match(await answer(world, "/who", { user: "u-c2" }), /^user: u-c2/);
});
