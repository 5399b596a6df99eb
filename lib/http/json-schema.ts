import * as z from "zod";

export type Json = Readonly<Record<string, unknown>>;

/** Schemas of one document. What refers to itself or is used twice stands once, under a name, and is referred to. */
export interface Schemas {
  /** The schema of what is sent (`input`) or answered. `about` makes its names readable. */
  of(schema: z.ZodType, io: "input" | "output", about: string): Json;
  /** Those that others refer to. */
  readonly shared: Record<string, Json>;
}

const PLACE = "#/components/schemas/";

export function createSchemas(shared: Record<string, Json> = {}): Schemas {
  return {
    shared,
    of: (schema, io, about) => {
      const { $schema: _none, $defs, ...root } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
      const names = new Map<string, string>();
      const define = (given: string, body: unknown, from: string) => {
        const name = free(shared, given);
        names.set(from, name);
        shared[name] = {}; // taken, until its body is rewritten
        return () => {
          shared[name] = moved(body, names);
        };
      };
      const defs = Object.entries($defs ?? {}).map(([name, body]) =>
        define(`${about}_${name.replace(/\W/g, "_")}`, body, `#/$defs/${name}`),
      );
      if (!JSON.stringify([root, $defs]).includes('"$ref":"#"')) {
        for (const finish of defs) finish();
        return moved(root, names);
      }
      const finishRoot = define(about, root, "#");
      for (const finish of [...defs, finishRoot]) finish();
      return { $ref: `${PLACE}${names.get("#")}` };
    },
  };
}

function free(shared: Readonly<Record<string, Json>>, wanted: string): string {
  let name = wanted;
  for (let more = 2; name in shared; more++) name = `${wanted}_${more}`;
  return name;
}

/** The same with its references pointing to where their targets were moved. */
function moved(value: unknown, names: ReadonlyMap<string, string>): Json {
  return rewritten(value, names) as Json; // the form of an object is kept
}

function rewritten(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => rewritten(one, names));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const name = key === "$ref" && typeof inner === "string" ? names.get(inner) : undefined;
    return [key, name === undefined ? rewritten(inner, names) : `${PLACE}${name}`];
  });
  return Object.fromEntries(entries);
}
