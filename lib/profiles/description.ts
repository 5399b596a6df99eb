import { join } from "node:path";
import { parseModelJson, readTextMember } from "../base/json/model-json.js";
import { isRecord } from "../base/json/record.js";
import type { DescribeOutcome } from "../contracts/config/profiles.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import { skillNamesOf } from "./places.js";
import { editMembers, readMembers } from "./yaml.js";

/** What profile.yaml says about a profile. */
export interface Description {
  readonly description: string;
  readonly description_auto: boolean;
}

const metaPath = (dir: string): string => join(dir, "profile.yaml");

/** The stored description. */
export async function readDescription(dir: string): Promise<Description> {
  const members = await readMembers(metaPath(dir));
  return {
    description: readTextMember(members, "description"),
    description_auto: members["description_auto"] === true,
  };
}

/** Store a description beside whatever else the file holds. */
export async function writeDescription(dir: string, text: string, auto: boolean): Promise<void> {
  await editMembers(metaPath(dir), { description: text, description_auto: auto });
}

/** Characters of a generated description. */
const MAX_CHARS = 280;
const MAX_SKILLS = 60;
const ANSWER_TOKENS = 400;

const PROMPT = `You describe a worker profile, so that a planner can tell which tasks to give to it.

Answer with one JSON object and nothing around it: {"description": "..."}

description: one or two sentences, at most ${MAX_CHARS} characters, about what the worker is good at, judged by its name, its model and its skills.
No praise, and no guesses beyond them.`;

/** A profile that a model is to describe. */
export interface Described {
  readonly name: string;
  readonly dir: string;
  readonly model: string | null;
}

/** Let a model describe a profile (board part, 9.5). A text that a person wrote stays unless `overwrite`. */
export async function generate(aux: AuxClient, profile: Described, overwrite: boolean): Promise<DescribeOutcome> {
  const before = await readDescription(profile.dir);
  const refuse = (reason: string): DescribeOutcome => ({ profile: profile.name, ok: false, reason, ...before });
  if (before.description !== "" && !before.description_auto && !overwrite) {
    return refuse("description was written by a user (use --overwrite)");
  }
  const answer = await aux.ask({
    slot: "profile_describer",
    system: PROMPT,
    user: questionOf(profile),
    temperature: 0.3,
    maxOutputTokens: ANSWER_TOKENS,
  });
  if (!answer.ok) {
    if (answer.why === "failed") return refuse(`LLM error: ${answer.class}`);
    return refuse(answer.why === "none" ? "no auxiliary client configured" : "auxiliary client unavailable");
  }
  const description = descriptionIn(answer.text);
  if (description === "") return refuse("LLM returned an empty response");
  // A person may have written one while the model was thinking.
  const now = await readDescription(profile.dir);
  if (!overwrite && now.description !== "" && !now.description_auto)
    return refuse("description was written by a user (use --overwrite)");
  await writeDescription(profile.dir, description, true);
  return { profile: profile.name, ok: true, reason: "described", description, description_auto: true };
}

function questionOf({ name, dir, model }: Described): string {
  const skills = skillNamesOf(dir).slice(0, MAX_SKILLS);
  return [
    `Name: ${name}`,
    `Model: ${model ?? "(not set)"}`,
    `Skills: ${skills.length === 0 ? "(none)" : skills.join(", ")}`,
  ].join("\n");
}

/** The member `description` of an answer, else its first paragraph, in one line of at most 280 characters. */
export function descriptionIn(answer: string): string {
  const members = parseModelJson(answer);
  const text = isRecord(members) ? readTextMember(members, "description") : (answer.trim().split(/\n\s*\n/)[0] ?? "");
  const line = [...text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim()];
  return line.length <= MAX_CHARS
    ? line.join("")
    : `${line
        .slice(0, MAX_CHARS - 1)
        .join("")
        .trimEnd()}…`;
}
