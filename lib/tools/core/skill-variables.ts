import { createHash } from "node:crypto";
import type { Skill } from "../../contracts/skills/skill.js";
import { isWithheld } from "../../safety/redact/env.js";
import type { ToolContext } from "./define.js";

/** Variables of the skills of a conversation that its commands have, since a person has agreed. */
interface Agreed {
  readonly values: Map<string, string>;
  close?(): Promise<void>;
}

const agreedIn = ({ state }: Pick<ToolContext, "state">): Map<string, string> =>
  state.entry<Agreed>("skill_variables", () => ({ values: new Map() })).values;

/** What commands of this conversation have beside the environment of children (core part, 17.4). */
export const skillVariables = (ctx: Pick<ToolContext, "state">): Readonly<Record<string, string>> =>
  Object.fromEntries(agreedIn(ctx));

/** What a skill that was read has of its variables. */
export interface VariablesGiven {
  readonly given: readonly string[];
  readonly withheld: readonly string[];
  /** Why they are withheld. */
  readonly why?: string;
}

/**
 * Ask whether commands may have the variables that a skill declares, where they have a value and no command gets them of itself. An answer holds
 * for these names of this skill: another list asks again.
 */
export async function askForVariables(skill: Skill, ctx: ToolContext): Promise<VariablesGiven> {
  const { skills } = ctx.ports;
  const wanted = skill.variables.map(({ name }) => name).filter((name) => isWithheld(name, ctx.config));
  const values = skills?.variables(wanted, ctx.env) ?? {};
  const agreed = agreedIn(ctx);
  const names = Object.keys(values);
  const open = names.filter((name) => !agreed.has(name));
  if (open.length === 0) return { given: names, withheld: [] };
  const answer = await ctx.permit({
    kind: "tool",
    tool: "skill_variables",
    command: `give commands ${open.join(", ")}, as the skill ${skill.name} asks`,
    cwd: ctx.state.cwd,
    args: { skill: skill.name, variables: open },
    declared: {
      class: "tool-risk",
      text: `the skill ${skill.name} (${skill.origin}) asks that commands of this conversation have ${open.join(", ")}`,
      pin: createHash("sha256")
        .update(JSON.stringify([skill.file, names.toSorted((a, b) => (a < b ? -1 : 1))]))
        .digest("hex"),
    },
  });
  if (!answer.allowed) return { given: names.filter((name) => agreed.has(name)), withheld: open, why: answer.message };
  for (const [name, value] of Object.entries(values)) agreed.set(name, value);
  return { given: names, withheld: [] };
}
