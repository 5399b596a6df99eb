import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { simMessage, simPlatform } from "../../../fixtures/sim/platform.js";
import { systemClock } from "../../base/time/clock.js";
import type { InboundMedia } from "../../contracts/board/platform-tag.js";
import { toReceipt } from "../adapter/send-outcome.js";
import { type InboundDeps, receiveMedia, sweepMedia } from "./receive-media.js";

const FILES: Readonly<Record<string, string | number>> = { hello: "hello from a file", huge: 70 << 20 };

const fetchMedia = async ({ ref }: InboundMedia) => {
  const found = FILES[String(ref)];
  if (found === undefined) throw new Error("it is gone");
  return (async function* () {
    if (typeof found === "string") yield Buffer.from(found);
    else for (let sent = 0; sent < found; sent += 16 << 20) yield Buffer.alloc(16 << 20);
  })();
};

function deps(t: TestContext): InboundDeps {
  const cache = mkdtempSync(join(tmpdir(), "agent-in-"));
  t.after(() => rmSync(cache, { recursive: true, force: true }));
  const platform = { ...simPlatform("msgt", () => 0, toReceipt).port, fetchMedia };
  return { cache, mark: "in_", clock: systemClock, ids: countingIds(1), platform: async () => platform };
}

const file = (name: string, more: Partial<InboundMedia> = {}): InboundMedia => ({
  kind: "document",
  mime: null,
  name,
  size: null,
  ref: "hello",
  ...more,
});

const CASES: readonly (readonly [string, readonly InboundMedia[], RegExp])[] = [
  ["a text file stands before the words", [file("notes.md")], /^\[Content of notes\.md\]:\nhello from a file$/],
  [
    "a document is named with its place",
    [file("a.pdf")],
    /^\[The user sent the file a\.pdf: \/.*\/documents\/in_[0-9a-f]+\.pdf\]$/,
  ],
  [
    "an image is named with its place",
    [file("x.png", { kind: "image" })],
    /^\[The user sent an image x\.png: \/.*\/images\/in_[0-9a-f]+\.png\]$/,
  ],
  [
    "an image without a name is called an image once",
    [file("x", { kind: "image", name: null, mime: "image/jpeg" })],
    /^\[The user sent an image: \/.*\/images\/in_[0-9a-f]+\.jpg\]$/,
  ],
  [
    "a recording without a name is called a recording once",
    [file("x", { kind: "voice", name: null, mime: "audio/ogg" })],
    /^\[The user sent a recording: \/.*; nothing is set up that could transcribe it\]$/,
  ],
  [
    "a recording that nothing transcribes is named",
    [file("v.ogg", { kind: "voice" })],
    /recording v\.ogg: .*nothing is set up that could transcribe it\]$/,
  ],
  [
    "a file of a type that is not taken",
    [file("a.exe")],
    /^\[file a\.exe skipped: files of type exe are not accepted\]$/,
  ],
  ["a file that is gone", [file("a.pdf", { ref: "gone" })], /^\[file a\.pdf skipped: it is gone\]$/],
  [
    "a file that is announced too large",
    [file("a.pdf", { size: 1e9 })],
    /^\[file a\.pdf skipped: it has 1000000000 bytes/,
  ],
  [
    "a file that becomes too large",
    [file("a.pdf", { ref: "huge" })],
    /^\[file a\.pdf skipped: it exceeds 67108864 bytes\]/,
  ],
  [
    "a name with a path and brackets is one word",
    [file("../../[x]\n.pdf")],
    /the file _x__\.pdf: \/.*\/documents\/in_[0-9a-f]+\.pdf\]/,
  ],
];

for (const [what, media, expected] of CASES) {
  test(`inbound: ${what}`, async (t) => {
    const { lines } = await receiveMedia(
      deps(t),
      { ...simMessage("msgt", "1", "look"), media },
      new AbortController().signal,
    );
    assert.match(lines.join("\n"), expected);
  });
}

test("what is larger than allowed leaves nothing behind", async (t) => {
  const made = deps(t);
  await receiveMedia(
    made,
    { ...simMessage("msgt", "1", ""), media: [file("a.pdf", { ref: "huge" })] },
    new AbortController().signal,
  );
  assert.deepEqual(readdirSync(join(made.cache, "documents")), []);
});

test("a recording is given to the model as words where it can be transcribed", async (t) => {
  const made = { ...deps(t), transcribe: async () => "good morning" };
  const { lines, heard } = await receiveMedia(
    made,
    { ...simMessage("msgt", "1", ""), media: [file("v.ogg", { kind: "voice" })] },
    new AbortController().signal,
  );
  assert.deepEqual([lines, heard], [['[The user said in a recording]: "good morning"'], ["good morning"]]);
});

test("what came in is removed after a day; what tools made stays", async (t) => {
  const { cache } = deps(t);
  mkdirSync(join(cache, "images"), { recursive: true });
  const old = new Date(systemClock.now() - 25 * 3_600_000);
  for (const name of ["in_a.png", "made.png", "in_new.png"]) {
    writeFileSync(join(cache, "images", name), "x");
    if (name !== "in_new.png") utimesSync(join(cache, "images", name), old, old);
  }
  await sweepMedia({ cache, clock: systemClock });
  assert.deepEqual(readdirSync(join(cache, "images")), ["in_new.png", "made.png"]);
});

test("a recording that could not be transcribed is named with the reason", async (t) => {
  const transcribe = async () => {
    throw new Error("it is only noise");
  };
  const event = { ...simMessage("msgt", "1", ""), media: [file("v.ogg", { kind: "voice" })] };
  const { lines, heard } = await receiveMedia({ ...deps(t), transcribe }, event, new AbortController().signal);
  assert.match(lines.join(), /recording v\.ogg: .*; it could not be transcribed: it is only noise\]$/);
  assert.deepEqual(heard, []);
});
