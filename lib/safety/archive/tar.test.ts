import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pax, type RawMember, rawTar } from "../../../fixtures/worlds/tar.js";
import { readTar } from "./tar-read.js";
import { tarWriter } from "./tar-write.js";

const BOUNDS = { members: 100, bytes: 1 << 20 };

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, piece = 64 << 10, bounds = BOUNDS): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  await readTar(inPieces(bytes, piece), bounds, (name) => {
    const parts: Buffer[] = [];
    return {
      write: (part) => void parts.push(Buffer.from(part)),
      end: () => {
        found[name] = Buffer.concat(parts).toString("utf8");
      },
    };
  });
  return found;
}

async function written(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const parts: Buffer[] = [];
  const tar = tarWriter(async (bytes) => void parts.push(Buffer.from(bytes)), 1_700_000_000);
  for (const [name, text] of Object.entries(files))
    await tar.add(name, Buffer.byteLength(text), inPieces(Buffer.from(text), 100));
  await tar.end();
  return Buffer.concat(parts);
}

const NAMES = [
  "a",
  "a b",
  "dir/file.txt",
  "ä.txt",
  "日本語/ファイル.txt",
  `${"x".repeat(100)}`,
  `${"x".repeat(101)}`,
  `d/${"y".repeat(250)}`,
  `${"deep/".repeat(60)}end`,
  "quote\"'.txt",
  "star*.txt",
  "-rf",
];

for (const name of NAMES) {
  test(`a file called ${name.slice(0, 30)} comes out as it went in, read in pieces of any size`, async () => {
    const archive = await written({ [name]: "content", other: "x".repeat(1000) });
    for (const piece of [1, 7, 512, 100_000])
      assert.deepEqual(await read(archive, piece), { [name]: "content", other: "x".repeat(1000) });
  });
}

test("sizes around a block come out as they went in", async () => {
  const files = Object.fromEntries([0, 1, 511, 512, 513, 1024].map((size) => [`f${size}`, "z".repeat(size)]));
  assert.deepEqual(await read(await written(files)), files);
});

test("the tar of the system reads what is written, and what it writes is read", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "tar-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const name = `d/${"n".repeat(150)}.txt`;
  writeFileSync(join(dir, "a.tar"), await written({ [name]: "content" }));
  const listed = spawnSync("tar", ["-tf", join(dir, "a.tar")], { encoding: "utf8" });
  assert.deepEqual([listed.status, listed.stdout.trim()], [0, name]);
  mkdirSync(join(dir, "d"));
  writeFileSync(join(dir, name), "again");
  for (const format of ["gnu", "posix", "ustar"]) {
    const made = spawnSync("tar", ["-cf", join(dir, `${format}.tar`), `--format=${format}`, "-C", dir, "./d"]);
    if (made.status !== 0) continue; // this one cannot hold the name
    const { readFileSync } = await import("node:fs");
    assert.deepEqual(await read(readFileSync(join(dir, `${format}.tar`))), { [name]: "again" }, format);
  }
});

const REFUSED: readonly { what: string; bytes: () => Buffer; says: RegExp }[] = [
  { what: "nothing at all", bytes: () => Buffer.alloc(0), says: /end is missing/ },
  { what: "one block of its end", bytes: () => rawTar([], Buffer.alloc(512)), says: /end is missing/ },
  {
    what: "something behind its end",
    bytes: () => rawTar([], Buffer.concat([Buffer.alloc(1024), Buffer.from("x")])),
    says: /behind its end/,
  },
  {
    what: "a second archive behind its end",
    bytes: () => Buffer.concat([rawTar([]), rawTar([{ name: "x" }])]),
    says: /behind its end/,
  },
  { what: "a half block", bytes: () => rawTar([{ name: "a", body: "x" }]).subarray(0, 700), says: /cut|missing/ },
  {
    what: "too many members",
    bytes: () => rawTar(Array.from({ length: 101 }, (_, n): RawMember => ({ name: `f${n}` }))),
    says: /more than 100 members/,
  },
  {
    what: "more bytes than are allowed",
    bytes: () => rawTar([{ name: "a", body: Buffer.alloc(2 << 20) }]),
    says: /unpacks to more/,
  },
];

for (const { what, bytes, says } of REFUSED)
  test(`an archive with ${what} is refused`, () => assert.rejects(read(bytes()), says));

test("a name in a record is the name of the next member only", async () => {
  const found = await read(
    rawTar([pax({ path: "long/name" }), { name: "short", body: "1" }, { name: "other", body: "2" }]),
  );
  assert.deepEqual(found, { "long/name": "1", other: "2" });
});

test("directories and a leading dot are passed over", async () => {
  const found = await read(
    rawTar([
      { name: "./", type: "5" },
      { name: "./d/", type: "5" },
      { name: "./d/f", body: "1" },
    ]),
  );
  assert.deepEqual(found, { "d/f": "1" });
});
