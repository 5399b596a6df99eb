import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import type { SessionId } from "../../base/units.js";
import type { ResultImage } from "../../tools/core/define.js";
import { entryOf, jsonTool } from "../../tools/core/json-tool.js";

/** A PNG of 8 by 6, as far as its head tells. */
function png(more: string): Buffer {
  const head = Buffer.alloc(24);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(head);
  head.writeUInt32BE(8, 16);
  head.writeUInt32BE(6, 20);
  return Buffer.concat([head, Buffer.from(more)]);
}

const base64 = (more: string) => png(more).toString("base64");

const NATIVE = "agent:\n  image_input_mode: native\n";

/** A tool that shows pictures; each call shows the next one. */
function camera(images: (n: number) => readonly ResultImage[], name: string) {
  let calls = 0;
  const tool = jsonTool({
    name,
    toolset: "mcp-camera",
    description: "Shows a picture.",
    schema: { type: "object", properties: { n: { type: "integer" } } },
    risk: "read",
    effects: () => ({ reads: ["net"], writes: [] }),
    limits: { ms: 10_000, chars: 1_000 },
    preview: () => "",
    run: async () => {
      calls += 1;
      return { text: `picture ${calls}`, images: images(calls) };
    },
  });
  return entryOf(tool, { kind: "mcp", name: "camera" });
}

interface Given {
  readonly mode?: string;
  readonly looks?: number;
  readonly config?: string;
  readonly images?: (n: number) => readonly ResultImage[];
  /** Of the tool. */
  readonly name?: string;
}

async function looking(t: TestContext, given: Given = {}) {
  const { mode = "chat_completions", looks = 1, config = NATIVE, images, name = "mcp_camera_look" } = given;
  const shown = images ?? ((n) => [{ data: base64(`pixels ${n}`), mediaType: "image/png", name: `shot ${n}.png` }]);
  const entry = camera(shown, name);
  const calls = Array.from({ length: looks }, (_, n) => ({
    tool_calls: [{ name, arguments: { n } }],
  }));
  const owner = await chatOwner(t, {
    prepared: true,
    script: [...calls, { text: "a cat" }, { text: "still a cat" }],
    model: `  api_mode: ${mode}\n`,
    config,
    toolSources: [{ entries: () => [entry] }],
  });
  const session = await owner.open();
  await owner.chat.submit({ session: session.id, text: "look" });
  return { owner, session, last: () => owner.model.chats().at(-1)?.raw ?? "" };
}

