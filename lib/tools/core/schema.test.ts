import assert from "node:assert/strict";
import { test } from "node:test";
import { pruneSchema } from "./schema.js";

test("a schema that a model gets says only what it can use", () => {
  const property = (rest: object) => ({ type: "string", ...rest });
  const whole = {
    properties: {
      text: property({ minLength: 1, maxLength: 100_000, description: "Text." }),
      short: property({ minLength: 2, maxLength: 200 }),
      flag: { type: "boolean", default: false },
      on: { type: "boolean", default: true },
      count: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
      default: property({ default: "a" }),
    },
    additionalProperties: false,
  };
  assert.deepEqual(pruneSchema(whole), {
    properties: {
      text: property({ description: "Text." }),
      short: property({ minLength: 2, maxLength: 200 }),
      flag: { type: "boolean" },
      on: { type: "boolean", default: true },
      count: { type: "integer", minimum: 0, default: 0 },
      default: property({ default: "a" }),
    },
  });
});
