import * as z from "zod";

export type Json = Readonly<Record<string, unknown>>;

/**
 * Schemas of one document. A schema with an id (`meta({ id: "Task" })`) is there once under that id, and so is what refers to itself; others
 * refer to it.
 */
export interface Schemas {
  /** The schema of what is sent (`input`) or answered. `about` makes its names readable. */
  of(schema: z.ZodType, io: "input" | "output", about: string): Json;
  /** Those that others refer to. */
  readonly shared: Record<string, Json>;
}

/** Names that zod gives to what has no id. */
const NAMELESS = /^__schema\d+$/;

type Options = NonNullable<Parameters<typeof z.toJSONSchema>[1]>;

/** The bound that every integer has by itself does not say anything. */
function leaveOutSafeBounds(schema: { minimum?: number | undefined; maximum?: number | undefined }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

const INPUT: Options = {
  io: "input",
  unrepresentable: "any",
  override: ({ jsonSchema }) => leaveOutSafeBounds(jsonSchema),
};

/** Answers only ever gain members: a client that refuses those it does not know would break. */
const OUTPUT: Options = {
  io: "output",
  unrepresentable: "any",
  override: ({ jsonSchema }) => {
    leaveOutSafeBounds(jsonSchema);
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  },
};

/** @param place where `shared` is in the document */
export function createSchemas(shared: Record<string, Json> = {}, place = "#/components/schemas/"): Schemas {
  return {
    shared,
    of: (schema, io, about) => {
      const { $schema: _none, $defs, ...root } = z.toJSONSchema(schema, io === "output" ? OUTPUT : INPUT);
      const names = new Map<string, string>();
      const define = (given: string, body: unknown, from: string) => {
        const name = free(shared, given);
        names.set(from, name);
        shared[name] = {}; // taken, until its body is rewritten
        return () => {
          shared[name] = moved(body, names, place);
        };
      };
      const defs = Object.entries($defs ?? {}).flatMap(([name, body]) => {
        if (NAMELESS.test(name)) return [define(`${about}_${name}`, body, `#/$defs/${name}`)];
        const id = io === "output" ? name : `${name}Input`;
        names.set(`#/$defs/${name}`, id);
        return id in shared ? [] : [define(id, body, `#/$defs/${name}`)];
      });
      if (!JSON.stringify([root, $defs]).includes('"$ref":"#"')) {
        for (const finish of defs) finish();
        return moved(root, names, place);
      }
      const finishRoot = define(about, root, "#");
      for (const finish of [...defs, finishRoot]) finish();
      return { $ref: `${place}${names.get("#")}` };
    },
  };
}

function free(shared: Readonly<Record<string, Json>>, wanted: string): string {
  let name = wanted;
  for (let more = 2; name in shared; more++) name = `${wanted}_${more}`;
  return name;
}

/** The same with its references pointing to where their targets were moved. */
function moved(value: unknown, names: ReadonlyMap<string, string>, place: string): Json {
  return rewritten(value, names, place) as Json; // the form of an object is kept
}

function rewritten(value: unknown, names: ReadonlyMap<string, string>, place: string): unknown {
  if (Array.isArray(value)) return value.map((one) => rewritten(one, names, place));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const name = key === "$ref" && typeof inner === "string" ? names.get(inner) : undefined;
    return [key, name === undefined ? rewritten(inner, names, place) : `${place}${name}`];
  });
  return Object.fromEntries(entries);
}
