import * as z from "zod";

const texts = z.array(z.string());

/** A plugin of the home, enabled or not, as machines get it. */
export const pluginShape = z.object({
  key: z.string(),
  name: z.string(),
  version: z.string(),
  description: z.string(),
  author: z.string(),
  source: z.enum(["bundled", "user", "project", "package"]),
  kind: z.string(),
  state: z.enum(["loaded", "enabled", "disabled", "error", "needs consent", "not enabled"]),
  error: z.string().nullable(),
  url: z.string().nullable(),
  ref: z.string().nullable(),
  commit: z.string().nullable(),
  requires_env: z.array(
    z.object({ name: z.string(), description: z.string(), url: z.string(), secret: z.boolean(), set: z.boolean() }),
  ),
  provides_tools: texts,
  provides_hooks: texts,
  provides_cli: texts,
  policy: z.boolean(),
  registered: z.record(z.string(), texts).describe("What it has registered, by kind."),
});
