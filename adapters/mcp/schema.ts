type Node = Readonly<Record<string, unknown>>;

/** Deeper schemas are cut: such a tool is not written by hand, and a model reads nothing of it. */
const DEPTH = 64;

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value);

/** Keywords whose value is a map from names to schemas. */
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  "items",
  "prefixItems",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
  "contains",
]);

/** The schema of a tool as models can take it (extensions part, 2.2): always an object with properties. */
export function mendedSchema(schema: unknown): Node {
  const mended = mendedNode(isNode(schema) ? schema : {}, 0);
  const { type: _type, ...rest } = mended;
  return withProperties({ type: "object", ...rest });
}

function mendedNode(node: Node, depth: number): Node {
  if (depth > DEPTH) return {};
  const single = nonNullBranch(node);
  if (single !== undefined) return mendedNode(single, depth + 1);
  const renamed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    const name = key === "definitions" && !("$defs" in node) ? "$defs" : key;
    renamed[name] = mendedValue(name, value, depth);
  }
  const object = looksLikeObject(renamed);
  if (object && (renamed["type"] === undefined || renamed["type"] === null)) renamed["type"] = "object";
  return renamed["type"] === "object" ? withProperties(renamed) : renamed;
}

function mendedValue(key: string, value: unknown, depth: number): unknown {
  if (key === "$ref" && typeof value === "string") return value.replace(/^#\/definitions\//, "#/$defs/");
  if (key === "type" && Array.isArray(value)) return withoutNull(value);
  if (MAPS.has(key) && isNode(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, isNode(one) ? mendedNode(one, depth + 1) : one]),
    );
  if (SCHEMAS.has(key)) {
    if (Array.isArray(value)) return value.map((one: unknown) => (isNode(one) ? mendedNode(one, depth + 1) : one));
    if (isNode(value)) return mendedNode(value, depth + 1);
  }
  return value;
}

/** `["string", "null"]` is a string that may be left out. */
function withoutNull(types: readonly unknown[]): unknown {
  const kept = types.filter((type) => type !== "null");
  return kept.length === 1 ? kept[0] : kept;
}

/** The branch of a union of one schema and null, with what stands beside the union. */
function nonNullBranch(node: Node): Node | undefined {
  for (const key of ["anyOf", "oneOf"]) {
    const branches = node[key];
    if (!Array.isArray(branches)) continue;
    const kept = branches.filter((one: unknown) => !(isNode(one) && one["type"] === "null"));
    const [only] = kept;
    if (kept.length !== 1 || branches.length < 2 || !isNode(only)) continue;
    const { [key]: _union, default: given, ...beside } = node;
    return { ...only, ...beside, ...(given === undefined || given === null ? {} : { default: given }) };
  }
  return undefined;
}

const looksLikeObject = (node: Node): boolean =>
  isNode(node["properties"]) || (Array.isArray(node["required"]) && node["$ref"] === undefined);

function withProperties(node: Node): Node {
  const properties = isNode(node["properties"]) ? node["properties"] : {};
  const required = Array.isArray(node["required"])
    ? node["required"].filter((name: unknown) => typeof name === "string" && Object.hasOwn(properties, name))
    : undefined;
  const { required: _required, ...rest } = node;
  return { ...rest, properties, ...(required === undefined || required.length === 0 ? {} : { required }) };
}
