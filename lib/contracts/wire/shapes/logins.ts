import * as z from "zod";

const instant = z.iso.datetime().nullable();

/** A login or key of a provider. The value itself is never shown. */
export const loginEntryShape = z
  .object({
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
    reset_at: instant,
    expires_at: instant,
    region: z.string().nullable(),
    requests: z.number(),
    current: z.boolean(),
  })
  .meta({ id: "LoginEntry" });

/** The logins of a provider. */
export const loginProviderShape = z
  .object({ provider: z.string(), name: z.string(), entries: z.array(loginEntryShape), error: z.string().nullable() })
  .meta({ id: "LoginProvider" });
