import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { msgtChat } from "../../../fixtures/worlds/msgt-chat-world.js";
import type { Inbound, InboundMedia } from "../../contracts/board/platform-tag.js";

type World = Awaited<ReturnType<typeof chatGateway>>;

type Options = Partial<Parameters<typeof chatGateway>[1]>;

async function world(
  t: TestContext,
  script: Parameters<typeof chatGateway>[1]["script"],
  more: Options = {},
): Promise<World> {
  const fetchMedia = async ({ ref }: InboundMedia) =>
    (async function* () {
      yield ref === "png" ? PNG : Buffer.from("hello from a file");
    })();
  return chatGateway(t, { script, platform: { fetchMedia }, ...more });
}

const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("rest")]);

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

test("GW-24: MEDIA with a link in the temporary directory to a store file makes no file call in a real chat on a real platform", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "agent-link-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "plot.png");
  const made = await msgtChat(t, {
    script: () => ({ text: `Here it is\nMEDIA:${path}` }),
    prepared: true,
    env: { MSGT_HOME_CHANNEL: "42" },
  });
  const { owner, server } = made;
  symlinkSync(join(owner.home.dir, "state.db"), path);
  made.say("send it");
  assert.deepEqual(
    (await made.shown(1)).map(({ text }) => text),
    ["Here it is"],
  );
  rmSync(path);
  writeFileSync(path, PNG);
  made.say("and now?"); // what the same name leads to later is sent: only where it led was wrong
  await made.shown(3);
  const files = server.calls.filter(({ file: sent }) => sent !== undefined);
  assert.deepEqual(
    files.map(({ method, file: sent }) => [method, sent?.bytes.equals(PNG)]),
    [["sendPhoto", true]],
  );
  assert.equal(JSON.stringify(server.calls).includes("SQLite format"), false);
});

const picture: InboundMedia = { kind: "image", mime: "image/png", name: "cat.png", size: null, ref: "png" };

/** The newest message of the user as the model got it. */
function asked(made: World): unknown {
  const { messages = [] } = made.owner.model.chats().at(-1)?.body ?? {};
  return messages.findLast((one) => one.role === "user")?.content;
}

test("a picture is shown to a model that sees, with its place, and again in later turns and after a restart", async (t) => {
  const made = await world(t, [{ text: "a cat" }, { text: "still a cat" }], {
    config: "agent:\n  image_input_mode: native\n",
  });
  await told(made, message("what is it?", [picture]));
  const content = asked(made);
  assert.ok(Array.isArray(content));
  assert.deepEqual(content[0], {
    type: "image_url",
    image_url: { url: `data:image/png;base64,${PNG.toString("base64")}` },
  });
  assert.match(
    content[1].text,
    /^\[The user sent an image cat\.png: \/.*\/cache\/images\/in_[0-9a-f]+\.png\]\nwhat is it\?$/,
  );
  await made.restart();
  await made.say("2", "sure?");
  await made.shown(2);
  const { messages = [] } = made.owner.model.chats().at(-1)?.body ?? {};
  assert.deepEqual(messages.find((one) => Array.isArray(one.content))?.content, content);
});

test("a model that is not known to see is told where the picture lies", async (t) => {
  const made = await world(t, [{ text: "ok" }]);
  await told(made, message("what is it?", [picture]));
  assert.match(String(asked(made)), /^\[The user sent an image cat\.png: .*\]\nwhat is it\?$/);
});

test("a voice message is heard where something hears: the model gets its words, and the chat sees them once", async (t) => {
  const voice: InboundMedia = { kind: "voice", mime: "audio/ogg", name: "v.ogg", size: null, ref: "voice" };
  const made = await world(t, [{ text: "good morning to you" }]);
  Object.assign(made.owner.app.options, { transcriber: { name: "ears", transcribe: async () => " good morning " } });
  await made.deliver(message("", [voice]));
  const shown = await made.shown(2);
  assert.deepEqual(
    shown.map(({ text }) => text),
    ['🎙️ "good morning"', "good morning to you"],
  );
  assert.equal(asked(made), '[The user said in a recording]: "good morning"');
});

test("with stt.enabled off a voice message is named by its path, and no one hears it", async (t) => {
  const voice: InboundMedia = { kind: "voice", mime: "audio/ogg", name: "v.ogg", size: null, ref: "voice" };
  const made = await world(t, [{ text: "ok" }], { config: "stt:\n  enabled: false\n" });
  Object.assign(made.owner.app.options, { transcriber: { name: "ears", transcribe: async () => "never" } });
  assert.match(
    await told(made, message("", [voice])),
    /^\[The user sent a recording v\.ogg: \/.*; nothing is set up that could transcribe it\]$/,
  );
});
