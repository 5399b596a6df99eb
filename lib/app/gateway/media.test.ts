import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { Inbound, InboundMedia } from "../../proto/gateway.js";

type World = Awaited<ReturnType<typeof chatGateway>>;

async function world(t: TestContext, script: Parameters<typeof chatGateway>[1]["script"]): Promise<World> {
  const fetchMedia = async () =>
    (async function* () {
      yield Buffer.from("hello from a file");
    })();
  return chatGateway(t, { script, platform: { fetchMedia } });
}

const file = (name: string): InboundMedia => ({ kind: "document", mime: null, name, size: null, ref: "hello" });

const message = (text: string, media: readonly InboundMedia[], more: Partial<Inbound> = {}): Inbound => ({
  ...simMessage("msgt", "1", text),
  media,
  ...more,
});

/** What the model was told. */
async function told(made: World, event: Inbound): Promise<string> {
  await made.deliver(event);
  await made.shown(1);
  const [session] = await made.owner.chat.list({ source: "msgt" });
  assert.ok(session);
  const messages = await made.owner.messages(session.id);
  return messages[0]?.content ?? "";
}

test("a message that is only a file gets a turn, and what it answers stands before it", async (t) => {
  const made = await world(t, [{ text: "seen" }]);
  const text = await told(made, message("", [file("a.pdf")], { replyToText: "shall I?" }));
  const [, path = ""] = /^\[Replying to: "shall I\?"\]\n\[The user sent the file a\.pdf: (.*)\]$/.exec(text) ?? [];
  assert.equal(readFileSync(path, "utf8"), "hello from a file");
});

test("a file that an answer names goes out after its text", async (t) => {
  let path = "";
  const made = await world(t, () => ({ text: `Here it is\nMEDIA:${path}` }));
  path = join(made.owner.work, "plot.png");
  writeFileSync(path, "png");
  await made.say("1", "plot");
  const [text, sent] = await made.shown(2);
  assert.deepEqual([text?.text, sent?.file?.name, sent?.file?.kind], ["Here it is", "plot.png", "image"]);
  assert.equal(readFileSync(sent?.file?.path ?? "", "utf8"), "png");
});

test("GW-23: MEDIA with the .env of the home makes no file call; the text goes out, and the model is told in its next turn", async (t) => {
  let path = "";
  const made = await world(t, () => ({ text: `Here it is\nMEDIA:${path}` }));
  path = join(made.owner.home.dir, ".env");
  writeFileSync(path, "TOKEN=1");
  await made.say("1", "send it");
  assert.deepEqual(
    (await made.shown(1)).map(({ text, file: one }) => [text, one]),
    [["Here it is", undefined]],
  );
  await made.say("2", "and?");
  await made.shown(2);
  const [session] = await made.owner.chat.list({ source: "msgt" });
  assert.ok(session);
  const said = (await made.owner.messages(session.id)).filter((one) => one.role === "user").map((one) => one.content);
  assert.match(said[1] ?? "", /^\[The file .*\.env was not sent: it belongs to the agent; .*\]\nand\?$/);
  assert.equal(existsSync(join(made.owner.home.cache, "outgoing")), false);
});
