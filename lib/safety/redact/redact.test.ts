import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createLineage, createRedactor, type Redactor } from "./redact.js";

const known = () => ["my-known-value-1", "my/other known"];
const fresh = (): Redactor => createRedactor({ known, enabled: true, lineage: createLineage() });

interface Item {
  readonly text: string;
  readonly expected: string;
  readonly type: string;
}

/** `text with <secret> # type: reason`. */
const ITEMS: readonly Item[] = readFileSync(join(process.cwd(), "fixtures/corpora/secrets.txt"), "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => {
    const at = line.lastIndexOf(" # ");
    const type = line.slice(at + 3).split(":")[0] ?? "";
    const marked = line.slice(0, at).replaceAll("␤", "\n");
    if (type === "none") return { text: marked, expected: marked, type };
    const match = /<([\s\S]*)>/.exec(marked);
    return {
      text: marked.replace(/<([\s\S]*)>/, "$1"),
      expected: marked.replace(match?.[0] ?? "", `«secret:${type}:1»`),
      type,
    };
  });

for (const { text, expected } of ITEMS) {
  test(`${JSON.stringify(text.slice(0, 60))} is redacted as expected`, () => {
    assert.equal(fresh().text(text), expected);
  });
}

for (const { text, expected } of ITEMS) {
  test(`${JSON.stringify(text.slice(0, 60))} is found wherever a stream is cut`, () => {
    for (let cut = 0; cut <= text.length; cut++) {
      const stream = fresh().stream();
      const pieces = [
        stream.push(text.slice(0, cut)),
        stream.pause(),
        stream.push(text.slice(cut)),
        stream.pause(),
        stream.end(),
      ];
      assert.equal(pieces.join(""), expected, `cut at ${cut}`);
    }
    const stream = fresh().stream();
    assert.equal([...text].map((char) => stream.push(char)).join("") + stream.end(), expected);
  });
}

for (const { text, expected, type } of ITEMS) {
  if (type === "private_key" || text.includes('"') || text.includes("\n") || text.includes("&")) continue;
  test(`${JSON.stringify(text.slice(0, 60))} is found inside a JSON text`, () => {
    const made = (inner: string) => JSON.stringify({ output: `first\n${inner}\nlast` });
    assert.equal(fresh().text(made(text)), made(expected));
  });
}

test("one value has one placeholder, another value another number", () => {
  const redactor = fresh();
  assert.equal(
    redactor.text("a sk-aaaaaaaaaaaaaaa1 b sk-bbbbbbbbbbbbbbb2"),
    "a «secret:api_key:1» b «secret:api_key:2»",
  );
  assert.equal(redactor.text("sk-bbbbbbbbbbbbbbb2"), "«secret:api_key:2»");
});

test("text is the same after a second pass", () => {
  const redactor = fresh();
  const once = redactor.text("TOKEN=abcdefgh12345678 and my-known-value-1");
  assert.equal(redactor.text(once), once);
});

test("text that looks like a placeholder of no one becomes one of type literal", () => {
  assert.equal(fresh().text("see «secret:api_key:7» there"), "see «secret:literal:1» there");
});

test("placeholders turn back into values, and unknown ones are named", () => {
  const lineage = createLineage();
  const redactor = createRedactor({ known, enabled: true, lineage });
  const mark = redactor.text("sk-aaaaaaaaaaaaaaa1");
  assert.deepEqual(lineage.resolve(`x ${mark}`), { text: "x sk-aaaaaaaaaaaaaaa1", used: true });
  assert.equal(lineage.resolve("«secret:api_key:9»").unknown, "«secret:api_key:9»");
});

test("a value keeps its number after a restart, new ones go on from there, and no text of any is stored", () => {
  const lineage = createLineage();
  createRedactor({ known, enabled: true, lineage }).text("sk-aaaaaaaaaaaaaaa1 sk-bbbbbbbbbbbbbbb2");
  const stored = lineage.unsaved();
  assert(stored && !JSON.stringify(stored).includes("aaaaaaaaaaaaaaa"));
  lineage.saved(stored);
  assert.equal(lineage.unsaved(), undefined, "nothing is new");
  const again = createLineage();
  again.restore(stored);
  const second = createRedactor({ known, enabled: true, lineage: again });
  assert.equal(second.text("sk-ccccccccccccccc3 sk-bbbbbbbbbbbbbbb2"), "«secret:api_key:3» «secret:api_key:2»");
  assert.ok(again.issued("«secret:api_key:1»"));
  assert.equal(again.resolve("«secret:api_key:1»").unknown, "«secret:api_key:1»", "its value was not met again yet");
});

test("logs show the type only, and phone numbers lose their middle", () => {
  const log = createRedactor({ known, enabled: true });
  assert.equal(log.text("key sk-aaaaaaaaaaaaaaa1 from +491701234567"), "key [secret:api_key] from +4917***4567");
});

test("names and fields say nothing in source files, shapes do", () => {
  const source = 'export const API_TOKEN="abcdefgh12345678"; // sk-aaaaaaaaaaaaaaa1';
  assert.equal(
    fresh().text(source, { code: true }),
    'export const API_TOKEN="abcdefgh12345678"; // «secret:api_key:1»',
  );
});

test("switched off, nothing is changed", () => {
  assert.equal(createRedactor({ known, enabled: false }).text("sk-aaaaaaaaaaaaaaa1"), "sk-aaaaaaaaaaaaaaa1");
});

const HOSTILE = [
  "a",
  "sk-",
  "-----BEGIN ",
  "-----BEGIN RSA PRIVATE KEY-----",
  "A_KEY=",
  "token:",
  "eyJaaaaaaaa.",
  "postgres://",
  "Bearer ",
  "1:",
  "=",
  "&a=b",
  "«secret:",
  "+1",
  " ",
  "\\",
  '"token": "',
];
for (const piece of HOSTILE) {
  test(`200 kB of ${JSON.stringify(piece)} take little time`, () => {
    const started = process.cpuUsage();
    fresh().text(piece.repeat(Math.ceil(200_000 / piece.length)));
    const stream = fresh().stream();
    for (let n = 0; n < 200; n++) stream.push(piece.repeat(Math.ceil(1_000 / piece.length)));
    stream.end();
    const { user, system } = process.cpuUsage(started); // what it costs, however long others keep the machine
    assert.ok(user + system < 2_000_000, `${user + system} us`);
  });
}
