import type { PlatformDefinition, SetupQuestion } from "../../../gateway/define.js";
import { answerOf, type Person } from "../../setup/person.js";

/** What a definition says about setting it up. */
export type Asked = Pick<PlatformDefinition, "tag" | "credentials" | "setup">;

/** Asked of every platform whose own questions leave it out. */
const COMMON: readonly SetupQuestion[] = [
  { variable: "ALLOWED_USERS", ask: "Ids of those who may talk, with commas", optional: true, hint: "empty: strangers get a pairing code" },
  {
    variable: "HOME_CHANNEL",
    ask: "Chat that gets what answers nobody",
    optional: true,
    hint: "scheduled jobs and notices; /sethome in a chat sets it as well",
  },
];

/** What is asked about a platform, in order. */
export function questionsOf({ tag, credentials, setup }: Asked): readonly SetupQuestion[] {
  const own = setup ?? credentials.map((variable) => ({ variable, ask: variableOf(tag, variable), secret: true }));
  return [...own, ...COMMON.filter(({ variable }) => own.every((one) => one.variable !== variable))];
}

/** Name of a platform's variable in `.env`. */
export const variableOf = (tag: string, name: string): string => `${tag.toUpperCase()}_${name}`;

/** What was answered, by variable; an empty answer keeps what is there. @throws E_INTERRUPTED when the person gave up */
export async function answersOf(
  person: Person,
  asked: Asked,
  known: Readonly<Record<string, string | undefined>>,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const question of questionsOf(asked)) {
    const name = variableOf(asked.tag, question.variable);
    const answer = await one(person, question, known[name] ?? "");
    if (answer !== undefined) answers.set(name, answer);
  }
  return answers;
}

async function one(person: Person, { ask, hint, secret = false, optional = false, problem }: SetupQuestion, known: string) {
  if (hint !== undefined) await person.say(`  ${hint}`);
  const kept = known !== "" ? (secret ? "set" : known) : optional ? "none" : undefined;
  return answerOf(person, { ask, kept, hidden: secret, ...(problem === undefined ? {} : { problem }) });
}

/** What has to be set where no one can be asked, a line each. */
export function byHand(asked: Asked, known: Readonly<Record<string, string | undefined>>): readonly string[] {
  return questionsOf(asked).map(({ variable, ask, hint, secret = false, optional = false }) => {
    const name = variableOf(asked.tag, variable);
    const notes = [optional ? "optional" : "needed", ...(secret ? ["secret"] : []), ...((known[name] ?? "") === "" ? [] : ["set"])];
    return `  ${name}  ${ask} (${notes.join(", ")})${hint === undefined ? "" : `: ${hint}`}`;
  });
}
