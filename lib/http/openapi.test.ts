import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { createSchemas } from "./json-schema.js";

test("a schema that refers to itself is described once, and its references lead to it", () => {
  const tree = z.object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });
  const schemas = createSchemas();
  const both = z.object({ left: tree, right: tree.optional() });
  for (const [schema, about] of [
    [tree, "tree"],
    [both, "both"],
    [tree, "tree"],
  ] as const) {
    const text = JSON.stringify([schemas.of(schema, "output", about), schemas.shared]);
    for (const [, name = ""] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g))
      assert.ok(name in schemas.shared, name);
    assert.doesNotMatch(text, /"\$ref":"(?!#\/components\/schemas\/)/);
  }
});
