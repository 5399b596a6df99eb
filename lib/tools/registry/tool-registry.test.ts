import assert from "node:assert/strict";
import { test } from "node:test";
import type { ToolEntry } from "../core/entry.js";
import { entryOf, jsonTool } from "../core/json-tool.js";
import { createToolRegistry } from "./tool-registry.js";

function entry(name: string, more: Partial<ToolEntry> = {}): ToolEntry {
  const tool = jsonTool({
    name,
    toolset: "mcp-tracker",
    description: `Does ${name}.`,
    schema: { type: "object" },
    risk: "external",
    effects: () => ({ reads: [], writes: ["world"] }),
    limits: { ms: 1_000, chars: 1_000 },
    preview: () => name,
    run: async () => ({ text: name }),
  });
  return { ...entryOf(tool, { kind: "mcp", name: "tracker" }), ...more };
}

const { origin: _, ...BUILT_IN } = entry("read_file", { toolset: "file" });

test("tools of sources come after the built-in ones, as they are at the moment of asking", () => {
  let now: readonly ToolEntry[] = [];
  const registry = createToolRegistry([BUILT_IN], [{ entries: () => now }]);
  assert.deepEqual(names(registry.entries()), ["read_file"]);
  now = [entry("mcp_tracker_list"), entry("mcp_tracker_add")];
  assert.deepEqual(names(registry.entries()), ["read_file", "mcp_tracker_list", "mcp_tracker_add"]);
  assert.equal(registry.find("mcp_tracker_add")?.toolset, "mcp-tracker");
  now = [];
  assert.equal(registry.find("mcp_tracker_add"), undefined);
});

test("a tool whose name is taken is left out with one warning, however often the list is read", () => {
  const warnings: string[] = [];
  const twice = [entry("read_file"), entry("look"), entry("look", { origin: { kind: "plugin", name: "other" } })];
  const registry = createToolRegistry([BUILT_IN], [{ entries: () => twice }], (text) => warnings.push(text));
  for (const _round of [1, 2, 3]) assert.deepEqual(names(registry.entries()), ["read_file", "look"]);
  assert.deepEqual(warnings, [
    "tool read_file of MCP server tracker is left out: the name is taken by the program",
    "tool look of plugin other is left out: the name is taken by MCP server tracker",
  ]);
});

test("a tool that overrides takes the place of the built-in one", () => {
  const mine = entry("read_file", { overrides: true, origin: { kind: "plugin", name: "mine" } });
  const registry = createToolRegistry([BUILT_IN], [{ entries: () => [mine] }]);
  assert.deepEqual(registry.entries(), [mine]);
});

test("names that providers refuse and the toolset of tool_search are not taken from a source", () => {
  const warnings: string[] = [];
  const wrong = [entry("a b"), entry("x".repeat(65)), entry("mine", { toolset: "tool_search" })];
  const registry = createToolRegistry([BUILT_IN], [{ entries: () => wrong }], (text) => warnings.push(text));
  assert.deepEqual(names(registry.entries()), ["read_file"]);
  assert.equal(warnings.length, 3);
});

test("a source that fails keeps no other tool away", async () => {
  const warnings: string[] = [];
  const broken = {
    entries: (): never => {
      throw new Error("broken");
    },
    ready: async () => {
      throw new Error("slow");
    },
  };
  const registry = createToolRegistry([BUILT_IN], [broken, { entries: () => [entry("fine")] }], (text) =>
    warnings.push(text),
  );
  assert.deepEqual(names(registry.entries()), ["read_file", "fine"]);
  await registry.ready(new AbortController().signal);
  assert.deepEqual(warnings, [
    "failed to list tools at run time: Error: broken",
    "failed to prepare tools at run time: Error: slow",
  ]);
});

test("nothing is waited for without sources that prepare, and an interrupt ends the wait", async () => {
  assert.equal(createToolRegistry([BUILT_IN], [{ entries: () => [] }]).ready(new AbortController().signal), undefined);
  const never = { entries: () => [], ready: () => new Promise<void>(() => undefined) };
  const control = new AbortController();
  const waiting = createToolRegistry([BUILT_IN], [never]).ready(control.signal);
  control.abort();
  await waiting;
});

const names = (entries: readonly ToolEntry[]) => entries.map(({ name }) => name);
