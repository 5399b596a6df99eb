import assert from "node:assert/strict";
import { test } from "node:test";
import { parseArguments } from "./coerce.js";
import { jsonTool } from "./json-tool.js";

const toolWith = (schema: Record<string, unknown>) =>
  jsonTool({
    name: "mcp_x_y",
    toolset: "mcp-x",
    description: "Does something.",
    schema,
    risk: "external",
    effects: () => ({ reads: [], writes: ["world"] }),
    limits: { ms: 1_000, chars: 1_000 },
    preview: () => "y",
    run: async () => ({ text: "" }),
  });

function read(schema: Record<string, unknown>, args: unknown) {
  const read = parseArguments(toolWith(schema), typeof args === "string" ? args : JSON.stringify(args));
  return read.ok ? read.params : (JSON.parse(read.text) as { error: string }).error;
}

test("arguments are coerced by the JSON Schema as those of other tools are", () => {
  const schema = {
    type: "object",
    properties: {
      count: { type: "integer" },
      on: { type: "boolean" },
      names: { type: "array", items: { type: "string" } },
      where: { type: "object", properties: { line: { type: "integer" } } },
      note: { type: "string" },
    },
    required: ["count"],
  };
  const given = { count: "5", on: "true", names: 7, where: '{"line":"3"}', note: null };
  assert.deepEqual(read(schema, given), { count: 5, on: true, names: ["7"], where: { line: 3 } });
});

test("what a schema does not know is left out and named, unless the schema is open", () => {
  const closed = { type: "object", properties: { a: { type: "string" } } };
  const parsed = parseArguments(toolWith(closed), '{"a":"x","b":1}');
  assert.deepEqual(parsed.ok ? [parsed.params, parsed.ignored] : parsed.text, [{ a: "x" }, ["b"]]);
  assert.deepEqual(read({ ...closed, additionalProperties: true }, { a: "x", b: 1 }), { a: "x", b: 1 });
  assert.deepEqual(read({ ...closed, additionalProperties: { type: "integer" } }, { b: "1" }), { b: 1 });
  assert.deepEqual(read({ ...closed, oneOf: [{ properties: { c: {} } }] }, { a: "x", c: 1 }), { a: "x", c: 1 });
});

test("required members, types, enumerations and constants are checked, and the message names the place", () => {
  const schema = {
    type: "object",
    properties: {
      level: { enum: ["low", "high"] },
      kind: { const: "task" },
      items: { type: "array", items: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } },
    },
    required: ["level"],
  };
  assert.equal(read(schema, {}), "Invalid argument 'level' of mcp_x_y: required; got nothing");
  assert.equal(
    read(schema, { level: "no" }),
    `Invalid argument 'level' of mcp_x_y: expected "low", "high"; got string`,
  );
  assert.equal(
    read(schema, { level: "low", kind: 1 }),
    `Invalid argument 'kind' of mcp_x_y: expected "task"; got number`,
  );
  assert.equal(
    read(schema, { level: "low", items: [{ n: 1 }, { n: "x" }] }),
    "Invalid argument 'items.1.n' of mcp_x_y: expected number; got string",
  );
  assert.equal(read(schema, "[1]"), "Invalid argument 'arguments' of mcp_x_y: expected an object; got array");
});

test("references within the schema are followed, for coercion and for checks, also where they lead in a circle", () => {
  const schema = {
    type: "object",
    properties: { tree: { $ref: "#/$defs/node" }, size: { anyOf: [{ $ref: "#/$defs/size" }, { type: "null" }] } },
    $defs: {
      node: {
        type: "object",
        properties: { n: { type: "integer" }, below: { type: "array", items: { $ref: "#/$defs/node" } } },
        required: ["n"],
      },
      size: { type: "integer" },
    },
  };
  const given = { tree: { n: "1", below: [{ n: "2", below: [{ n: 3 }] }] }, size: "4" };
  assert.deepEqual(read(schema, given), { tree: { n: 1, below: [{ n: 2, below: [{ n: 3 }] }] }, size: 4 });
  assert.match(String(read(schema, { tree: { n: 1, below: [{}] } })), /'tree.below.0.n' of mcp_x_y: required/);
  const circles = { type: "object", properties: { a: { $ref: "#/properties/a" }, b: { anyOf: [{ $ref: "#" }] } } };
  assert.deepEqual(read(circles, { a: 1 }), { a: 1 });
  const endless = {
    type: "object",
    properties: { c: { $ref: "#/$defs/c" } },
    $defs: { c: { anyOf: [{ $ref: "#/$defs/c" }] } },
  };
  assert.deepEqual(read(endless, { c: 1 }), { c: 1 });
  assert.deepEqual(read({ type: "object", properties: { a: { $ref: "http://other/x" } } }, { a: 1 }), { a: 1 });
});

test("properties named as members of every object are only properties", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"integer"},"constructor":{"type":"string"},"toString":{"type":"boolean"}},"required":["constructor"]}',
  );
  assert.match(String(read(schema, "{}")), /'constructor' of mcp_x_y: required/);
  const made = read(schema, '{"__proto__":"5","constructor":"c","toString":"yes"}');
  assert.deepEqual(JSON.stringify(made), '{"__proto__":5,"constructor":"c","toString":true}');
  assert.equal(Object.getPrototypeOf(made), Object.prototype);
});

test("a schema without sense accepts what it is given", () => {
  for (const schema of [{}, { type: "any" }, { type: "object", properties: 7, required: "x", enum: 3, anyOf: "y" }])
    assert.deepEqual(read(schema, { a: 1 }), { a: 1 });
  const odd = { type: "object", properties: { a: true, b: false, c: null, d: { type: 5, items: [{}] } } };
  assert.deepEqual(read(odd, { a: 1, b: 2, c: 3, d: [4] }), { a: 1, b: 2, c: 3, d: [4] });
});

test("neither deep arguments nor a schema that branches without end hold the program up", () => {
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const parsed = parseArguments(toolWith({ type: "object" }), deep);
  assert.match(parsed.ok ? "" : parsed.text, /^Error: Invalid JSON arguments. More than 200 levels of nesting/);
  const many = Array.from({ length: 100 }, () => ({ $ref: "#/$defs/a" }));
  const branching = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a" } },
    $defs: { a: { anyOf: many, type: "array", items: { $ref: "#/$defs/a" } } },
  };
  assert.equal(typeof read(branching, { a: [[[[["x"]]]]] }), "object");
  const large = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, n) => [`p${n}`, { type: "string", description: "x".repeat(30) }]),
  );
  assert.deepEqual(read({ type: "object", properties: large }, { p19999: 5 }), { p19999: "5" });
});
