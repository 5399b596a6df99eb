import assert from "node:assert/strict";
import { test } from "node:test";
import { codeKind, isScreen, isShort, isThin, wantsRoot } from "./thin-set.js";

const LINES: readonly { line: string; thin: boolean; short: boolean; root?: boolean }[] = [
  { line: "", thin: false, short: false },
  { line: "kanban list --json", thin: true, short: true, root: true },
  { line: "kanban list --board x -- --help", thin: true, short: true, root: true },
  { line: "kanban list --help", thin: false, short: true, root: true },
  { line: "kanban tail t_1", thin: false, short: false, root: true },
  { line: "kanban watch", thin: false, short: false, root: true },
  { line: "status -p work", thin: false, short: true },
  { line: "status --profile=work", thin: false, short: true },
  { line: "--board x kanban list", thin: false, short: false },
  { line: "-z hi", thin: true, short: true },
  { line: "-z -", thin: false, short: true },
  { line: "-z hi --stdin", thin: false, short: true },
  { line: "-m m1 -z hi", thin: true, short: true },
  { line: "chat", thin: false, short: false },
  { line: "chat -q hi", thin: false, short: true },
  { line: "--headless", thin: false, short: false },
  { line: "--inline", thin: false, short: false },
  { line: "gateway run", thin: false, short: false },
  { line: "auth", thin: false, short: true }, // a menu at a terminal
  { line: "auth list router", thin: true, short: true },
  { line: "auth add router", thin: false, short: true },
  { line: "nonsense", thin: false, short: true },
];
for (const { line, thin, short, root = false } of LINES) {
  test(`"agent ${line}" ${thin ? "goes" : "does not go"} to the owner unread, and ${short ? "ends soon" : "may stay"}`, () => {
    const argv = line === "" ? [] : line.split(" ");
    assert.equal(isThin(argv), thin);
    assert.equal(isShort(argv), short);
    assert.equal(wantsRoot(argv), root);
  });
}

const SCREENS: readonly (readonly [line: string, screen: boolean])[] = [
  ["", true],
  ["--resume abc", true],
  ["chat", true],
  ["--inline", false],
  ["--headless", false],
  ["gateway", false],
  ["kanban list", false],
];
for (const [line, screen] of SCREENS) {
  test(`"agent ${line}" ${screen ? "opens" : "does not open"} the screen`, () => {
    assert.equal(isScreen(line === "" ? [] : line.split(" ")), screen);
  });
}

const KINDS: readonly (readonly [line: string, kind: string])[] = [
  ["kanban list --json", "look"],
  ["kanban ls", "look"],
  ["kanban show t_1", "board"],
  ["kanban", "board"],
  ["kanban boards import x", "boards"],
  ["kanban list --help", "short"],
  ["-z hi", "turn"],
  ["-m m1 -z hi", "turn"],
  ["chat -q hi", "turn"],
  ["sessions list", "short"],
  ["", "screen"],
];
for (const [line, kind] of KINDS) {
  test(`compiled code of "agent ${line}" is kept with that of kind ${kind}`, () => {
    assert.equal(codeKind(line === "" ? [] : line.split(" ")), kind);
  });
}
