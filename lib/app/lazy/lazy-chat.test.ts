import assert from "node:assert/strict";
import { test } from "node:test";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";
import { lazyStream, once } from "../../base/async/lazy.js";
import { silentLog } from "../../base/log/log.js";
import type { Chat } from "../../chat/chat.js";
import { runSlash, type SlashServices } from "../../cli/run-slash.js";
import { COMMANDS } from "../../commands/index.gen.js";
import { lazyChat } from "./lazy-chat.js";

test("/rollback says that checkpoints are off also where conversations are loaded with the first call", async (t) => {
  const world = await chatWorld(t, { config: "" });
  const { home, checkpoints, config, work, chat } = world;
  const session = await world.open();
  const kept = await world.open({ checkpoints: true });
  const services = { home, checkpoints, config, cwd: work, chat: lazyChat(async () => chat), log: silentLog };
  const common = { env: {}, columns: 80, color: false, signal: new AbortController().signal };
  const list = async (id: typeof session.id) =>
    (
      await runSlash(
        { text: "/rollback", session: id },
        { ...services, ...common } as unknown as SlashServices,
        COMMANDS,
      )
    ).text; // the command uses neither board nor owner
  assert.match(await list(session.id), /checkpoints are off/);
  assert.doesNotMatch(await list(kept.id), /checkpoints are off/);
});

test("conversations that could not be loaded are loaded again with the next call", async () => {
  let tries = 0;
  const load = once(async () => {
    tries++;
    if (tries === 1) throw new Error("no space left");
    return { cursor: async () => 7 } as unknown as Chat; // nothing else of it is called
  });
  const chat = lazyChat(load);
  assert.equal(tries, 0);
  await assert.rejects(chat.cursor(), /no space left/);
  assert.equal(await chat.cursor(), 7);
  assert.equal(await chat.cursor(), 7);
  assert.equal(tries, 2);
});

test("a stream is opened when it is read, and closed with its reader", async () => {
  const told: string[] = [];
  const stream = lazyStream(async () => {
    told.push("opened");
    return (async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        told.push("closed");
      }
    })();
  });
  assert.deepEqual(told, []);
  for await (const one of stream) {
    assert.equal(one, 1);
    break;
  }
  assert.deepEqual(told, ["opened", "closed"]);
});
