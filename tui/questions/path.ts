import * as z from "zod";
import { sanitize, sanitizeLine } from "../draw/sanitize.js";
import type { Message } from "../model/messages.js";
import { type State, showMessage } from "../model/state.js";
import type { ReadOverlay } from "../overlays/read/state.js";

const answer = z.object({
  command: z.string(),
  decision: z.string(),
  by: z.string(),
  rule: z.object({ rule: z.string(), source: z.string() }).optional(),
  segments: z.array(z.object({ argv: z.string(), classes: z.array(z.string()) })),
  findings: z.array(z.object({ class: z.string(), text: z.string() })),
  read_only: z.boolean(),
  rule_to_allow: z.string().optional(),
});
type Path = z.output<typeof answer>;

/** How the rules come to ask, above the panes. */
export function pathShown(state: State, message: Extract<Message, { type: "called" }>): State {
  if (!message.ok) return showMessage(state, message.message, true);
  const read = answer.safeParse(message.result);
  if (!read.success) return showMessage(state, "the owner's answer cannot be read by this version", true);
  return {
    ...state,
    overlay: { kind: "read", title: "Why approval is needed", lines: pathLines(read.data), exact: true, top: 0 },
  };
}

function pathLines(path: Path): ReadOverlay["lines"] {
  const { rule, rule_to_allow: allows } = path;
  return [
    ...sanitize(path.command)
      .split("\n")
      .map((line) => ["code", line] as const),
    ["text", ""],
    ["text", `decision: ${sanitizeLine(path.decision)}`],
    ["text", `because:  ${sanitizeLine(path.by)}`],
    ...(rule === undefined
      ? []
      : [["text", `rule:     ${sanitizeLine(rule.rule)} (${sanitizeLine(rule.source)})`] as const]),
    ...(path.read_only ? [["text", "it only reads"] as const] : []),
    ["text", ""],
    ["heading", "parts"],
    ...path.segments.map(
      ({ argv, classes }) =>
        [
          "text",
          `  ${sanitizeLine(argv)}   ${classes.length === 0 ? "needs no approval" : sanitizeLine(classes.join(", "))}`,
        ] as const,
    ),
    ...path.findings.map((one) => ["text", `  ${sanitizeLine(one.class)}: ${sanitizeLine(one.text)}`] as const),
    ...(allows === undefined
      ? []
      : [["text", ""] as const, ["text", `a rule that would allow it: ${sanitizeLine(allows)}`] as const]),
  ];
}
