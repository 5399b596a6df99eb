import { isRecord } from "../../lib/base/json/record.js";
import { type SafeText, sanitizeLine } from "../draw/sanitize.js";
import type { Data } from "../model/data.js";

/** A record of an answer. */
export const isData = (value: unknown): value is Data => isRecord(value);

/** The rows of an answer that are records. */
export const dataRows = (value: unknown): readonly Data[] => (Array.isArray(value) ? value.filter(isData) : []);

/** A text that may be missing, on one line and cleaned. */
export const lineOrNull = (row: Data, name: string): SafeText | null => {
  const value = row[name];
  return typeof value === "string" && value !== "" ? sanitizeLine(value) : null;
};

/** A number that may be missing. */
export const numberOrNull = (row: Data, name: string): number | null => {
  const value = row[name];
  return typeof value === "number" ? value : null;
};
