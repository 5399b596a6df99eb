import { join } from "node:path";
import { PLATFORMS } from "../../../../adapters/platforms/index.gen.js";
import { AppError } from "../../../base/errors.js";
import { isRecord, jsonOf } from "../../../base/record.js";
import { readText, replaceText } from "../../../base/text-file.js";
import type { PlatformDefinition, PlatformEntry, SetupQuestion } from "../../../gateway/define.js";
import { readEnvFile } from "../../config/read.js";
import { editEnvFile } from "../../config/write.js";
import type { Place } from "./place.js";

export interface SetupOptions {
  readonly tag: string | undefined;
  /** File of an OAuth client, for the platform that has per-user logins. */
  readonly clientSecret: string | undefined;
}

/** Somebody at a terminal. */
export interface Asker {
  /** @param hidden what is typed is not shown */
  ask(question: string, hidden: boolean): Promise<string>;
  say(line: string): Promise<void>;
  /** Aborts when they give up. */
  readonly signal: AbortSignal;
}

/** Where the OAuth client of MSGG lies. */
const CLIENT_SECRET = "msgg_user_client_secret.json";

/** Ask for the variables of a platform and store them in `.env`. @returns what was done, a line each. @throws E_STATE, E_USAGE, E_INVALID */
export async function setup({ home, line }: Place, { tag, clientSecret }: SetupOptions): Promise<readonly string[]> {
  if (clientSecret !== undefined) return installClient(join(home.dir, CLIENT_SECRET), tag, clientSecret);
  const { caller } = line;
  if (!caller.canAsk) {
    throw new AppError("E_STATE", "the wizard asks its questions at a terminal, and there is none", {
      hint: `put the variables into ${home.env} by hand: agent help gateway lists them`,
    });
  }
  const asker: Asker = { ask: caller.ask, say: (text) => caller.err(`${text}\n`), signal: caller.signal };
  const entry = tag === undefined ? await chosen(asker) : found(tag);
  const answers = await answersOf(asker, await entry.load(), readEnvFile(home.env));
  for (const [name, value] of answers) editEnvFile(home.env, name, value);
  return [
    answers.length === 0
      ? "nothing was changed"
      : `${answers.map(([name]) => name).join(", ")} ${answers.length === 1 ? "is" : "are"} in ${home.env}`,
    "agent gateway restart connects with it; agent gateway status tells whether it works",
  ];
}

function found(tag: string): PlatformEntry {
  const entry = PLATFORMS.find((one) => one.tag === tag);
  if (entry !== undefined) return entry;
  throw new AppError("E_USAGE", `there is no platform ${tag}`, { hint: `one of ${PLATFORMS.map((one) => one.tag).join(", ")}` });
}

async function chosen({ ask, say, signal }: Asker): Promise<PlatformEntry> {
  for (const { tag, summary } of PLATFORMS) await say(`${tag}  ${summary}`);
  for (;;) {
    const answer = (await ask("Platform: ", false)).trim().toLowerCase();
    const entry = PLATFORMS.find((one) => one.tag === answer);
    if (entry !== undefined) return entry;
    if (signal.aborted || answer === "") throw givenUp();
    await say(`There is no platform ${answer}.`);
  }
}

/** Questions that a platform asks that declares none. */
export function questionsOf({
  tag,
  credentials,
  setup: own,
}: Pick<PlatformDefinition, "tag" | "credentials" | "setup">): readonly SetupQuestion[] {
  const upper = tag.toUpperCase();
  const who: SetupQuestion = { variable: "ALLOWED_USERS", ask: "Ids of those who may talk, with commas", optional: true };
  return own ?? [...credentials.map((variable) => ({ variable, ask: `${upper}_${variable}`, secret: true })), who];
}

/** What was answered, by variable; an empty answer keeps what is there. @throws E_INTERRUPTED when the person gave up */
export async function answersOf(
  asker: Asker,
  definition: Pick<PlatformDefinition, "tag" | "credentials" | "setup" | "summary">,
  known: Readonly<Record<string, string>>,
): Promise<readonly (readonly [string, string])[]> {
  await asker.say(`${definition.tag}: ${definition.summary} An empty answer keeps what is set.`);
  const answers: (readonly [string, string])[] = [];
  for (const question of questionsOf(definition)) {
    const name = `${definition.tag.toUpperCase()}_${question.variable}`;
    const answer = await one(asker, question, known[name]);
    if (answer !== undefined) answers.push([name, answer]);
  }
  return answers;
}

async function one({ ask, say, signal }: Asker, question: SetupQuestion, known: string | undefined): Promise<string | undefined> {
  const { secret = false, optional = false } = question;
  if (question.hint !== undefined) await say(`  ${question.hint}`);
  const kept = known === undefined || known === "" ? "" : secret ? " [set]" : ` [${known}]`;
  for (;;) {
    const answer = (await ask(`${question.ask}${kept}${optional && kept === "" ? " (may be empty)" : ""}: `, secret)).trim();
    if (signal.aborted) throw givenUp();
    if (answer === "" && (optional || kept !== "")) return undefined;
    const problem = answer === "" ? "It is needed." : question.problem?.(answer);
    if (problem === undefined) return answer;
    await say(`  ${problem}`);
  }
}

const givenUp = () => new AppError("E_INTERRUPTED", "nothing was stored", { hint: "agent gateway setup asks again" });

function installClient(target: string, tag: string | undefined, file: string): readonly string[] {
  if (tag !== undefined && tag !== "msgg") throw new AppError("E_USAGE", `--client-secret belongs to msgg, not to ${tag}`);
  const text = readText(file);
  if (text === undefined) throw new AppError("E_INVALID", `there is no file ${file}`, { path: file });
  const read = jsonOf(text);
  const client = isRecord(read) ? (read["installed"] ?? read["web"]) : undefined;
  if (!isRecord(client) || typeof client["client_id"] !== "string" || typeof client["client_secret"] !== "string") {
    throw new AppError("E_INVALID", `${file} is no OAuth client: it has no installed.client_id and client_secret`, {
      hint: "download the JSON of an OAuth client for desktop apps",
    });
  }
  replaceText(target, text, 0o600);
  return [`the OAuth client is in ${target}`];
}
