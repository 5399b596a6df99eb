import * as z from "zod";
import { isRecord } from "../../base/json/record.js";
import type { AnyTool, ToolDefinition } from "./define.js";
import type { ToolEntry, ToolOrigin } from "./entry.js";
import { schemaProblem } from "./json-schema.js";
import type { ParamSchema } from "./schema.js";

/** A tool whose parameters are a JSON Schema, as servers and plugins bring it. Its name, description and schema are data of others. */
export interface JsonToolDefinition extends Omit<ToolDefinition<z.ZodType<JsonArguments>>, "params" | "schema"> {
  /** JSON Schema of an object. Unknown keywords are ignored; references within it are followed. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The arguments of such a tool, coerced and checked. */
export type JsonArguments = Readonly<Record<string, unknown>>;

/** Arguments are coerced by the schema like those of any other tool, then checked: required members, types, enumerations. */
export function jsonTool({ schema, ...definition }: JsonToolDefinition): AnyTool {
  const root = schema as ParamSchema; // whatever it holds: every member is looked at before it is used
  const params = z.unknown().check((given) => {
    const problem = isRecord(given.value)
      ? schemaProblem(given.value, root)
      : { path: [], message: "expected an object" };
    if (problem === undefined) return;
    given.issues.push({ code: "custom", path: [...problem.path], message: problem.message, input: given.value });
  });
  return { ...definition, params, schema: root } as unknown as AnyTool; // `params` lets objects pass alone, which is what the functions of the definition take
}

/** The entry of a tool that exists already. Such tools stand behind `tool_search` when there are many. */
export function entryOf(tool: AnyTool, origin: ToolOrigin, more: { readonly overrides?: true } = {}): ToolEntry {
  const { name, toolset, description, risk, schema = {}, core = false, available, adapt } = tool;
  return {
    ...more,
    name,
    toolset,
    description,
    risk,
    schema,
    core,
    origin,
    ...(available === undefined && adapt === undefined ? {} : { conditional: true }),
    load: async () => tool,
  };
}
