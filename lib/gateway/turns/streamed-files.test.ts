import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";

/** A chat whose answers are shown while they are written, with a picture that may leave. */
async function streamed(t: TestContext, textOf: (picture: string) => string) {
  const shown = new Map<string, string>();
  const frames: string[] = [];
  let picture = "";
  const set = (id: string, text: string) => {
    shown.set(id, text);
    frames.push(text);
    return { result: "sent", messageId: null } as const;
  };
  const world = await chatGateway(t, {
    tag: "msgd",
    config: "streaming:\n  enabled: true\ndisplay:\n  platforms:\n    msgd:\n      tool_progress: off\n",
    script: () => ({ text: textOf(picture), chunk: 160, rate: 60_000 }),
    platform: { edit: async (_, id, text) => set(id, text) },
  });
  picture = join(world.owner.work, "a plot.png");
  writeFileSync(picture, "png");
  world.platform.fate = ({ id, payload }) => {
    if (payload.file === undefined) set(payload.messageId ?? `m-${id}`, payload.text);
    return "taken";
  };
  await world.say("1", "go");
  while (world.platform.ledger.every(({ file }) => file === undefined))
    await world.shown(world.platform.ledger.length + 1);
  const text = [...shown.values()].map((one) => one.replace(/\s\(\d+\/\d+\)$/, "")).join("\n");
  return { frames, text, files: world.platform.ledger.flatMap(({ file }) => file?.name ?? []) };
}

const flat = (text: string) => text.replace(/\s+/g, "");
const PART = "sentence number n. ".repeat(130);

const FORMS = [
  { what: "a marker on a line of its own", marked: (path: string) => `\nMEDIA:${path}\n`, left: "" },
  { what: "a marker within a sentence", marked: (path: string) => `(MEDIA:${path}) so `, left: "()so" },
  { what: "a picture in Markdown", marked: (path: string) => `\n![the plot](${path})\n`, left: "" },
] as const;

for (const { what, marked, left } of FORMS) {
  test(`a streamed answer with ${what} before a cut shows all of its text once, nothing of the marker, and sends the file`, async (t) => {
    const { frames, text, files } = await streamed(t, (path) => `begin ${marked(path)}${PART}${PART}END`);
    assert.equal(flat(text), flat(`begin ${left}${PART}${PART}END`));
    for (const frame of frames) assert.ok(!/MEDIA|plot|!\[/.test(frame), frame.slice(0, 80));
    assert.deepEqual(files, ["a plot.png"]);
  });
}

test("a path that was read as a word of a streamed answer stays one, and its file is sent", async (t) => {
  const { text, files } = await streamed(t, (path) => {
    const plain = path.replace("a plot", "plot");
    writeFileSync(plain, "png");
    return `see ${plain} for it. ${PART}${PART}END`;
  });
  assert.match(text, /see \S+\/plot\.png for it\. sentence/);
  assert.equal(flat(text.replace(/^see \S+ /, "")), flat(`for it. ${PART}${PART}END`));
  assert.deepEqual(files, ["plot.png"]);
});
