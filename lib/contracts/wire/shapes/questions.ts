import * as z from "zod";
import type { FormAsked, FormField } from "../../chat/form.js";
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

const formValueShape = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const formFieldShape = z
  .object({
    name: z.string().describe("key in the content of the answer"),
    label: z.string(),
    description: z.string().exactOptional(),
    type: z.enum(["text", "number", "integer", "boolean", "choice", "choices"]),
    choices: z.array(z.object({ value: z.string(), label: z.string() })).exactOptional(),
    default: formValueShape.exactOptional().describe("value of a field that is left out"),
    required: z.boolean(),
    format: z.enum(["email", "uri", "date", "date-time"]).exactOptional(),
    min: z.number().exactOptional(),
    max: z.number().exactOptional(),
    min_length: z.number().exactOptional(),
    max_length: z.number().exactOptional(),
    pattern: z.string().exactOptional(),
  })
  .meta({ id: "FormField" }) satisfies z.ZodType<FormField>;

/** Schema of `FormAsked`. */
export const formAskedShape = z
  .object({
    title: z.string(),
    from: z.string().describe("MCP server or tool that asks"),
    message: z.string(),
    fields: z.array(formFieldShape),
    url: z.string().exactOptional().describe("address that the user is asked to open"),
    waits_until: epochMs.exactOptional().describe("when the asker stops waiting"),
    park: z.literal(true).exactOptional().describe("survives a restart of the owner"),
  })
  .meta({ id: "FormAsked" }) satisfies z.ZodType<FormAsked>;

/** Schema of `HiddenAsked`. */
export const hiddenAskedShape = z
  .object({ prompt: z.string() })
  .meta({ id: "HiddenAsked" }) satisfies z.ZodType<HiddenAsked>;

/** Schema of `CageState`. */
export const cageStateShape = z
  .object({ state: z.enum(["on", "off", "missing", "refused"]), why: z.string(), remedy: z.string() })
  .meta({ id: "CageState" }) satisfies z.ZodType<CageState>;

const open = {
  request: z.string().describe("id for the answer"),
  session_id: sessionId,
  lineage_root: sessionId,
  turn_id: turnId.nullable(),
  asked_at: epochMs,
  expires_at: epochMs.nullable().describe("Unix milliseconds; null: no timeout"),
  origin: questionOriginShape,
};

/** A question that waits for its answer. */
export const openQuestionShape = z
  .discriminatedUnion("kind", [
    z.object({ ...open, kind: z.literal("approval"), data: approvalAskedShape }),
    z.object({ ...open, kind: z.literal("clarify"), data: clarifyAskedShape }),
    z.object({ ...open, kind: z.literal("form"), data: formAskedShape }),
    z.object({ ...open, kind: z.enum(["password", "secret"]), data: hiddenAskedShape }),
  ])
  .meta({ id: "OpenQuestion" }) satisfies z.ZodType<OpenQuestion>;
