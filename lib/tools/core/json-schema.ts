import { isRecord } from "../../base/json/record.js";
import type { ParamSchema } from "./schema.js";

/** References that lead from one to the next. */
const HOPS = 32;
/** Values and alternatives within one another that are looked at; deeper ones pass. */
const DEPTH = 100;
/** Schemas that one check visits; what it does not come to passes. A schema of others can branch without end. */
const VISITS = 20_000;
/** Accepted values that a refusal names. */
const NAMED = 12;

/** What is wrong with a value. */
export interface SchemaProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The schema that a reference within `root` means (`#`, `#/$defs/x`); one that leads nowhere, or elsewhere, allows everything. */
export function resolveSchema(schema: unknown, root: ParamSchema): ParamSchema {
  let now = schema;
  for (let hop = 0; hop < HOPS; hop += 1) {
    if (!isRecord(now)) return {};
    const reference = now["$ref"];
    if (typeof reference !== "string") return now as ParamSchema; // its members are looked at before they are used
    now = referred(reference, root);
  }
  return {};
}

function referred(reference: string, root: unknown): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let now = root;
  for (const part of reference.slice(2).split("/")) {
    const name = unescaped(part);
    if (typeof now !== "object" || now === null || !Object.hasOwn(now, name)) return undefined;
    now = Reflect.get(now, name);
  }
  return now;
}

function unescaped(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return part; // not encoded: the name as it is
  }
}

/** The first thing that keeps a value from the schema: a type, a required member, an enumeration. Other keywords are left to who brought the schema. */
export function schemaProblem(value: unknown, root: ParamSchema): SchemaProblem | undefined {
  return new Check(root).look(value, root, []);
}

class Check {
  readonly #root: ParamSchema;
  #visits = 0;
  #depth = 0;

  constructor(root: ParamSchema) {
    this.#root = root;
  }

  look(value: unknown, given: unknown, path: SchemaProblem["path"]): SchemaProblem | undefined {
    this.#visits += 1;
    if (this.#visits > VISITS || this.#depth > DEPTH) return undefined;
    this.#depth += 1;
    try {
      return this.#problem(value, resolveSchema(given, this.#root), path);
    } finally {
      this.#depth -= 1;
    }
  }

  #problem(value: unknown, schema: ParamSchema, path: SchemaProblem["path"]): SchemaProblem | undefined {
    return (
      this.#type(value, schema, path) ??
      this.#values(value, schema, path) ??
      this.#alternatives(value, schema, path) ??
      (Array.isArray(value) ? this.#items(value, schema, path) : undefined) ??
      (isRecord(value) ? this.#members(value, schema, path) : undefined)
    );
  }

  #type(value: unknown, schema: ParamSchema, path: SchemaProblem["path"]): SchemaProblem | undefined {
    const types = typeNames(schema).filter((type) => TYPES.has(type));
    if (types.length === 0 || types.some((type) => isType(value, type))) return undefined;
    return { path, message: `expected ${types.join(" or ")}` };
  }

  #values(value: unknown, schema: ParamSchema, path: SchemaProblem["path"]): SchemaProblem | undefined {
    const accepted = Array.isArray(schema.enum) ? schema.enum : Object.hasOwn(schema, "const") ? [schema.const] : [];
    if (accepted.length === 0 || accepted.some((one) => sameJson(one, value))) return undefined;
    const named = accepted.slice(0, NAMED).map((one) => JSON.stringify(one).slice(0, 80));
    return { path, message: `expected ${named.join(", ")}${accepted.length > NAMED ? ", ..." : ""}` };
  }

  #alternatives(value: unknown, schema: ParamSchema, path: SchemaProblem["path"]): SchemaProblem | undefined {
    for (const list of [schema.anyOf, schema.oneOf]) {
      if (!Array.isArray(list) || list.length === 0) continue;
      const problems = list.map((one) => this.look(value, one, path));
      if (problems.every((problem) => problem !== undefined))
        return problems.length === 1 ? problems[0] : best(problems, path);
    }
    for (const one of Array.isArray(schema.allOf) ? schema.allOf : []) {
      const problem = this.look(value, one, path);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #items(values: readonly unknown[], schema: ParamSchema, path: SchemaProblem["path"]): SchemaProblem | undefined {
    if (schema.items === undefined || Array.isArray(schema.items)) return undefined;
    for (const [at, value] of values.entries()) {
      const problem = this.look(value, schema.items, [...path, at]);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #members(
    value: Record<string, unknown>,
    schema: ParamSchema,
    path: SchemaProblem["path"],
  ): SchemaProblem | undefined {
    const required: unknown = schema.required;
    for (const name of Array.isArray(required) ? required : [])
      if (typeof name === "string" && !Object.hasOwn(value, name))
        return { path: [...path, name], message: "required" };
    const properties = isRecord(schema.properties) ? schema.properties : {};
    for (const [name, inner] of Object.entries(value)) {
      const expected = Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
      const problem = isRecord(expected) ? this.look(inner, expected, [...path, name]) : undefined;
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

/** Of several alternatives, the one that the value came furthest with. */
function best(problems: readonly (SchemaProblem | undefined)[], path: SchemaProblem["path"]): SchemaProblem {
  const found = problems.flatMap((problem) => (problem === undefined ? [] : [problem]));
  const deepest = found.toSorted((a, b) => b.path.length - a.path.length)[0];
  if (deepest !== undefined && deepest.path.length > path.length) return deepest;
  return { path, message: [...new Set(found.map(({ message }) => message))].slice(0, NAMED).join("; or ") };
}

const TYPES: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** The types that a schema names itself. */
export function typeNames(schema: ParamSchema): readonly string[] {
  const { type } = schema;
  if (typeof type === "string") return [type];
  return Array.isArray(type) ? type.filter((one) => typeof one === "string") : [];
}

/** The value is of this JSON type. */
export function isType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

const sameJson = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === "object" && a !== null && JSON.stringify(a) === JSON.stringify(b));
