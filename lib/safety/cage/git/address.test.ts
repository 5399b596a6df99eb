import assert from "node:assert/strict";
import { test } from "node:test";
import { isOrdinaryAddress, readGitAddress } from "./address.js";

const ORDINARY: readonly (readonly [string, unknown])[] = [
  ["https://example.org/a/b.git", { kind: "http", protocol: "https", host: "example.org", path: "a/b.git" }],
  ["http://me@127.0.0.1:8080/a", { kind: "http", protocol: "http", host: "127.0.0.1:8080", path: "a", user: "me" }],
  ["git@example.org:a/b.git", { kind: "ssh", host: "example.org", user: "git" }],
  ["work:a/b", { kind: "ssh", host: "work" }],
  ["ssh://git@example.org:2222/a", { kind: "ssh", host: "example.org", user: "git", port: 2222 }],
  ["git://example.org/a", { kind: "git" }],
  ["../bare.git", { kind: "file", path: "/p/bare.git" }],
  ["/srv/x.git", { kind: "file", path: "/srv/x.git" }],
  ["file:///srv/x.git", { kind: "file", path: "/srv/x.git" }],
];
for (const [text, address] of ORDINARY) {
  test(`an ordinary address is read: ${text}`, () => assert.deepEqual(readGitAddress(text, "/p/project"), address));
}

const OTHERS = [
  "",
  "ext::sh -c id",
  "fd::7",
  "-oProxyCommand=id",
  "--upload-pack=id",
  "https://u:p@example.org/a",
  "https://example.org",
  "ssh://-oProxyCommand=id/x",
  "-x@h:p",
  "git@-oProxyCommand=id:x",
  "ftp://h/x",
  "foo::bar",
  "transport::https://h/x",
  "file://h/x",
  "https://exam ple.org/x",
  "a\tb:c",
  "ssh://h:99999999/x",
  "https://example.org\\@evil/x",
  "git@h$(id):x",
  "ssh://h`id`/x",
  "host:-x::y",
];
for (const text of OTHERS) {
  test(`an address that names a program or hides something is not ordinary: ${JSON.stringify(text)}`, () =>
    assert.equal(readGitAddress(text, "/p/project"), undefined));
}

test("the program sets an address of another machine or of a repository in the project, and no other", () => {
  assert.ok(isOrdinaryAddress("https://example.org/a", "/p", "/p"));
  assert.ok(isOrdinaryAddress("./bare", "/p", "/p"));
  assert.ok(!isOrdinaryAddress("../bare", "/p", "/p"));
  assert.ok(!isOrdinaryAddress("/srv/bare", "/p", "/p"));
});
