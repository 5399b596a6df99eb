import { isRecord } from "../../base/json/record.js";

/** A JSON Schema as the strictest endpoints take it: no choice at the top, and a type that may be null is that type. */
export function plainSchema(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { oneOf: _one, allOf: _all, anyOf: _any, ...rest } = schema;
  const plain = withoutNull(rest);
  return isRecord(plain) && plain["type"] !== undefined ? plain : { type: "object", ...(isRecord(plain) ? plain : {}) };
}

function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (!isRecord(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withoutNull(part)]));
  const { type } = inner;
  if (Array.isArray(type) && type.includes("null")) {
    const types = type.filter((one) => one !== "null");
    return { ...inner, type: types.length === 1 ? types[0] : types };
  }
  for (const choice of ["anyOf", "oneOf"] as const) {
    const parts = inner[choice];
    const kept = Array.isArray(parts) ? parts.filter((part) => !(isRecord(part) && part["type"] === "null")) : [];
    if (!Array.isArray(parts) || kept.length === parts.length) continue;
    const { [choice]: _parts, ...rest } = inner;
    const [only] = kept;
    return kept.length === 1 && isRecord(only) ? { ...only, ...rest } : { ...rest, [choice]: kept };
  }
  return inner;
}
