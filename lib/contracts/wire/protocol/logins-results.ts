import * as z from "zod";
import { loginEntryShape, loginProviderShape } from "../shapes/logins.js";
import type { Results } from "./define.js";

/** Answers of `auth.*`. */
export const LOGINS_RESULTS: Results = {
  "auth.add": z.object({
    provider: z.string(),
    entry: loginEntryShape,
  }),
  "auth.list": z.object({
    providers: z.array(loginProviderShape),
    problems: z.array(z.string()),
  }),
  "auth.logout": z.object({ provider: z.string(), removed: z.number(), revoked: z.number() }),
  "auth.refresh": z.object({
    provider: z.string(),
    entries: z.array(
      z.object({
        problem: z.string().nullable(),
        reset_at: z.string().nullable(),
        expires_at: z.string().nullable(),
        index: z.number(),
        id: z.string(),
        label: z.string(),
        type: z.enum(["oauth", "api_key"]),
        source: z.string(),
        scope: z.string(),
        priority: z.number(),
        status: z.enum(["ok", "exhausted", "dead"]),
        reason: z.string().nullable(),
        message: z.string().nullable(),
        region: z.string().nullable(),
        requests: z.number(),
        current: z.boolean(),
      }),
    ),
  }),
  "auth.remove": z.object({
    provider: z.string(),
    removed: loginEntryShape,
    variable: z.string().nullable(),
  }),
  "auth.reset": z.object({ provider: z.string(), reset: z.number() }),
  "auth.status": z.object({
    expires_at: z.string().nullable(),
    provider: z.string(),
    name: z.string(),
    logged_in: z.boolean(),
    type: z.enum(["oauth", "api_key"]).nullable(),
    account: z.string().nullable(),
    region: z.string().nullable(),
    error: z.string().nullable(),
  }),
};
