import assert from "node:assert/strict";
import { test } from "node:test";
import { mendedSchema } from "./schema.js";

test("a schema of an MCP tool is always an object with properties", () => {
  for (const given of [undefined, null, {}, { type: null }, { type: "string" }])
    assert.deepEqual(mendedSchema(given), { type: "object", properties: {} });
});

test("definitions become $defs, and references follow them", () => {
  const mended = mendedSchema({
    type: "object",
    properties: { a: { $ref: "#/definitions/A" }, b: { type: "array", items: { $ref: "#/definitions/A" } } },
    definitions: { A: { properties: { x: { type: "string" } } } },
  });
  assert.deepEqual(mended, {
    type: "object",
    properties: { a: { $ref: "#/$defs/A" }, b: { type: "array", items: { $ref: "#/$defs/A" } } },
    $defs: { A: { properties: { x: { type: "string" } }, type: "object" } },
  });
});

test("a union with null is its other branch, and required names only what is there", () => {
  const mended = mendedSchema({
    properties: {
      a: { anyOf: [{ type: "string" }, { type: "null" }], default: null, description: "one" },
      b: { type: ["integer", "null"] },
    },
    required: ["a", "gone"],
  });
  assert.deepEqual(mended, {
    type: "object",
    properties: { a: { type: "string", description: "one" }, b: { type: "integer" } },
    required: ["a"],
  });
});
