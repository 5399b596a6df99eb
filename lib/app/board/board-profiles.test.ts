import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { createProfiles } from "./board-profiles.js";

const FOUND: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ["no settings at all", {}, true],
  ["settings about other things", { "config.yaml": "agent:\n  model: x\n" }, true],
  ["a model", { "config.yaml": "# mine\nmodel:\n  default: big\n" }, false],
  ["a model as a plain text", { "config.yaml": "model: big\n" }, false],
  ["providers of its own", { "config.yaml": "providers:\n  acme: {}\n" }, false],
  ["a key of a provider", { ".env": "ACME_API_KEY=k\n" }, false],
];
for (const [what, files, lacks] of FOUND) {
  test(`a profile with ${what} ${lacks ? "lacks a model" : "has its own model"}`, (t) => {
    const root = mkdtempSync(join(tmpdir(), "profiles-"));
    t.after(() => rmSync(root, { recursive: true, force: true }));
    const dir = join(root, "profiles", "coder");
    mkdirSync(dir, { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
    const profiles = createProfiles(layOutHome(root), () => []);
    assert.equal(profiles.lacksModel?.("coder"), false, "where default has none either, nothing is reported");
    writeFileSync(join(root, "config.yaml"), "model:\n  default: big\n");
    assert.equal(profiles.lacksModel?.("coder"), lacks);
    assert.equal(profiles.lacksModel?.("default"), false);
    assert.equal(profiles.lacksModel?.("nosuch"), false);
  });
}
