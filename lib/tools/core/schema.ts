import * as z from "zod";
import type { AnyTool } from "./define.js";

/** The part of JSON Schema that tool parameters use. */
export interface ParamSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, ParamSchema>>;
  readonly required?: readonly string[];
  readonly items?: ParamSchema;
  readonly anyOf?: readonly ParamSchema[];
  readonly oneOf?: readonly ParamSchema[];
  readonly allOf?: readonly ParamSchema[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly additionalProperties?: boolean | ParamSchema;
}

const made = new WeakMap<AnyTool, ParamSchema>();

/** JSON Schema of the arguments that a model may write. */
export function paramSchema(tool: AnyTool): ParamSchema {
  if (tool.schema !== undefined) return tool.schema;
  const known = made.get(tool);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...schema } = z.toJSONSchema(tool.params, {
    io: "input",
    unrepresentable: "any",
  }) as Record<string, unknown>; // JSON Schema of an object is an object
  const slim = pruneSchema(schema) as ParamSchema; // the fields read here are those that JSON Schema defines so
  made.set(tool, slim);
  return slim;
}

/** Lengths that no model comes near tell it nothing. */
const LONG = 10_000;

/**
 * What is sent to a model: bounds that only repeat the safe integer range, lengths out of reach, that a text is not empty, that a flag is off unless it
 * is given, and closed-object marks are left out. Arguments are checked against the whole schema.
 */
export function pruneSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruneSchema);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => {
    if (key === "maximum" || key === "minimum")
      return inner !== Number.MAX_SAFE_INTEGER && inner !== Number.MIN_SAFE_INTEGER;
    if (key === "maxLength" && typeof inner === "number") return inner < LONG;
    if (key === "minLength") return inner !== 1;
    return !((key === "additionalProperties" || key === "default") && inner === false);
  });
  return Object.fromEntries(entries.map(([key, inner]) => [key, pruneSchema(inner)]));
}
