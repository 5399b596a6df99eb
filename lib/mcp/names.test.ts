import assert from "node:assert/strict";
import { test } from "node:test";
import { toolName } from "../contracts/mcp/tool-name.js";
import { toolNames } from "./names.js";

test("the name of an MCP tool has letters, digits and _, at most 64 of them, and is the same each time", () => {
  assert.equal(toolName("my-files", "read.file"), "mcp_my_files_read_file");
  const long = toolName("server", "x".repeat(80));
  assert.equal(long.length, 64);
  assert.match(long, /^mcp_server_x{44}_[0-9a-f]{8}$/);
  assert.notEqual(long, toolName("server", "x".repeat(81)));
});

test("of two tools that map to one name the second gets _2, the third _3", () => {
  assert.deepEqual(toolNames("s", ["a.b", "a-b", "a b", "c"]), ["mcp_s_a_b", "mcp_s_a_b_2", "mcp_s_a_b_3", "mcp_s_c"]);
  const [first, second] = toolNames("s", ["y".repeat(70), "y".repeat(70)]);
  assert.equal(second, `${first?.slice(0, 62)}_2`);
});
