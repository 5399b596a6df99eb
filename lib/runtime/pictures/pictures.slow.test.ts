import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { decodedFacts, noisyPng, plainPng, turnedPhoto } from "../../../fixtures/sim/made-pictures.js";
import type { Method } from "../../backplane/methods.js";
import { longestSide } from "../../base/fs/picture-facts.js";
import { COMMANDS } from "../../commands/index.gen.js";
import type { NewSession } from "../../contracts/chat/chat.js";
import { runWith } from "../../rpc/commands/command-services.js";
import { inputFileMethods } from "../../rpc/screen/input-file-methods.js";
import { promptMethods } from "../../rpc/screen/prompt-methods.js";
import { turnMethods } from "../../rpc/sessions/turn-methods.js";

/** A PNG of this size, as far as its head tells. */
function png(width = 8, height = 8, more = ""): Buffer {
  const head = Buffer.alloc(24);
  Buffer.from("89504e470d0a1a0a0000000d49484452", "hex").copy(head);
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.from(`pixels ${more}`)]);
}

const NATIVE = "agent:\n  image_input_mode: native\n";

async function setup(t: TestContext, { config = NATIVE, model = "", first = {} } = {}) {
  const script = (_request: unknown, turn: number) => ({ text: "a cat", ...(turn === 0 ? first : {}) });
  const owner = await chatOwner(t, { prepared: true, script, config, model });
  const { app } = owner;
  const methods = new Map<string, Method>([...inputFileMethods(app), ...promptMethods(app), ...turnMethods(app.chat)]);
  const call = async <T>(name: string, params: object): Promise<T> => {
    const method = methods.get(name) ?? assert.fail(name);
    const client = { kind: "workspace", signal: new AbortController().signal };
    return JSON.parse(
      JSON.stringify(
        await method.run(method.params.parse(params) as never, client as never, { key: undefined } as never),
      ),
    );
  };
  const photo = join(owner.work, "a cat.png");
  writeFileSync(photo, png());
  const cached = join(owner.home.cache, "attached");
  return { owner, call, photo, cached };
}

type World = Awaited<ReturnType<typeof setup>>;

/** The newest message of the user as the model got it. */
function asked({ owner }: World): unknown {
  const { messages = [] } = owner.model.chats().at(-1)?.body ?? {};
  return messages.findLast((one) => one.role === "user")?.content;
}

const kept = (world: World, path: string) =>
  world.call<{ name: string; mention: string; path: string }>("image.attach", { path });

test("a picture that is attached belongs to the message: the model sees it, and it outlives the file that it came from", async (t) => {
  const world = await setup(t);
  const { owner, photo } = world;
  const { mention, name } = await kept(world, photo);
  assert.equal(name, "a_cat.png");
  rmSync(photo);
  const { session_id } = await owner.ask(`what is ${mention} ?`);
  const content = asked(world) as { type: string; text?: string; image_url?: { url: string } }[];
  assert.equal(content[0]?.image_url?.url, `data:image/png;base64,${png().toString("base64")}`);
  assert.match(
    content[1]?.text ?? "",
    /^what is \[image a_cat\.png: \/.*\/cache\/attached\/[^/]+\/[0-9a-f]{16}-a_cat\.png\] \?$/,
  );
  const [said] = await owner.messages(session_id);
  const [picture] = said?.pictures ?? [];
  assert.deepEqual(readFileSync(picture?.path ?? ""), png());
  await owner.chat.leave(session_id, "closed");
  await owner.chat.delete(session_id);
  assert.equal(existsSync(picture?.path ?? ""), false, "it goes with its conversation");
});

test("turn.submit takes paths of pictures, and a text that mentions one; what is no file stays a word", async (t) => {
  const world = await setup(t);
  const session = await world.owner.open();
  await world.call("turn.submit", { session_id: session.id, text: "", attachments: ["a cat.png"] });
  await world.owner.chat.submit({ session: session.id, text: "and?" });
  const [first] = await world.owner.messages(session.id);
  assert.deepEqual(
    first?.pictures?.map(({ name }) => name),
    ["a_cat.png"],
  );
  const { session_id } = await world.owner.ask(
    await world.owner.chat.withPictures({
      text: 'see @image:"a cat.png" and @image:nothing.png',
      cwd: world.owner.work,
    }),
  );
  const [said] = await world.owner.messages(session_id);
  assert.match(said?.content ?? "", /^see \[image a_cat\.png: \S+\] and @image:nothing\.png$/);
});

