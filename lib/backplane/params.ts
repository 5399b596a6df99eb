import type * as z from "zod";
import { AppError } from "../base/errors.js";

/**
 * What `schema` makes of `params`.
 *
 * @throws E_INVALID_PARAMS with the path of the first offending field (`data.path`)
 */
export function parseParams<S extends z.ZodType>(schema: S, params: unknown): z.output<S> {
  const parsed = schema.safeParse(params);
  if (!parsed.success) throw invalidParams(parsed.error);
  return parsed.data;
}

/** The first offending field by its path, and what is wrong with it. */
export function invalidParams(error: z.ZodError): AppError {
  const issue = error.issues[0];
  const path = issue?.path.map(String).join(".") ?? "";
  return new AppError("E_INVALID_PARAMS", `${path === "" ? "parameters" : path}: ${issue?.message ?? "invalid"}`, {
    path,
  });
}
