import assert from "node:assert/strict";
import { test } from "node:test";
import { COMMANDS, PLATFORMS, PROVIDERS, TOOLS } from "./registries.js";

const BARE = [
  ["command", COMMANDS, { path: "a", run: () => 1 }, "summary, params"],
  ["tool", TOOLS, { name: "a", params: {} }, "toolset, run"],
  ["provider", PROVIDERS, { id: "a" }, "summary, create"],
  ["platform", PLATFORMS, undefined, "tag, summary, traits, credentials, create"],
] as const;

for (const [kind, registry, definition, missing] of BARE)
  test(`a ${kind} that lacks something is refused by its file and what is missing`, () => {
    assert.throws(() => registry.render([{ file: "x/y.ts", definition }]), {
      message: `x/y.ts: the default export is not a ${kind}: ${missing} missing`,
    });
  });