test("agent chat --image sends a picture along, from the directory of the caller", async (t) => {
  const world = await setup(t);
  const out: string[] = [];
  const io = {
    out: async (text: string) => void out.push(text),
    err: async (text: string) => void out.push(text),
    bytes: async () => undefined,
    stdin: async () => "",
    pipeExit: () => undefined,
    client: {},
    interrupted: new AbortController().signal,
    gone: new AbortController().signal,
  };
  const request = (argv: readonly string[]) => ({
    argv,
    cwd: world.owner.work,
    env: {},
    columns: 80,
    color: false,
    is_tty: false,
  });
  const run = runWith(world.owner.app, COMMANDS);
  const first = await run(request(["chat", "-q", "what is it?", "--image", "a cat.png"]) as never, io as never);
  assert.deepEqual(first, { exit: 0 }, out.join(""));
  assert.ok(Array.isArray(asked(world)), out.join(""));
  const { exit } = await run(request(["chat", "-q", "what is it?", "--image", "none.png"]) as never, io as never);
  assert.notEqual(exit, 0);
  assert.match(out.join(""), /no such file: .*none\.png/);
});

test("a picture that waits in the queue is sent with its message, and is never steered into a result of a tool", async (t) => {
  const world = await setup(t);
  const session = await world.owner.open();
  const { mention } = await kept(world, world.photo);
  await world.call("queue.add", { session_id: session.id, text: `later ${mention}` });
  const { items } = await world.owner.chat.queue(session.id);
  const [item] = items;
  if (item !== undefined)
    await assert.rejects(
      world.call("queue.steer", { session_id: session.id, item: item.id }),
      /needs its own turn|no running turn|is not there/,
    );
  await world.owner.chat.submit({ session: session.id, text: "last" });
  const said = (await world.owner.messages(session.id)).filter((one) => one.role === "user");
  assert.deepEqual(said[0]?.pictures?.length, 1);
  const { messages = [] } = world.owner.model.chats().at(-1)?.body ?? {};
  assert.ok(messages.some((one) => Array.isArray(one.content)));
});

/** A turn runs, and a message with a picture waits behind it. */
async function waitingWithPicture(t: TestContext, more: Partial<NewSession> = {}) {
  const world = await setup(t, { first: { hold: "go" } });
  const { owner } = world;
  const { id } = await owner.open(more);
  await world.call("turn.submit", { session_id: id, text: "first" });
  await owner.model.arrived(1);
  const { mention, path } = await kept(world, world.photo);
  const { queued } = await world.call<{ queued: { id: string } }>("turn.submit", {
    session_id: id,
    text: `later ${mention}`,
  });
  const sent = async () => {
    owner.model.release("go");
    await owner.chat.submit({ session: id, text: "last" });
    return (await owner.messages(id)).find(({ content }) => content?.startsWith("later"))?.pictures?.[0]?.path ?? "";
  };
  return { world, id, path, queued, sent };
}

/** Fifty newer pictures, as someone attaches them one after the other. */
async function fiftyMore(world: World): Promise<void> {
  const path = join(world.owner.work, "newer.png");
  for (let n = 0; n < 50; n++) {
    writeFileSync(path, png(8, 8, `newer ${n}`));
    await kept(world, path);
  }
}

for (const [kind, more] of [
  ["a session", {}],
  ["an ephemeral session", { ephemeral: true }],
] as const)
  test(`a picture of a message in the queue of ${kind} stays while fifty newer ones come, and is sent with its message`, async (t) => {
    const { world, sent } = await waitingWithPicture(t, more);
    await fiftyMore(world);
    assert.deepEqual(readFileSync(await sent()), png());
  });

test("a picture of a draft stays while fifty newer ones come", async (t) => {
  const world = await setup(t);
  const { mention, path } = await kept(world, world.photo);
  await world.call("draft.set", { cwd: world.owner.work, text: `half a thought on ${mention}` });
  await fiftyMore(world);
  assert.equal(existsSync(path), true);
  await world.call("draft.set", { cwd: world.owner.work, text: "" });
  await kept(world, world.photo.replace("a cat", "newer"));
  assert.equal(existsSync(path), false, "nothing names it any more");
});

test("a picture whose message left the queue unsent makes room again", async (t) => {
  const { world, id, path, queued, sent } = await waitingWithPicture(t);
  await world.call("queue.remove", { session_id: id, item: queued.id });
  await fiftyMore(world);
  assert.equal(existsSync(path), false);
  assert.equal(readdirSync(world.cached).length, 50);
  assert.equal(await sent(), "");
});

test("a message with too many pictures is refused before any of them is kept, and costs no picture that waits", async (t) => {
  const world = await setup(t);
  const { path } = await kept(world, world.photo);
  const names = Array.from({ length: 60 }, (_, n) => `many ${n}.png`);
  for (const [n, name] of names.entries()) writeFileSync(join(world.owner.work, name), png(8, 8, `one of many: ${n}`));
  const text = names.map((name) => `@image:"${name}"`).join(" ");
  const { work: cwd, chat } = world.owner;
  await assert.rejects(chat.withPictures({ text, cwd }), { code: "E_TOO_LARGE" });
  await assert.rejects(chat.withPictures({ text: "see", files: names, cwd }), { code: "E_TOO_LARGE" });
  assert.deepEqual(readdirSync(world.cached), [basename(path)]);
});

