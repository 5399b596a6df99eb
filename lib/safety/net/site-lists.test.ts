import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { namesOf, onList, sharedNames } from "./site-lists.js";

const LISTED: readonly (readonly [entry: string, host: string, on: boolean])[] = [
  ["example.com", "example.com", true],
  ["example.com", "www.example.com", true],
  ["example.com", "a.b.example.com", true],
  ["example.com", "notexample.com", false],
  ["example.com", "example.com.evil.net", false],
  ["*.example.com", "example.com", true],
  [".example.com", "www.example.com", true],
  ["Example.COM.", "example.com", true],
  ["https://example.com/path?q", "www.example.com", true],
  ["example.com:8080", "example.com", true],
  ["bücher.example", "xn--bcher-kva.example", true],
  ["203.0.113.9", "203.0.113.9", true],
  ["[2001:db8::1]:443", "2001:db8::1", true],
  ["2001:db8::1", "2001:db8::1", true],
  ["", "example.com", false],
  ["*", "example.com", false],
];

for (const [entry, host, on] of LISTED) {
  test(`${host} is ${on ? "" : "not "}on a list with ${JSON.stringify(entry)}`, () => {
    assert.equal(onList(host, namesOf([entry])) !== undefined, on);
  });
}

test("a shared file holds a name a line or is a hosts file, and is read again when it changed", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "lists-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, "blocked.txt");
  writeFileSync(
    path,
    "# ours\nads.example  # two kinds\r\n\n0.0.0.0 tracker.example www.tracker.example\n::1 six.example\n",
  );
  const names = sharedNames(path);
  assert.deepEqual(names, new Set(["ads.example", "tracker.example", "www.tracker.example", "six.example"]));
  assert.equal(sharedNames(path), names);
  writeFileSync(path, "other.example\n");
  assert.deepEqual(sharedNames(path), new Set(["other.example"]));
  assert.deepEqual(sharedNames(join(dir, "gone.txt")), { unreadable: "ENOENT" });
});
