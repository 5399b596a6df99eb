import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { readThemes } from "./user-themes.js";

const FILES: Readonly<Record<string, readonly [text: string, error: RegExp | undefined]>> = {
  "calm.yaml": [
    'base: light\ntokens:\n  accent: "#0757b8"\n  selection: { fg: black, bg: bright_yellow }\n',
    undefined,
  ],
  "empty.yaml": ["", undefined],
  "colour.yaml": ["tokens:\n  accent: greenish\n", /^themes\/colour\.yaml: tokens\.accent: .*#rrggbb/],
  "token.yaml": ['tokens:\n  acent: "#000000"\n', /^themes\/token\.yaml: tokens.*acent/],
  "base.yaml": ["base: darkish\n", /^themes\/base\.yaml: base: .*dark/],
  "yaml.yaml": ["tokens: [\n", /^themes\/yaml\.yaml: /],
};

test("themes of the user are read, and a wrong one says what is wrong and where", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "agent-themes-"));
  t.after(() => rmSync(home, { recursive: true }));
  assert.deepEqual(await readThemes(home), []);
  mkdirSync(join(home, "themes"));
  for (const [name, [text]] of Object.entries(FILES)) writeFileSync(join(home, "themes", name), text);
  writeFileSync(join(home, "themes", "notes.txt"), "no theme");
  const themes = await readThemes(home);
  assert.deepEqual(
    themes.map(({ name }) => `${name}.yaml`),
    Object.keys(FILES).sort((a, b) => a.localeCompare(b)),
  );
  for (const theme of themes) {
    const wanted = FILES[`${theme.name}.yaml`]?.[1];
    if (wanted === undefined) assert.ok("file" in theme, theme.name);
    else assert.match("error" in theme ? theme.error : "", wanted);
  }
});
