import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { type Log, silentLog } from "../../base/log/log.js";
import { systemClock } from "../../base/time/clock.js";
import type { Fetched } from "./fetch-picture.js";
import { markersIn, withoutMarkers } from "./file-markers.js";
import { createOutbound, type Outbound } from "./outbound-media.js";

const MARKERS: readonly (readonly [string, readonly string[], string])[] = [
  ["Here: MEDIA:/tmp/a.png", ["/tmp/a.png"], "Here:"],
  ["one\nMEDIA:/tmp/a.png\ntwo", ["/tmp/a.png"], "one\ntwo"],
  ["MEDIA:~/a b.pdf done", ["~/a b.pdf"], "done"],
  ["MEDIA:/tmp/a.png MEDIA:/tmp/b.ogg", ["/tmp/a.png", "/tmp/b.ogg"], ""],
  ["MEDIA:/tmp/a.png.", ["/tmp/a.png"], "."],
  ["(MEDIA:/tmp/a.png)", ["/tmp/a.png"], "()"],
  ["MEDIA: /tmp/a.png", ["/tmp/a.png"], ""],
  ["MEDIA:/tmp/noextension end", ["/tmp/noextension"], "end"],
  ["MEDIA:/tmp/noextension MEDIA:/tmp/b.ogg", ["/tmp/noextension", "/tmp/b.ogg"], ""],
  ["It is in MEDIA:/tmp/noextension, see there.", ["/tmp/noextension"], "It is in, see there."],
  ["**MEDIA:/tmp/a.png**", ["/tmp/a.png"], "****"],
  ["MEDIA:relative/a.png", [], "MEDIA:relative/a.png"],
  ["MEDIA:https://x.test/a.png", [], "MEDIA:https://x.test/a.png"],
  ["say `MEDIA:/tmp/a.png` to send", [], "say `MEDIA:/tmp/a.png` to send"],
  ["```\nMEDIA:/tmp/a.png\n```", [], "```\nMEDIA:/tmp/a.png\n```"],
  ["```\nMEDIA:/tmp/a.png", [], "```\nMEDIA:/tmp/a.png"],
  ["> MEDIA:/tmp/a.png", [], "> MEDIA:/tmp/a.png"],
  ['{"x":"MEDIA:/tmp/a.png"}', [], '{"x":"MEDIA:/tmp/a.png"}'],
  ['"MEDIA:/tmp/a.png"', [], '"MEDIA:/tmp/a.png"'],
  ["It is at /tmp/a.png now", ["/tmp/a.png"], "It is at now"],
  ["see /tmp/notes.txt", [], "see /tmp/notes.txt"],
  ["http://x.test/tmp/a.png", [], "http://x.test/tmp/a.png"],
  ["![plot](/tmp/p.png)\nthere", ["/tmp/p.png"], "there"],
  ["![cat](https://x.test/cat.png?a=1)\nthere", ["https://x.test/cat.png?a=1"], "there"],
  ['Look ![cat](<https://x.test/a_(b).png> "a title") there', ["https://x.test/a_(b).png"], "Look there"],
  ["[![badge](https://x.test/b.svg)](https://x.test/ci) done", ["https://x.test/b.svg"], "https://x.test/ci done"],
  ['<img alt="x" src="https://x.test/cat.png" width=3/> there', ["https://x.test/cat.png"], "there"],
  ["<img src='/tmp/a.png'>", ["/tmp/a.png"], ""],
  ["<IMG SRC=https://x.test/cat.png>", ["https://x.test/cat.png"], ""],
  ['<img src="data:image/png;base64,xx">', [], '<img src="data:image/png;base64,xx">'],
  ["`![cat](https://x.test/cat.png)`", [], "`![cat](https://x.test/cat.png)`"],
  ['```html\n<img src="https://x.test/cat.png">\n```', [], '```html\n<img src="https://x.test/cat.png">\n```'],
  ["[cat](https://x.test/cat.png)", [], "[cat](https://x.test/cat.png)"],
  ["see https://x.test/cat.png", [], "see https://x.test/cat.png"],
  ["![cat](file:///etc/passwd)", [], "![cat](file:///etc/passwd)"],
  ["[[as_document]]\nMEDIA:/tmp/a.png", ["/tmp/a.png"], ""],
  ["`[[as_document]]`", [], "`[[as_document]]`"],
];

for (const [text, paths, rest] of MARKERS) {
  test(`${JSON.stringify(text)} names ${paths.length} files`, () => {
    const { markers } = markersIn(text);
    assert.deepEqual(
      markers.map(({ path }) => path),
      paths,
    );
    assert.equal(withoutMarkers(text, markers), rest);
  });
}

