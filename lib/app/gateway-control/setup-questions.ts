import type { PlatformDefinition, SetupQuestion } from "../../gateway/adapter/define-platform.js";
import { askUntilValid, type Person } from "../../setup/ask-person.js";

/** What a definition says about setting it up. */
export type SetupTraits = Pick<PlatformDefinition, "tag" | "credentials" | "setup">;

/** Asked of every platform whose own questions leave it out. */
const COMMON: readonly SetupQuestion[] = [
  { variable: "ALLOWED_USERS", ask: "Allowed user ids, comma-separated", optional: true },
  {
    variable: "HOME_CHANNEL",
    ask: "Home channel (chat id)",
    optional: true,
    hint: "receives scheduled jobs and notices; /sethome in a chat sets it as well",
  },
];

/** What an empty list of users means. */
const EMPTY_LIST = "empty: each sender gets a pairing code to approve with agent pairing approve";

/** What is asked about a platform, in order: first what connects it, then who may talk and where it speaks. */
export function questionsOf({ tag, credentials, setup }: SetupTraits): readonly SetupQuestion[] {
  const own = setup ?? credentials.map((variable) => ({ variable, ask: variableOf(tag, variable), secret: true }));
  const all = [...own, ...COMMON.filter(({ variable }) => own.every((one) => one.variable !== variable))].map(
    withEmptyList,
  );
  return [...all.filter(isConnection), ...all.filter((question) => !isConnection(question))];
}

/** It takes part in connecting, so that the platform can say whether it is right. */
export const isConnection = ({ variable }: SetupQuestion): boolean => COMMON.every((one) => one.variable !== variable);

function withEmptyList(question: SetupQuestion): SetupQuestion {
  const { variable, hint } = question;
  if (variable !== "ALLOWED_USERS" || hint?.startsWith("empty: ") === true) return question;
  return { ...question, hint: hint === undefined ? EMPTY_LIST : `${hint}; ${EMPTY_LIST}` };
}

/** Name of a platform's variable in `.env`. */
export const variableOf = (tag: string, name: string): string => `${tag.toUpperCase()}_${name}`;

/** Questions of a platform, and what is set of them. */
export interface SetupQuestions {
  readonly tag: string;
  readonly questions: readonly SetupQuestion[];
  readonly known: Readonly<Record<string, string | undefined>>;
}

/** What was answered, by variable; an empty answer keeps what is there. @throws E_INTERRUPTED when the person gave up */
export async function askSetupQuestions(
  person: Person,
  { tag, questions, known }: SetupQuestions,
): Promise<ReadonlyMap<string, string>> {
  const answers = new Map<string, string>();
  for (const question of questions) {
    const name = variableOf(tag, question.variable);
    const answer = await one(person, question, known[name] ?? "");
    if (answer !== undefined) answers.set(name, answer);
  }
  return answers;
}

async function one(
  person: Person,
  { ask, hint, secret = false, optional = false, problem }: SetupQuestion,
  known: string,
) {
  if (hint !== undefined) await person.say(`  ${hint}`);
  const kept = known !== "" ? (secret ? "set" : known) : optional ? "none" : undefined;
  return askUntilValid(person, { ask, kept, hidden: secret, ...(problem === undefined ? {} : { problem }) });
}

/** What has to be set where no one can be asked, a line each. */
export function byHand(asked: SetupTraits, known: Readonly<Record<string, string | undefined>>): readonly string[] {
  return questionsOf(asked).map(({ variable, ask, hint, secret = false, optional = false }) => {
    const name = variableOf(asked.tag, variable);
    const notes = [
      optional ? "optional" : "needed",
      ...(secret ? ["secret"] : []),
      ...((known[name] ?? "") === "" ? [] : ["set"]),
    ];
    return `  ${name}  ${ask} (${notes.join(", ")})${hint === undefined ? "" : `: ${hint}`}`;
  });
}
