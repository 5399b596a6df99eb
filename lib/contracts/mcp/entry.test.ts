import assert from "node:assert/strict";
import { test } from "node:test";
import { MCP_NAME, mcpEntrySchema, readMcpEntry } from "./entry.js";

test("an entry gets every default, and variables are expanded in every string of it", () => {
  const written = {
    command: "${BIN}/server",
    args: ["--port", 3000, "${MISSING}"],
    env: { TOKEN: "${TOKEN}", DEBUG: true },
  };
  const read = readMcpEntry("files", written, { BIN: "/opt", TOKEN: "abc" });
  assert.ok(read.ok);
  assert.equal(read.entry.command, "/opt/server");
  assert.deepEqual(read.entry.args, ["--port", "3000", "${MISSING}"]);
  assert.deepEqual(read.entry.env, { TOKEN: "abc", DEBUG: "true" });
  assert.deepEqual(read.unset, ["MISSING"]);
  assert.equal(read.entry.timeout, 120);
  assert.equal(read.entry.sampling.max_rpm, 10);
  assert.equal(read.entry.start, "lazy");
});

test("a wrong entry says what is wrong and where", () => {
  const errorOf = (written: unknown, name = "x") => {
    const read = readMcpEntry(name, written, {});
    return read.ok ? "" : read.error;
  };
  assert.match(errorOf({ args: [] }), /give command .* or url/);
  assert.match(errorOf({ url: "ftp://a" }), /^url: must begin with http/);
  assert.match(errorOf({ command: "a", tools: { include: "all" } }), /^tools\.include: /);
  assert.match(errorOf({ command: "a", timeouts: 3 }), /timeouts/);
  assert.match(errorOf("npx server"), /object/);
  assert.match(errorOf({ command: "a" }, "../up"), /^the name may have/);
});

test("what is written is read again as it was", () => {
  const entry = mcpEntrySchema.parse({ url: "https://tools.example/mcp", headers: { "x-key": "k" } });
  assert.deepEqual(mcpEntrySchema.parse(entry), entry);
  assert.ok(MCP_NAME.test("my-server.2"));
});
