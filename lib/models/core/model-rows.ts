import { jsonOf } from "../../base/json/record.js";

/** Ids in a `/models` answer; an empty list when it is none. */
export function modelIds(text: string): readonly string[] {
  return modelRows(text).flatMap((row) => (typeof row["id"] === "string" && row["id"] !== "" ? [row["id"]] : []));
}

/** Rows of a `/models` answer. */
export function modelRows(text: string): readonly Readonly<Record<string, unknown>>[] {
  const value = jsonOf(text);
  const list = typeof value === "object" && value !== null && "data" in value ? value.data : value;
  return Array.isArray(list) ? list.filter((row) => typeof row === "object" && row !== null) : [];
}
