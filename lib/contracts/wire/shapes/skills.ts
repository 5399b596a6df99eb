import * as z from "zod";
import { instant } from "./sessions.js";

const finding = z.object({
  rule: z.string(),
  severity: z.enum(["note", "caution", "dangerous"]),
  file: z.string(),
  line: z.number(),
  text: z.string(),
});
const verdict = z.enum(["safe", "caution", "dangerous"]);
const trust = z.enum(["builtin", "trusted", "community"]);
const source = z.enum(["official", "github", "git", "well-known", "url", "marketplace", "directory"]);
const strings = z.array(z.string());
const uses = z.object({
  tools: strings,
  hosts: strings,
  programs: strings,
  paths: strings,
  scripts: strings,
  variables: strings,
});
const state = z.enum(["unchanged", "changed", "missing"]);

/** A skill of the catalog, or one that is switched off. */
export const skillShape = z.object({
  name: z.string(),
  description: z.string(),
  category: z.string(),
  origin: z.string(),
  version: z.string(),
  enabled: z.boolean(),
});

/** What a source offers. */
export const skillOfferShape = z.object({
  identifier: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  source,
  trust,
  installed: z.boolean(),
});

/** A fetched skill before it is installed. */
export const skillPreviewShape = z.object({
  name: z.string(),
  path: z.string(),
  description: z.string(),
  version: z.string(),
  license: z.string(),
  source,
  identifier: z.string(),
  ref: z.string(),
  commit: z.string(),
  trust,
  hash: z.string(),
  files: z.array(z.object({ path: z.string(), size: z.number() })),
  uses,
  verdict,
  findings: z.array(finding),
  decision: z.object({ action: z.enum(["allow", "block"]), final: z.boolean(), why: z.string() }),
  exists: z.enum(["no", "hub", "own"]),
  warnings: strings,
});

/** A skill that a source gave. */
export const installedSkillShape = z.object({
  name: z.string(),
  path: z.string(),
  version: z.string(),
  source,
  identifier: z.string(),
  ref: z.string(),
  commit: z.string(),
  trust,
  verdict,
  hash: z.string(),
  uses,
  installed_at: z.number(),
  updated_at: z.number().nullable(),
  state,
  changes: strings,
});

/** An installed skill, scanned again. */
export const skillAuditShape = z.object({
  name: z.string(),
  origin: z.enum(["hub", "own"]),
  state,
  changes: strings,
  installed_verdict: verdict.nullable(),
  verdict,
  findings: z.array(finding),
  uses,
});

/** What became of an update. */
export const updatedSkillShape = z.object({
  name: z.string(),
  result: z.enum(["updated", "current", "declined", "blocked", "failed"]),
  conflicts: strings,
  files: z.array(z.object({ path: z.string(), action: z.string() })),
  error: z.string().nullable(),
});

/** A change of a skill that waits for a person. */
export const pendingSkillShape = z.object({
  id: z.string(),
  name: z.string(),
  summary: z.string(),
  by: z.enum(["agent", "curator", "user"]),
  at: instant,
  diff: z.string(),
  verdict: verdict.nullable().describe("of the security scan; null: it was off"),
  findings: z.array(
    z.object({ rule: z.string(), severity: z.string(), file: z.string(), line: z.number(), text: z.string() }),
  ),
});
