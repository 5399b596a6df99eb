import { formatInstant } from "../../words/time.js";
import type { FieldKind } from "./fields.js";

/** A value as it is read. */
export function FieldValue({ kind, value }: { kind: FieldKind; value: unknown }) {
  if (kind === "flag") return <>{value === true ? "yes" : "no"}</>;
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0))
    return <span class="soft">none</span>;
  if (kind === "time" && typeof value === "number") return <time>{formatInstant(value)}</time>;
  if (Array.isArray(value)) return <>{value.join(", ")}</>;
  return <>{typeof value === "object" ? JSON.stringify(value) : String(value)}</>;
}
