import type { ToolSchema } from "../../contracts/models/model.js";
import type { ToolEntry } from "../../tools/core/entry.js";

type Offered = readonly Pick<ToolEntry, "name" | "description" | "schema">[];

/** A turn asks with the same list in each of its requests. */
const made = new WeakMap<Offered, readonly ToolSchema[]>();

/** Tools as a model sees them. */
export function toolSchemas(tools: Offered): readonly ToolSchema[] {
  const known =
    made.get(tools) ?? tools.map(({ name, description, schema }) => ({ name, description, parameters: schema }));
  made.set(tools, known);
  return known;
}
