import { AppError } from "../base/errors.js";

/** A user at a terminal. */
export interface Person {
  /** @param hidden what is typed is not shown */
  ask(question: string, hidden: boolean): Promise<string>;
  say(line: string): Promise<void>;
  /** Aborts when they give up. */
  readonly signal: AbortSignal;
}

export interface PersonQuestion {
  readonly ask: string;
  /** What an empty answer means, as it is shown; absent: an answer is needed. */
  readonly kept?: string | undefined;
  readonly hidden?: boolean;
  /** What is wrong with an answer, one sentence. */
  readonly problem?: (answer: string) => string | undefined;
}

/** Ask until the answer is good. @returns undefined for an empty answer where one may be. @throws E_INTERRUPTED */
export async function askUntilValid(
  person: Person,
  { ask, kept, hidden = false, problem }: PersonQuestion,
): Promise<string | undefined> {
  for (;;) {
    const answer = (await person.ask(`${ask}${kept === undefined ? "" : ` [${kept}]`}: `, hidden)).trim();
    if (person.signal.aborted) throw givenUp();
    if (answer === "" && kept !== undefined) return undefined;
    const wrong = answer === "" ? "This value is required." : problem?.(answer);
    if (wrong === undefined) return answer;
    await person.say(`  ${wrong}`);
  }
}

/** A question with yes and no; an empty answer is `usual`. */
export async function askYesNo(person: Person, ask: string, usual: boolean): Promise<boolean> {
  const problem = (text: string) =>
    /^(y|yes|n|no)$/i.test(text) ? undefined : "Answer y or n, or press Ctrl+C to quit.";
  const answer = await askUntilValid(person, { ask, kept: usual ? "Y/n" : "y/N", problem });
  return answer === undefined ? usual : /^y/i.test(answer);
}

/** One of several things. */
export interface ChoiceRow {
  /** Typed in place of the number; the only way where there is one of the same number. */
  readonly name: string;
  readonly title: string;
}

/** Show what there is, numbered, and ask for one by number or name. @returns the row; of an empty answer the `usual` one */
export async function pickRow<T extends ChoiceRow>(
  person: Person,
  ask: string,
  { rows, usual }: { rows: readonly T[]; usual?: T | undefined },
): Promise<T> {
  const width = Math.max(...rows.map(({ name }) => name.length));
  for (const [at, { name, title }] of rows.entries())
    await person.say(`  ${String(at + 1).padStart(2)}  ${name.padEnd(width)}  ${title}`.trimEnd());
  const found = (text: string) => rows.find(({ name }) => name === text) ?? rows[Number(text) - 1];
  const problem = (text: string) =>
    found(text) === undefined
      ? `invalid choice ${text}: enter a number from 1 to ${rows.length}, or a name.`
      : undefined;
  const answer = await askUntilValid(person, { ask, kept: usual?.name, problem });
  const chosen = answer === undefined ? usual : found(answer);
  if (chosen === undefined) throw givenUp();
  return chosen;
}

/** The person gave up. */
export const givenUp = () =>
  new AppError("E_INTERRUPTED", "cancelled; answers stored so far are kept", {
    hint: "run the same command again to continue",
  });
