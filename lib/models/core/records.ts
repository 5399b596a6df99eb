/** Member `name` of `record` when it is a text that is not empty. */
export function textOf(record: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = record[name];
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Member `name` of `record` when it is a number above zero. */
export function numberOf(record: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = record[name];
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}
