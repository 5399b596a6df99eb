import * as z from "zod";
import type { ApprovalAsked, ClarifyAsked, HiddenAsked, OpenQuestion, QuestionOrigin } from "../../chat/questions.js";
import type { CageState, CageTest } from "../../config/cage.js";
import type { ListedCage, ListedRule, PermissionList, PermissionTest } from "../../config/permissions.js";
import { epochMs, sessionId, turnId } from "./values.js";

/** Schema of `ListedRule`. */
export const listedRuleShape = z
  .object({
    n: z.number(),
    list: z.enum(["allow", "ask", "deny"]),
    rule: z.string(),
    source: z.enum(["user", "session", "project"]),
    where: z.string(),
    last_used: z.number().nullable(),
    counts: z.boolean(),
  })
  .meta({ id: "ListedRule" }) satisfies z.ZodType<ListedRule>;

const listedCageShape = z
  .object({
    writable: z.array(z.string()),
    state: z.enum(["on", "off", "missing", "refused"]),
    why: z.string(),
    remedy: z.string(),
  })
  .meta({ id: "ListedCage" }) satisfies z.ZodType<ListedCage>;

/** Schema of `PermissionList`. */
export const permissionListShape = z
  .object({
    rules: z.array(listedRuleShape),
    mode: z.string(),
    edits: z.string(),
    yolo: z.boolean(),
    classes: z.array(z.string()),
    trusted: z.boolean().nullable(),
    user_file: z.string(),
    project_file: z.string(),
    notices: z.array(z.string()),
    cage: listedCageShape.exactOptional(),
  })
  .meta({ id: "PermissionList" }) satisfies z.ZodType<PermissionList>;

const cageTestShape = z
  .object({
    runs: z.enum(["inside", "outside"]),
    prevents: z.array(z.object({ path: z.string(), how: z.enum(["read-only", "hidden"]) })),
    outside: z.enum(["blocked", "denied", "ask", "allowed"]).exactOptional(),
    state: z.enum(["on", "off", "missing", "refused"]),
    why: z.string(),
    remedy: z.string(),
  })
  .meta({ id: "CageTest" }) satisfies z.ZodType<CageTest>;

/** Schema of `PermissionTest`. */
export const permissionTestShape = z
  .object({
    command: z.string(),
    decision: z.enum(["blocked", "denied", "ask", "allowed"]),
    by: z.string(),
    rule: z.object({ rule: z.string(), source: z.string() }).exactOptional(),
    segments: z.array(z.object({ argv: z.string(), classes: z.array(z.string()) })),
    findings: z.array(z.object({ class: z.string(), text: z.string() })),
    read_only: z.boolean(),
    rule_to_allow: z.string().exactOptional(),
    cage: cageTestShape.exactOptional(),
  })
  .meta({ id: "PermissionTest" }) satisfies z.ZodType<PermissionTest>;

/** Schema of `QuestionOrigin`. */
export const questionOriginShape = z
  .object({ session_id: sessionId, child: z.string().exactOptional(), profile: z.string() })
  .meta({ id: "QuestionOrigin" }) satisfies z.ZodType<QuestionOrigin>;

/** Schema of `ApprovalAsked`. */
export const approvalAskedShape = z
  .object({
    kind: z.enum(["write", "tool", "command", "script", "desktop", "password"]),
    tool: z.string(),
    call_id: z.string(),
    command: z.string(),
    cwd: z.string(),
    segments: z.array(
      z.object({ argv: z.string(), class: z.string().exactOptional(), why: z.string().exactOptional() }),
    ),
    reasons: z.array(z.object({ class: z.string(), text: z.string() })),
    diff: z.string().exactOptional(),
    options: z.array(z.enum(["session", "deny", "project", "once", "always", "edits"])),
    rules: z.object({
      session: z.array(z.string()).exactOptional(),
      project: z.array(z.string()).exactOptional(),
      always: z.array(z.string()).exactOptional(),
    }),
    wider: z
      .object({
        directory: z
          .object({
            session: z.array(z.string()).exactOptional(),
            project: z.array(z.string()).exactOptional(),
            always: z.array(z.string()).exactOptional(),
          })
          .exactOptional(),
        arguments: z
          .object({
            session: z.array(z.string()).exactOptional(),
            project: z.array(z.string()).exactOptional(),
            always: z.array(z.string()).exactOptional(),
          })
          .exactOptional(),
      })
      .exactOptional(),
  })
  .meta({ id: "ApprovalAsked" }) satisfies z.ZodType<ApprovalAsked>;

/** Schema of `ClarifyAsked`. */
export const clarifyAskedShape = z
  .object({ question: z.string(), choices: z.array(z.string()) })
  .meta({ id: "ClarifyAsked" }) satisfies z.ZodType<ClarifyAsked>;

/** Schema of `HiddenAsked`. */
export const hiddenAskedShape = z
  .object({ prompt: z.string() })
  .meta({ id: "HiddenAsked" }) satisfies z.ZodType<HiddenAsked>;

/** Schema of `CageState`. */
export const cageStateShape = z
  .object({ state: z.enum(["on", "off", "missing", "refused"]), why: z.string(), remedy: z.string() })
  .meta({ id: "CageState" }) satisfies z.ZodType<CageState>;

const open = {
  request: z.string().describe("names the question in answers"),
  session_id: sessionId,
  lineage_root: sessionId,
  turn_id: turnId.nullable(),
  asked_at: epochMs,
  expires_at: epochMs.nullable().describe("Unix milliseconds; null: it waits"),
  origin: questionOriginShape,
};

/** A question that waits for its answer. */
export const openQuestionShape = z
  .discriminatedUnion("kind", [
    z.object({ ...open, kind: z.literal("approval"), data: approvalAskedShape }),
    z.object({ ...open, kind: z.literal("clarify"), data: clarifyAskedShape }),
    z.object({ ...open, kind: z.enum(["password", "secret"]), data: hiddenAskedShape }),
  ])
  .meta({ id: "OpenQuestion" }) satisfies z.ZodType<OpenQuestion>;
