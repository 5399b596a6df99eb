import * as z from "zod";

const inside = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\0]+$/, "must be a path inside the dashboard directory");

/** What a plugin says about its part of the dashboard. */
export const manifestSchema = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "must be lowercase letters, digits, - and _"),
  label: z.string().max(100).optional(),
  description: z.string().max(2000).default(""),
  icon: z.string().max(100).default("Puzzle"),
  version: z.string().max(100).default(""),
  tab: z
    .object({
      path: z.string().max(200).optional(),
      position: z.string().max(100).default("end"),
      override: z.string().max(200).nullable().default(null),
      hidden: z.boolean().default(false),
    })
    .prefault({}),
  slots: z.array(z.string().max(100)).max(100).default([]),
  entry: inside.default("dist/index.js"),
  css: inside.nullable().default(null),
  api: inside.nullable().default(null),
});

/** A manifest as it is read. */
export type DashboardManifest = z.output<typeof manifestSchema>;

/** A plugin as the page gets to know it: no path of the server is in it. */
export const shownSchema = z.object({
  name: z.string(),
  label: z.string(),
  description: z.string(),
  icon: z.string(),
  version: z.string(),
  source: z.enum(["user", "bundled", "project"]),
  tab: z.object({ path: z.string(), position: z.string(), override: z.string().nullable(), hidden: z.boolean() }),
  slots: z.array(z.string()),
  entry: z.string().nullable().describe("URL of the module below the base path; null: built into the page."),
  css: z.string().nullable(),
  has_api: z.boolean(),
  error: z.string().nullable().describe("Why it does not work as expected."),
});

export type ShownPlugin = z.output<typeof shownSchema>;