test("a model that sees no pictures is told where they lie", async (t) => {
  const world = await setup(t, { config: "" });
  const { mention } = await kept(world, world.photo);
  await world.owner.ask(`what is ${mention}`);
  assert.match(String(asked(world)), /^what is \[image a_cat\.png: \/.*\]$/);
});

test("where a model for pictures is named, one that sees none gets their description as well, made once", async (t) => {
  const world = await setup(t, { config: "auxiliary:\n  vision:\n    model: seer\n" });
  const { mention } = await kept(world, world.photo);
  const { session_id } = await world.owner.ask(`what is ${mention}`);
  await world.owner.chat.submit({ session: session_id, text: "sure?" });
  const told = /\]\n\[What the image a_cat\.png shows, as another model describes it: Short Title Here\]$/;
  const main = world.owner.model.chats().filter(({ body }) => (body?.tools ?? []).length > 0);
  assert.equal(main.length, 2);
  for (const { body } of main) assert.match(String(body?.messages?.find((one) => one.role === "user")?.content), told);
  const seers = world.owner.model.requests.filter(({ body }) => body?.model === "seer");
  assert.equal(seers.length, 1);
  assert.match(JSON.stringify(seers[0]?.body), /data:image\/png;base64/);
});

const REFUSED: readonly (readonly [string, Buffer | string, RegExp])[] = [
  ["too.png", png(8, 8, "x".repeat(4 << 20)), /image too\.png has 4\.0 MiB \(limit 3 MiB\)/],
  ["wide.png", png(9_000, 10), /image wide\.png has 9000 pixels on its longer side \(limit 8000 pixels/],
  ["text.png", "no picture", /text\.png/],
  ["empty.png", "", /unsupported image: empty\.png/],
];

test("what no model takes is refused with the limit, and nothing of it is kept", async (t) => {
  const world = await setup(t);
  for (const [name, bytes, why] of REFUSED) {
    writeFileSync(join(world.owner.work, name), bytes);
    await assert.rejects(kept(world, join(world.owner.work, name)), why);
  }
  await assert.rejects(kept(world, world.owner.work), /is a directory, not an image/);
  await assert.rejects(kept(world, join(world.owner.work, "nothing")), /no such file/);
  assert.equal(existsSync(world.cached), false);
});

test("a picture that is too large is scaled when it is attached, and no longer says where it was taken", async (t) => {
  const world = await setup(t);
  for (const [name, bytes, ending] of [
    ["large.png", await noisyPng({ width: 1_400, height: 1_000 }), ".jpg"],
    ["wide.png", await plainPng({ width: 9_000, height: 90 }), ".png"],
    ["turned.jpg", await turnedPhoto({ width: 60, height: 20 }), ".jpg"],
  ] as const) {
    writeFileSync(join(world.owner.work, name), bytes);
    const { path } = await kept(world, join(world.owner.work, name));
    const copy = readFileSync(path);
    const { notes } = await decodedFacts(copy);
    assert.ok(path.endsWith(ending) && copy.length <= 3 << 20 && (longestSide(copy) ?? 0) <= 7_900, path);
    assert.equal(notes, false);
  }
});

test("a mention takes no other file of the home into a message, and no picture of another conversation", async (t) => {
  const world = await setup(t);
  const { mention } = await kept(world, world.photo);
  const { session_id } = await world.owner.ask(`see ${mention}`);
  const [mine = ""] = (await world.owner.messages(session_id))[0]?.pictures?.map(({ path }) => path) ?? [];
  const other = await world.owner.ask(
    `see @image:${mine} @image:${world.owner.home.config} @image:${world.cached}/../../config.yaml`,
  );
  const [said] = await world.owner.messages(other.session_id);
  assert.equal(said?.pictures, undefined);
  assert.match(said?.content ?? "", /@image:.*config\.yaml/);
  assert.equal(readdirSync(world.cached).length, 2, "the copy that waits and the folder of the first conversation");
});

const SIDES: readonly (readonly [string, Buffer, number | undefined])[] = [
  ["PNG", png(300, 200), 300],
  ["GIF", Buffer.from("47494638396110002000", "hex"), 32],
  ["JPEG", Buffer.from("ffd8ffe000040000ffc0001108012c019003", "hex"), 400],
  [
    "WebP",
    Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8X\n\0\0\0\0\0\0\0", "latin1"), Buffer.from("c70000630000", "hex")]),
    200,
  ],
  ["text", Buffer.from("text"), undefined],
  ["a JPEG that is cut", Buffer.from("ffd8ffe0ff", "hex"), undefined],
];

for (const [what, bytes, side] of SIDES)
  test(`the size of a ${what} is read from its head`, () => assert.equal(longestSide(bytes), side));
