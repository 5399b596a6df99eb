import type { ToolSchema } from "../proto/model.js";
import type { ToolEntry } from "../tools/entry.js";

/** Tools as a model is told of them. */
export const toolSchemas = (tools: readonly Pick<ToolEntry, "name" | "description" | "schema">[]): readonly ToolSchema[] =>
  tools.map(({ name, description, schema }) => ({ name, description, parameters: schema }));
