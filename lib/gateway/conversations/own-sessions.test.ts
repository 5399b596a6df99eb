import assert from "node:assert/strict";
import { test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

type World = Awaited<ReturnType<typeof chatGateway>>;

const TWO = { MSGT_ALLOWED_USERS: "u-c1,u-c2" };

/** Both people have said something, each in a conversation of their own. */
async function both(world: World) {
  await world.say("1", "first of one");
  await world.shown(1);
  await world.say("2", "first of two", "c2");
  await world.shown(2);
  const all = await world.owner.chat.list({});
  const of = (text: string) => all.find(({ preview }) => preview === text)?.id ?? "";
  return { one: of("first of one"), two: of("first of two") };
}

/** What is answered, with the id taken out of it. */
async function answer(world: World, text: string, chat?: string) {
  const before = world.platform.ledger.length;
  await world.say(`q${before}-${text}`, text, chat);
  return (await world.shown(before + 1))[before]?.text ?? "";
}

test("GW-33: a conversation of someone else is answered like one that never was, by id, beginning and title", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "one" }, { text: "two" }], env: TWO });
  const { one, two } = await both(world);
  await answer(world, "/title the secret plan");
  const never = "20200101_000000_abcdef";
  const unknown = await answer(world, `/resume ${never}`, "c2");
  assert.match(unknown, /no such session/);
  const ways: readonly (readonly [string, string])[] = [
    ["/resume", one],
    ["/resume", one.slice(0, -1)],
    ["/resume", "the secret plan"],
    ["/context", one],
  ];
  for (const [command, name] of ways)
    assert.equal(
      (await answer(world, `${command} ${name}`, "c2")).replaceAll(name, never),
      await answer(world, `${command} ${never}`, "c2"),
      `${command} ${name}`,
    );
  for (const line of ["/resume", "/sessions", "/switch", "/switch plan", "/agents"]) {
    const seen = await answer(world, line, "c2");
    assert.ok(!seen.includes(one) && !seen.includes("secret"), `${line}: ${seen}`);
  }
  assert.doesNotMatch(await answer(world, "/title the secret plan", "c2"), new RegExp(one));
  assert.match(await answer(world, "/resume"), new RegExp(`^• the secret plan \\(${one}`));
  assert.match(await answer(world, "/resume", "c2"), new RegExp(two));
});

test("a person goes on with an earlier conversation of theirs, by its number or its id, and the next message goes there", async (t) => {
  const world = await chatGateway(t, {
    script: [{ text: "one" }, { text: "two" }, { text: "again" }, { text: "other" }],
    env: TWO,
  });
  const first = (await both(world)).one;
  await answer(world, "/new");
  assert.match(await answer(world, "/resume 1"), new RegExp(first));
  assert.equal(await answer(world, "and now"), "again");
  assert.equal((await world.owner.chat.get(first as Parameters<typeof world.owner.chat.get>[0]))?.message_count, 4); // it is an id
  await answer(world, "/branch side");
  assert.match(await answer(world, "/sessions"), /side/);
  assert.match(await answer(world, `/resume ${first}`), new RegExp(first));
});

test("an admin sees every conversation of the home", async (t) => {
  const world = await chatGateway(t, {
    script: [{ text: "one" }, { text: "two" }],
    env: { ...TWO, MSGT_ALLOW_ADMIN_FROM: "u-c2" },
  });
  const { one } = await both(world);
  assert.match(await answer(world, "/resume", "c2"), new RegExp(one));
  assert.match(await answer(world, `/resume ${one}`, "c2"), /first of one/);
  assert.match(await answer(world, "/resume"), /^⛔ you may not use \/resume here; you may use \/help, \/whoami$/);
});