interface World {
  readonly outbound: Outbound;
  readonly dir: string;
  readonly home: string;
  readonly logged: string[];
}

const PNG = Buffer.from("89504e470d0a1a0a", "hex");

function world(t: TestContext): World {
  const dir = mkdtempSync(join(tmpdir(), "agent-media-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = join(dir, ".agent");
  mkdirSync(home);
  const logged: string[] = [];
  const log: Log = { ...silentLog, warning: (message, data) => logged.push(`${message} ${data?.["path"]}`) };
  const scope = () => ({
    home: { dir: home, root: home, runDir: join(home, "run") },
    userHome: dir,
    env: {},
    strict: false,
    allowDirs: [],
    now: () => systemClock.now(),
  });
  const picture = async (url: string): Promise<Fetched> =>
    url.includes("cat") ? { bytes: PNG, name: "cat.png" } : { reason: "it is not an image" };
  return {
    outbound: createOutbound({ scope, folder: join(home, "cache", "outgoing"), ids: countingIds(1), log, picture }),
    dir,
    home,
    logged,
  };
}

test("GW-23: MEDIA with a file of the home makes no file, leaves the text without it, and one log line", async (t) => {
  const { outbound, home, logged } = world(t);
  writeFileSync(join(home, ".env"), "TOKEN=1");
  const named = await outbound.named(`Look\nMEDIA:${home}/.env\nbye`);
  assert.deepEqual([named.text, named.files, named.refused.length], ["Look\nbye", [], 1]);
  assert.deepEqual(logged, [`failed to send a file ${home}/.env`]);
});

test("GW-24: MEDIA with a link in the temporary directory to a store file makes no file", async (t) => {
  const { outbound, home, dir } = world(t);
  writeFileSync(join(home, "state.db"), "x");
  symlinkSync(join(home, "state.db"), join(dir, "plot.png"));
  const { files, refused } = await outbound.named(`MEDIA:${dir}/plot.png`);
  assert.deepEqual(
    [files.length, refused[0]?.reason],
    [0, "it belongs to the agent; only its output folders are sent from"],
  );
});

test("what is sent is what was there when the answer was given", async (t) => {
  const { outbound, dir } = world(t);
  const path = join(dir, "a b.png");
  writeFileSync(path, "first");
  const { text, files } = await outbound.named(`Here MEDIA:${path}`);
  writeFileSync(path, "second");
  const [file] = files;
  assert.deepEqual([text, file?.name, file?.kind, file?.mime], ["Here", "a b.png", "image", "image/png"]);
  assert.equal(readFileSync(file?.path ?? "", "utf8"), "first");
});

test("audio becomes a voice message and an image a document when the answer says so", async (t) => {
  const { outbound, dir } = world(t);
  for (const name of ["a.mp3", "b.png"]) writeFileSync(join(dir, name), "x");
  const voice = await outbound.named(`[[audio_as_voice]] MEDIA:${dir}/a.mp3`);
  assert.deepEqual([voice.text, voice.files[0]?.kind], ["", "voice"]);
  assert.equal((await outbound.named(`[[as_document]] MEDIA:${dir}/b.png`)).files[0]?.kind, "document");
});

test("a bare path that is not there stays a word of the text, and is no refusal", async (t) => {
  const { outbound, logged } = world(t);
  assert.deepEqual(await outbound.named("it was /tmp/gone/xyz.png"), {
    text: "it was /tmp/gone/xyz.png",
    files: [],
    refused: [],
  });
  assert.deepEqual(logged, []);
});

test("a picture that an answer names by its address is sent as a file behind the text", async (t) => {
  const { outbound } = world(t);
  const { text, files } = await outbound.named("Look\n![cat](https://x.test/cat.png)\nbye");
  assert.deepEqual([text, files[0]?.name, files[0]?.kind], ["Look\nbye", "cat.png", "image"]);
  assert.deepEqual(readFileSync(files[0]?.path ?? ""), PNG);
});

test("the address of a picture that cannot be had stays for the reader, behind what was seen before", async (t) => {
  const { outbound, logged } = world(t);
  const { text, files, refused } = await outbound.named("Look\n![dog](https://x.test/dog.png)\nbye");
  assert.deepEqual([text, files, refused], ["Look\nbye\n\nhttps://x.test/dog.png", [], []]);
  assert.deepEqual(logged, ["failed to send a file https://x.test/dog.png"]);
});

test("of very many pictures no more are fetched than one message has", async (t) => {
  const { outbound } = world(t);
  const { files, text } = await outbound.named(
    Array.from({ length: 25 }, (_, n) => `![cat](https://x.test/cat${n}.png)`).join("\n"),
  );
  assert.equal(files.length, 20);
  assert.equal(text.split("\n").length, 5);
});