for (const [mode, form] of [
  ["chat_completions", /"role":"user","content":\[\{"type":"image_url","image_url":\{"url":"data:image\/png;base64,/],
  [
    "responses",
    /"type":"function_call_output",.*"output":\[\{"type":"input_text".*\{"type":"input_image","image_url":"data:image\/png;base64,/,
  ],
  [
    "anthropic_messages",
    /"type":"tool_result",.*"content":\[\{"type":"text".*\{"type":"image","source":\{"type":"base64","media_type":"image\/png"/,
  ],
] as const)
  test(`a model that sees gets the picture of a result over ${mode}`, async (t) => {
    const { last } = await looking(t, { mode });
    assert.match(last(), form);
    assert.ok(last().includes(base64("pixels 1")));
  });

test("a model that sees none gets the text alone", async (t) => {
  const { last } = await looking(t, { config: "" });
  assert.ok(last().includes("picture 1"));
  assert.ok(!last().includes(base64("pixels 1")));
});

test("the three newest pictures of results stay in requests, older ones become a line", async (t) => {
  const { last } = await looking(t, { looks: 5 });
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((n) => last().includes(base64(`pixels ${n}`))),
    [false, false, true, true, true],
  );
  assert.equal(last().split("[picture removed to save context]").length - 1, 2);
});

for (const mode of ["chat_completions", "responses", "anthropic_messages"])
  test(`a turn with five screenshots carries three pictures and two placeholders over ${mode}, also when it is resumed, and none after an undo`, async (t) => {
    proves(t, "limit.screenshots");
    const { owner, session, last } = await looking(t, { mode, looks: 5, name: "browser_look" });
    const carried = () => ({
      pictures: [1, 2, 3, 4, 5].filter((n) => last().includes(base64(`pixels ${n}`))),
      data: last().split("iVBORw0KGgo").length - 1,
      placeholders: last().split("[screenshot removed to save context]").length - 1,
    });
    const newest = { pictures: [3, 4, 5], data: 3, placeholders: 2 };
    assert.deepEqual(carried(), newest);
    await owner.chat.leave(session.id, "closed");
    await owner.chat.submit({ session: session.id, text: "and now?" });
    assert.deepEqual(carried(), newest, "the stored conversation is the same");
    await owner.chat.undo(session.id, 2, "chat");
    await owner.chat.submit({ session: session.id, text: "something else" });
    assert.deepEqual(carried(), { pictures: [], data: 0, placeholders: 0 });
  });

for (const mode of ["chat_completions", "responses", "anthropic_messages"])
  test(`a compaction removes old pictures over ${mode}: of results three stay, of the user the newest; an undo has them back`, async (t) => {
    const look = (n: number) => ({ tool_calls: [{ name: "browser_look", arguments: { n } }] });
    const looks = [2, 3, 4, 5, 6].map(look);
    const shot = (n: number) => ({ data: base64(`pixels ${n}`), mediaType: "image/png", name: "shot.png" });
    const entry = camera((n) => [shot(n)], "browser_look");
    const owner = await chatOwner(t, {
      prepared: true,
      script: [look(1), { text: "one" }, { text: "two" }, ...looks, { text: "three" }, { text: "end" }],
      model: `  api_mode: ${mode}\n`,
      config: NATIVE,
      toolSources: [{ entries: () => [entry] }],
    });
    for (const name of ["old", "new"]) writeFileSync(join(owner.work, `${name}.png`), png(`attached ${name}`));
    const attached = (text: string) => owner.chat.withPictures({ text, cwd: owner.work });
    const { id } = await owner.open();
    const submit = async (session: SessionId, text: string) => (await owner.chat.submit({ session, text })).session_id;
    await submit(id, await attached("what is it? @image:old.png"));
    await submit(id, "go on");
    await submit(id, await attached("and this? @image:new.png"));
    const ended = await owner.chat.compact(id, { keep: 1 });
    const next = ended.new_session_id ?? assert.fail("nothing was compacted");
    const carried = () => {
      const last = owner.model.chats().at(-1)?.raw ?? "";
      return {
        shots: [1, 2, 3, 4, 5, 6].filter((n) => last.includes(base64(`pixels ${n}`))),
        attached: ["old", "new"].filter((name) => last.includes(base64(`attached ${name}`))),
        data: last.split("iVBORw0KGgo").length - 1,
        marks: ["[screenshot removed to save context]", "[Attached image: removed by compaction]"].map(
          (mark) => last.split(mark).length - 1,
        ),
      };
    };
    await submit(next, "which colour?");
    assert.deepEqual(carried(), { shots: [4, 5, 6], attached: ["new"], data: 4, marks: [3, 1] });
    const stored = (await owner.messages(next)).flatMap(({ pictures = [] }) => pictures.length);
    assert.equal(
      stored.reduce((sum, n) => sum + n, 0),
      4,
      "the new segment holds no others",
    );
    await owner.chat.compactUndo(next);
    await submit(id, "and before?");
    assert.deepEqual(carried(), { shots: [4, 5, 6], attached: ["old", "new"], data: 5, marks: [3, 0] });
  });

test("pictures of results are kept with their conversation: shown after a restart, exported, removed with it", async (t) => {
  const { owner, session, last } = await looking(t);
  const [result] = (await owner.messages(session.id)).filter(({ role }) => role === "tool");
  const folder = join(owner.home.cache, "attached", session.lineage_root);
  assert.deepEqual(
    result?.pictures?.map(({ name, width, height }) => [name, width, height]),
    [["shot_1.png", 8, 6]],
  );
  assert.equal(readdirSync(folder).length, 1);
  const ended = (await owner.events(session.id)).find(({ event }) => event === "tool.ended");
  assert.deepEqual(ended?.data["pictures"], result?.pictures);
  const { largest } = await owner.chat.context(session.id);
  assert.ok((largest.find(({ role }) => role === "tool")?.tokens ?? 0) > 1_500);
  await owner.chat.submit({ session: session.id, text: "and now?" });
  assert.ok(last().includes(base64("pixels 1")), "the next turn shows it again");
  let exported = "";
  for await (const piece of owner.chat.export(session.id, "jsonl")) exported += piece;
  assert.match(exported, /shot_1\.png/);
  await owner.chat.delete(session.id);
  assert.equal(existsSync(folder), false);
});

test("a picture that only people see is kept and shown, and no request holds it, also after a compaction", async (t) => {
  const { owner, session, last } = await looking(t, {
    images: (n) => [{ data: base64(`pixels ${n}`), mediaType: "image/png", name: "art.png", unsent: true }],
  });
  const kept = async (id: SessionId) =>
    (await owner.messages(id)).flatMap(({ pictures = [] }) => pictures).map(({ name, unsent }) => [name, unsent]);
  assert.deepEqual(await kept(session.id), [["art.png", true]]);
  for (const text of ["and?", "go on"]) await owner.chat.submit({ session: session.id, text });
  const { new_session_id } = await owner.chat.compact(session.id, { keep: 1 });
  const next = new_session_id ?? assert.fail("nothing was compacted");
  await owner.chat.submit({ session: next, text: "more" });
  assert.ok(owner.model.requests.every(({ raw }) => !raw.includes(base64("pixels 1"))));
  assert.doesNotMatch(last(), /removed to save context/);
  assert.deepEqual(await kept(next), [["art.png", true]]);
});

test("what is no picture, or too large for models, is left out, and the result stays", async (t) => {
  const { owner, session } = await looking(t, {
    images: () => [
      { data: Buffer.from("text").toString("base64") },
      { path: "/nowhere.png" },
      { data: "A".repeat(5 << 20) },
    ],
  });
  const [result] = (await owner.messages(session.id)).filter(({ role }) => role === "tool");
  assert.deepEqual([result?.status, result?.pictures], ["ok", undefined]);
});

test("read_file shows a picture to a model that sees, and tells others its type and size", async (t) => {
  for (const [config, sees] of [
    [NATIVE, true],
    ["", false],
  ] as const) {
    const owner = await chatOwner(t, {
      prepared: true,
      script: [{ tool_calls: [{ name: "read_file", arguments: { path: "cat.png" } }] }, { text: "a cat" }],
      config,
    });
    writeFileSync(join(owner.work, "cat.png"), png("meow"));
    const turn = await owner.ask("what is it?");
    const [result] = await owner.results(turn.session_id);
    assert.deepEqual(result, {
      path: join(owner.work, "cat.png"),
      type: "image/png",
      file_size: png("meow").length,
      width: 8,
      height: 6,
      is_binary: true,
      hint: "shown with this result to models that see pictures",
    });
    assert.equal(owner.model.chats().at(-1)?.raw.includes(base64("meow")), sees);
  }
});

/** A turn in which the model looks at a picture of its directory and asks something about it. */
async function analysing(t: TestContext, config: string) {
  const owner = await chatOwner(t, {
    prepared: true,
    script: [
      {
        tool_calls: [{ name: "vision_analyze", arguments: { image_url: "cat.png", question: "Which colour is it?" } }],
      },
      { text: "grey" },
    ],
    config,
  });
  writeFileSync(join(owner.work, "cat.png"), png("meow"));
  const { session_id } = await owner.ask("look at it");
  const asked = owner.model.chats().filter(({ body }) => (body?.tools ?? []).length > 0);
  return { owner, session: session_id, last: asked.at(-1)?.raw ?? "" };
}

test("a model that sees gets the picture of vision_analyze itself, and no other model is asked", async (t) => {
  const { owner, last } = await analysing(t, NATIVE);
  assert.ok(last.includes(base64("meow")));
  assert.equal(owner.model.requests.filter(({ raw }) => raw.includes("another model describes it")).length, 0);
});

test("a model that does not see gets the answer of the vision model, as data of others; its cost is the session's", async (t) => {
  const { owner, session, last } = await analysing(t, "auxiliary:\n  vision:\n    model: seer\n");
  const seers = owner.model.requests.filter(({ body }) => body?.model === "seer");
  assert.equal(seers.length, 1);
  assert.match(seers[0]?.raw ?? "", /Which colour is it\?/);
  assert.ok(seers[0]?.raw.includes(base64("meow")));
  const label = '<untrusted_tool_result source=\\"vision\\">';
  assert.ok(
    last.includes(label) && last.includes("[What the image cat.png shows, as another model describes it: "),
    last,
  );
  assert.ok(!last.includes(base64("meow")));
  const { by_slot } = await owner.chat.cost("session", session);
  assert.ok(by_slot.some(({ slot }) => slot === "vision"));
});

test("a model that does not see, without any that does, is told so and how that changes", async (t) => {
  const { last } = await analysing(t, "");
  assert.match(last, /\[The picture cat\.png is not shown: fake-1 does not see pictures, .*set auxiliary\.vision\]/);
});

test("the offline assistant says that it sees no pictures, read or attached", async (t) => {
  const owner = await chatOwner(t, { prepared: true, script: [] });
  writeFileSync(join(owner.work, "cat.png"), png("meow"));
  const offline = { provider: "offline", model: "offline-1" } as const;
  const read = await owner.ask("read cat.png", offline);
  assert.match(
    read.final_response,
    /cat\.png: image\/png, 8x6 pixels, \d+ bytes\. The offline assistant does not see pictures\./,
  );
  const text = await owner.chat.withPictures({ text: "what is it? @image:cat.png", cwd: owner.work });
  const asked = await owner.ask(text, offline);
  assert.match(asked.final_response, /^The offline assistant does not see pictures\./);
});
