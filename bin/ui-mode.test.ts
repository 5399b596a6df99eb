import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chooseUiMode } from "./ui-mode.js";

type Row = readonly [
  name: string,
  given: { readonly config?: string; readonly term?: string; readonly inline?: boolean; readonly tty?: boolean },
  front: string,
];

const CASES: readonly Row[] = [
  ["a terminal", {}, "screen"],
  ["--inline", { inline: true }, "lines"],
  ["display.interface: inline", { config: "display:\n  interface: inline\n" }, "lines"],
  ["display.interface: workspace", { config: "display:\n  interface: workspace\n" }, "screen"],
  ["the same word elsewhere", { config: "other:\n  interface: inline\n" }, "screen"],
  ["settings that are no YAML", { config: "display:\n  interface: [\n" }, "screen"],
  ["a terminal that moves no cursor", { term: "dumb" }, "plain"],
  ["a screen reader", { config: "display:\n  screen_reader: true\n" }, "plain"],
  ["--inline into a pipe", { inline: true, tty: false }, "plain"],
  ["a pipe alone", { tty: false }, "E_USAGE"],
];

for (const [name, { config, term = "xterm", inline = false, tty = true }, front] of CASES) {
  test(`${name}: ${front}`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "agent-front-"));
    t.after(() => rmSync(dir, { recursive: true }));
    const path = join(dir, "config.yaml");
    if (config !== undefined) writeFileSync(path, config);
    const found = chooseUiMode({
      home: { config: path },
      env: { TERM: term },
      globals: { inline },
      stdin: tty,
      stdout: tty,
    });
    assert.equal(await found.catch((error: { code: string }) => error.code), front);
  });
}
