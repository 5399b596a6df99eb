import assert from "node:assert/strict";
import { test } from "node:test";
import { readGitCall } from "./calls.js";
import { readPlainLine } from "./line.js";

const read = (line: string) => {
  const call = readPlainLine(line)?.[0]?.calls[0];
  return call === undefined ? undefined : readGitCall(call, false, { project: "/p", cwd: "/p" });
};
const inPipe = (line: string) => {
  const call = readPlainLine(line)?.[0]?.calls[0];
  return call === undefined ? undefined : readGitCall(call, true, { project: "/p", cwd: "/p" });
};

const NETWORK: readonly (readonly [line: string, remote: string])[] = [
  ["git fetch", ""],
  ["git fetch --all --prune", "*"],
  ["git fetch origin main --depth=1", "origin"],
  ["git pull --ff-only origin main", "origin"],
  ["git push -f origin HEAD:main", "origin"],
  ["git push --force-with-lease=main:abc origin", "origin"],
  ["git clone --depth 1 https://example.org/x y", "https://example.org/x"],
  ["git ls-remote --heads origin", "origin"],
];
for (const [line, remote] of NETWORK) {
  test(`a call that speaks to a remote is found: ${line}`, () => {
    const call = read(line);
    assert.ok(call?.kind === "network" && call.change === undefined);
    assert.equal(call.remote, remote);
    assert.equal(`git ${call.words.join(" ")}`, line);
  });
}

const CHANGES: readonly (readonly [line: string, runs: string, change: unknown])[] = [
  ["git remote add o https://h/x", "", { what: "add-remote", remote: "o", url: "https://h/x" }],
  ["git remote set-url o git@h:x", "", { what: "set-url", remote: "o", url: "git@h:x" }],
  ["git remote rename a b", "", { what: "rename-remote", remote: "a", to: "b" }],
  ["git remote rm a", "", { what: "remove-remote", remote: "a" }],
  ["git push -u o main", "push o main", { what: "track", remote: "o", branch: "main", merge: "main" }],
  ["git push --set-upstream o a:b", "push o a:b", { what: "track", remote: "o", branch: "a", merge: "b" }],
  ["git push -fu o HEAD", "push -f o HEAD", { what: "track", remote: "o" }],
  [
    "git switch -c x origin/x",
    "switch -c x --no-track origin/x",
    { what: "track", remote: "origin", merge: "x", branch: "x" },
  ],
  [
    "git checkout -q -b y --track up/a/b",
    "checkout -q -b y --no-track up/a/b",
    { what: "track", remote: "up", merge: "a/b", branch: "y" },
  ],
  [
    "git checkout -t origin/z",
    "checkout -b z --no-track origin/z",
    { what: "track", remote: "origin", merge: "z", branch: "z" },
  ],
  [
    "git branch n origin/n",
    "branch --no-track n origin/n",
    { what: "track", remote: "origin", merge: "n", branch: "n" },
  ],
  ["git branch --set-upstream-to=origin/m", "", { what: "track", remote: "origin", merge: "m" }],
  ["git branch -u origin/m b", "", { what: "track", remote: "origin", merge: "m", branch: "b" }],
  ["git branch --unset-upstream", "", { what: "untrack" }],
  ["git branch -m a b", "branch -m a b", { what: "rename-branch", branch: "a", to: "b" }],
  ["git branch -q -M b", "branch -q -M b", { what: "rename-branch", to: "b" }],
  ["git branch -d a b/c", "branch -d a b/c", { what: "forget-branches", branches: ["a", "b/c"] }],
  ["git branch -d --force a", "branch -f -d a", { what: "forget-branches", branches: ["a"] }],
];
for (const [line, runs, change] of CHANGES) {
  test(`a change of ordinary settings is taken out of the call: ${line}`, () => {
    const call = read(line);
    assert.ok(call !== undefined && call.kind !== "plain" && call.kind !== "local");
    assert.deepEqual([call.words.join(" "), call.change], [runs, change]);
  });
}

const OTHERS = [
  "git fetch --upload-pack=id",
  "git fetch --upload-pac id",
  "git push --receive-pack=id o",
  "git push --exec id",
  "git fetch -c x=y",
  "git clone -c core.sshCommand=id https://h/x",
  "git clone --template=t https://h/x",
  "git clone --recurse-submodules https://h/x",
  "git clone -u id https://h/x",
  "git -c alias.fetch=!id fetch",
  "git -C sub fetch",
  "git --git-dir=x fetch",
  "git --exec-path=x fetch",
  "git pull --rebase",
  "git pull -r",
  "git pull --rebase=interactive",
  "git pull -s ours",
  "git pull --upload-pack x",
  "git pull -X ours",
  "git push -o x",
  "git push --recurse-submodules=on-demand",
  "git push --signed",
  "git fetch --recurse-submodules",
  "git submodule update",
  "git remote add --mirror=push o https://h/x",
  "git remote add -f o https://h/x",
  "git remote add -- o https://h/x",
  "git remote add o ext::id",
  "git remote add o /etc/x",
  "git remote add -o https://h/x",
  "git remote add 'a b' https://h/x",
  "git remote add a..b https://h/x",
  "git remote set-url --add o https://h/x",
  "git remote set-url --push o https://h/x",
  "git remote update",
  "git config user.name x",
  "git config remote.o.url https://h/x",
  "git config --global x.y z",
  "git init",
  "git push -u --all o",
  "git push -u o a b",
  "git branch -u origin/..x",
  "git branch -u origin/a.lock",
  "git commit -m x",
  "git rebase x",
  "git log --output=x",
  "git log --ext-diff",
  "git diff a b",
  "git log ../../x",
  "git log /etc/passwd",
  "git show x:y",
  "git grep x",
  "cat /etc/passwd",
  "env",
  "printenv X",
  "head -5 file",
  "cat",
  "cd -",
  "cd",
  "grep x y",
  "tail -f x",
  "make",
  "ssh h",
  "git",
  "/usr/bin/git fetch",
];
for (const line of OTHERS) {
  test(`a call that could do more gets no credentials: ${line}`, () =>
    assert.match(read(line)?.kind ?? "other", /^(other|local)$/));
}

for (const line of ["tail -5", "tail -n 5", "head -n5", "wc -l", "cat", "grep -v x", "grep -E 'a|b'", "grep -A3 x"]) {
  test(`a filter of a pipe may show what git prints: ${line}`, () => assert.equal(inPipe(line)?.kind, "plain"));
}
for (const line of [
  "cat secret",
  "grep -r x",
  "grep x y",
  "grep -f y",
  "grep --file=y",
  "wc --files0-from=x",
  "tail y",
  "head -c 5 y",
  "sort",
  "tee x",
  "cd x",
]) {
  test(`a filter that could read or write a file may not: ${line}`, () => assert.equal(inPipe(line), undefined));
}

test("a verb that is called like a member of every object speaks to no remote", () => {
  for (const verb of ["constructor", "__proto__", "toString"]) assert.equal(read(`git ${verb} x`), undefined);
});
