import { join } from "node:path";
import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { AppError, toAppError } from "../../base/errors.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import { isRecord, jsonOf } from "../../base/json/record.js";
import { readEnvFile } from "../../config/read-settings.js";
import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import type { SetupOutcome } from "../../contracts/config/setup.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { CredentialCheck, PlatformDefinition, PlatformEntry } from "../../gateway/adapter/define-platform.js";
import { isPlatformEnabled, platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import { askYesNo, type Person, pickRow } from "../../setup/ask-person.js";
import type { StoreSettings } from "../../setup/store-change.js";
import { lookAtHome, type ProfilePlace } from "../process/gateway-place.js";
import { logInPlatform } from "./platform-login.js";
import { askSetupQuestions, byHand, isConnection, questionsOf } from "./setup-questions.js";
import { storeAt } from "./store-variables.js";

export interface PlatformSetupOptions {
  readonly tag: string | undefined;
  /** File of an OAuth client, for the platform that has per-user logins. */
  readonly clientSecret: string | undefined;
}

/** Ask for the variables of a platform, ask the platform about them, and store them in `.env`. @throws E_USAGE, E_INVALID, E_INTERRUPTED */
export async function setUpPlatform(
  place: ProfilePlace,
  { tag, clientSecret }: PlatformSetupOptions,
): Promise<SetupOutcome> {
  const { home, line } = place;
  if (clientSecret !== undefined) return { outcome: "ok", lines: installClient(home.dir, tag, clientSecret) };
  const { caller } = line;
  const known = readEnvFile(home.env);
  const named = tag === undefined ? undefined : await found(tag).load();
  if (!caller.canAsk) return guidance(home.env, named, known);
  const person: Person = { ask: caller.ask, say: (text) => caller.err(`${text}\n`), signal: caller.signal };
  const whole = named ?? (await (await chosen(person)).load());
  const [definition, done] = await loggedIn(place, person, whole);
  const check = (answers: ReadonlyMap<string, string>) => checked(place, definition, answers);
  return {
    outcome: "ok",
    lines: [...done, ...(await asked({ person, definition, path: home.env, check, keep: storeAt(place) }))],
  };
}

/** Where a login gives the credentials, it is offered, and they are not asked for. */
async function loggedIn(
  place: ProfilePlace,
  person: Person,
  whole: PlatformDefinition,
): Promise<[PlatformDefinition, readonly string[]]> {
  if (whole.login === undefined || !(await askYesNo(person, "Log in with a phone now?", true))) return [whole, []];
  const done = await logInPlatform(place, { tag: whole.tag });
  return [
    { ...whole, setup: questionsOf(whole).filter(({ variable }) => !whole.credentials.includes(variable)) },
    done.slice(0, -1),
  ];
}

function guidance(
  path: string,
  definition: PlatformDefinition | undefined,
  known: Readonly<Record<string, string>>,
): SetupOutcome {
  const begin = "agent gateway setup needs a terminal for its prompts.";
  if (definition === undefined) {
    const rows = PLATFORMS.map(({ tag, summary }) => `  ${tag}  ${summary}`);
    return {
      outcome: "guidance",
      lines: [begin, "agent gateway setup TAG shows the settings of one of these:", ...rows],
    };
  }
  const { afterwards = [] } = definition;
  const lines = [
    begin,
    `Put these into ${path}, or set each with agent config set NAME VALUE:`,
    ...byHand(definition, known),
  ];
  return { outcome: "guidance", lines: [...lines, ...afterwards, ...AT_LAST] };
}

const AT_LAST = ["agent gateway restart connects it; agent gateway status shows the result"];

/** One setup at a terminal, with the outside put in. */
export interface TerminalSetup {
  readonly person: Person;
  readonly definition: Pick<PlatformDefinition, "tag" | "summary" | "credentials" | "setup" | "afterwards" | "check">;
  /** `.env`, where it is seen what is set. */
  readonly path: string;
  readonly keep: StoreSettings;
  /** Ask the platform, with these variables beside what is set. */
  readonly check: (answers: ReadonlyMap<string, string>) => Promise<CredentialCheck | undefined>;
}

/** Refused for good: asking again with the same answers would be refused as well. */
const WRONG: ReadonlySet<string> = new Set(["auth_failed", "config_invalid", "permission_denied", "login_expired"]);

/** Ask until the platform takes the answers, or the person does not mind. Nothing is stored before. @returns what was done, a line each */
export async function asked(asking: TerminalSetup): Promise<readonly string[]> {
  const { person, definition, path, keep } = asking;
  const { tag, summary, afterwards = [] } = definition;
  await person.say(`${tag}: ${summary} Press Enter to accept the value in brackets.`);
  const { answers, seen } = await tried(asking).catch((error: unknown) => {
    throw toAppError(error).code === "E_INTERRUPTED" ? givenUp() : error;
  });
  if (answers.size > 0) await keep([...answers].map(([key, text]) => ({ key, text })));
  const names = [...answers.keys()];
  const stored =
    names.length === 0 ? "nothing changed" : `${names.join(", ")} ${names.length === 1 ? "is" : "are"} in ${path}`;
  const about =
    seen === undefined ? [] : ["account" in seen ? `connected as ${seen.account}` : `not tested: ${seen.message}`];
  return [stored, ...about, ...afterwards, ...AT_LAST];
}

interface Tried {
  readonly answers: ReadonlyMap<string, string>;
  readonly seen: CredentialCheck | undefined;
}

/** The platform is asked about the credentials before anything else is: a wrong token needs no list of users. */
async function tried(asking: TerminalSetup): Promise<Tried> {
  const { person, definition, path } = asking;
  const { answers, seen } = await connected(asking, new Map());
  if (seen !== undefined && "account" in seen) await person.say(`  Connected as ${seen.account}.`);
  const questions = questionsOf(definition).filter((question) => !isConnection(question));
  const rest = await askSetupQuestions(person, { tag: definition.tag, questions, known: readEnvFile(path) });
  return { answers: new Map([...answers, ...rest]), seen };
}

async function connected(asking: TerminalSetup, before: Tried["answers"]): Promise<Tried> {
  const { person, definition, path, check } = asking;
  const known = { ...readEnvFile(path), ...Object.fromEntries(before) };
  const questions = questionsOf(definition).filter(isConnection);
  const answers = new Map([...before, ...(await askSetupQuestions(person, { tag: definition.tag, questions, known }))]);
  const seen = await check(answers);
  if (person.signal.aborted) throw givenUp();
  if (seen === undefined || "account" in seen || !WRONG.has(seen.code)) return { answers, seen };
  await person.say(`  ${seen.message}`);
  if (await askYesNo(person, "Enter it again?", true)) return connected(asking, answers);
  if (await askYesNo(person, "Store it anyway?", false)) return { answers, seen };
  throw givenUp();
}

/** What the platform says about the settings as they would be; undefined where it cannot be asked. */
async function checked(
  place: ProfilePlace,
  definition: PlatformDefinition,
  answers: ReadonlyMap<string, string>,
): Promise<CredentialCheck | undefined> {
  const { tag, credentials, switches, check } = definition;
  const { signal } = place.line.caller;
  return lookAtHome(place, async ({ options }) => {
    const { env, raw } = settingsSource(options);
    const source = { env: { ...env, ...Object.fromEntries(answers) }, raw };
    const settings = platformSettings(tag, source);
    if (!isPlatformEnabled(settings, credentials, switches)) {
      const message = `${tag} is disabled by ${tag.toUpperCase()}_ENABLED or its enabled setting in config.yaml; it will not be connected`;
      await place.line.caller.err(`  ${message}\n`);
    }
    const { net, clock, ids, home } = options;
    const others = (prefix: string) => platformSettings(prefix, source);
    return check?.({ settings, others, net, clock, ids, home: home.dir, signal });
  });
}

function found(tag: string): PlatformEntry {
  const entry = PLATFORMS.find((one) => one.tag === tag);
  if (entry !== undefined) return entry;
  throw new AppError("E_USAGE", `unknown platform ${tag}`, {
    hint: `known: ${PLATFORMS.map((one) => one.tag).join(", ")}`,
  });
}

async function chosen(person: Person): Promise<PlatformEntry> {
  const rows = PLATFORMS.map((entry) => ({ name: entry.tag, title: entry.summary, entry }));
  return (await pickRow<(typeof rows)[number]>(person, "Platform", { rows })).entry;
}

const givenUp = () => new AppError("E_INTERRUPTED", "nothing stored", { hint: "agent gateway setup starts again" });

/** Where it lies is a trait of the platform that takes one. */
function installClient(dir: string, tag: string | undefined, file: string): readonly string[] {
  const takers = PLATFORM_TAGS.filter((one) => traitsOf(one).oauthClientFile !== undefined);
  const taker = takers.find((one) => tag === undefined || one === tag);
  const name = taker && traitsOf(taker).oauthClientFile;
  if (name === undefined)
    throw new AppError("E_USAGE", `--client-secret belongs to ${takers.join(", ")}, not to ${tag}`);
  const target = join(dir, name);
  const text = readTextSync(file);
  if (text === undefined) throw new AppError("E_INVALID", `no such file: ${file}`, { path: file });
  const read = jsonOf(text);
  const client = isRecord(read) ? (read["installed"] ?? read["web"]) : undefined;
  if (!isRecord(client) || typeof client["client_id"] !== "string" || typeof client["client_secret"] !== "string") {
    throw new AppError(
      "E_INVALID",
      `${file} is not an OAuth client file: missing installed.client_id or client_secret`,
      {
        hint: "download the JSON file of an OAuth client for desktop apps",
      },
    );
  }
  replaceTextFile(target, text, 0o600);
  return [`OAuth client stored in ${target}`];
}
