import * as z from "zod";
import { parseModelJson } from "../../base/json/model-json.js";
import type { CuratorChange, CuratorEdit } from "../../contracts/skills/curator.js";

/** What the model proposes, and what it may speak of. */
export interface ProposalBounds {
  /** Names of the skills that it was shown; the only ones it may change. */
  readonly shown: ReadonlySet<string>;
  /** Of these, skills with files beside their `SKILL.md`: they are not absorbed. */
  readonly withFiles: ReadonlySet<string>;
  /** Names of all skills, switched off and archived ones too: a new skill takes none of them. */
  readonly taken: ReadonlySet<string>;
  /** Names of skills that scheduled jobs use: they are not archived. */
  readonly scheduled: ReadonlySet<string>;
}

/** A change that is checked for its form, and not yet planned; `note` says why it is refused. */
export type Proposal = Pick<CuratorChange, "kind" | "skill" | "absorbed" | "why" | "changes"> & {
  readonly note: string;
};

const PROPOSALS_MAX = 20;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const WHY_MAX = 300;
/** Characters of a `SKILL.md` (core part, 28.3). */
const CONTENT_MAX = 100_000;

const why = z
  .string()
  .catch("")
  .transform((text) => text.replace(/\s+/g, " ").trim().slice(0, WHY_MAX));
const content = z.string().min(1).max(CONTENT_MAX);
const name = z.string().max(200);
const proposal = z.discriminatedUnion("action", [
  z.object({ action: z.literal("merge"), from: z.array(name).min(1).max(20), into: name, content, why }),
  z.object({ action: z.literal("edit"), name, content, why }),
  z.object({ action: z.literal("archive"), name, why }),
]);
type Given = z.output<typeof proposal>;

/** @returns undefined: the answer is not what was asked for */
export function readProposals(answer: string, bounds: ProposalBounds): readonly Proposal[] | undefined {
  const list = parseModelJson(answer)?.["proposals"];
  if (!Array.isArray(list)) return undefined;
  const used = new Set<string>();
  return list.slice(0, PROPOSALS_MAX).map((one) => {
    const read = proposal.safeParse(one);
    if (!read.success) return unreadable;
    const made = toProposal(read.data);
    const note = refusal(read.data, bounds, used);
    if (note === "") for (const each of [made.skill, ...made.absorbed]) used.add(each);
    return { ...made, note, changes: note === "" ? made.changes : [] };
  });
}

const unreadable: Proposal = {
  kind: "edit",
  skill: "",
  absorbed: [],
  why: "",
  changes: [],
  note: "the model's proposal does not have the form that was asked for",
};

function toProposal(given: Given): Omit<Proposal, "note"> {
  if (given.action !== "merge")
    return {
      kind: given.action,
      skill: given.name,
      absorbed: [],
      why: given.why,
      changes: [
        given.action === "edit"
          ? { action: "edit", name: given.name, content: given.content }
          : { action: "archive", name: given.name },
      ],
    };
  const absorbed = [...new Set(given.from)].filter((one) => one !== given.into);
  const isOld = given.from.includes(given.into);
  const text: CuratorEdit = isOld
    ? { action: "edit", name: given.into, content: given.content }
    : { action: "create", name: given.into, content: given.content };
  return {
    kind: "merge",
    skill: given.into,
    absorbed,
    why: given.why,
    changes: [
      text,
      ...absorbed.map((one): CuratorEdit => ({ action: "archive", name: one, absorbed_into: given.into })),
    ],
  };
}

/** Why a proposal is not even planned; "": it is. */
function refusal(given: Given, bounds: ProposalBounds, used: ReadonlySet<string>): string {
  const old = given.action === "merge" ? given.from : [given.name];
  const foreign = old.find((one) => !bounds.shown.has(one));
  if (foreign !== undefined) return `${JSON.stringify(foreign)} is not one of the skills that may be changed`;
  const twice = old.find((one) => used.has(one));
  if (twice !== undefined) return `another proposal changes ${twice} already`;
  if (given.action === "archive" && bounds.scheduled.has(given.name)) return `a scheduled job uses ${given.name}`;
  if (given.action !== "merge") return "";
  if (!NAME.test(given.into)) return `${JSON.stringify(given.into.slice(0, 80))} is not a valid name of a skill`;
  if (used.has(given.into)) return `another proposal changes ${given.into} already`;
  const absorbed = old.filter((one) => one !== given.into);
  if (absorbed.length === 0) return "a merge needs at least one skill that becomes part of another";
  if (!old.includes(given.into) && bounds.taken.has(given.into)) return `a skill is called ${given.into} already`;
  const full = absorbed.find((one) => bounds.withFiles.has(one));
  return full === undefined ? "" : `${full} has files beside its SKILL.md, which a merge would leave behind`;
}
