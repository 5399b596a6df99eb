import { readTextSync, replaceTextFile } from "../base/fs/text-file.js";
import { toIso } from "../base/units.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { ToolListing } from "../contracts/chat/tools.js";
import {
  type GatewaySetupOptions,
  SETUP_SECTIONS,
  type SetupOutcome,
  type SetupSection,
} from "../contracts/config/setup.js";
import { STT } from "../contracts/media/hearing.js";
import { TTS } from "../contracts/media/speech.js";
import { MODEL_BASE_URL, MODEL_PROVIDER } from "../models/keys.js";
import { defaultModel, resolveTarget } from "../models/targets.js";
import { askYesNo, type Person, pickRow } from "./ask-person.js";
import { BY_HAND } from "./by-hand.js";
import { type EnvironmentDeps, fromEnvironment } from "./setup-from-environment.js";
import { setupModel } from "./setup-model.js";
import { SPEECH_SETTINGS, setupSpeech } from "./setup-speech.js";
import { setupTools } from "./setup-tools.js";
import { ASKED, setupValues } from "./setup-values.js";

export interface SetupDeps extends EnvironmentDeps {
  readonly config: LoadedConfig;
  /** Undefined: no one can be asked. */
  readonly person: Person | undefined;
  readonly listing: () => Promise<ToolListing>;
  /** Ask for a messaging platform. @returns what was done, a line each */
  readonly gateway: () => Promise<readonly string[]>;
  /** The settings file. */
  readonly path: string;
  readonly now: () => number;
}

/** What a part starts over with; variables of `.env` are never forgotten. */
const FORGOTTEN: Readonly<Record<SetupSection, readonly string[]>> = {
  model: ["model.provider", "model.default", "model.base_url", "model.api_key"],
  tts: [SPEECH_SETTINGS.speaks, SPEECH_SETTINGS.hears],
  terminal: ASKED.terminal,
  gateway: [],
  tools: ["toolsets", "agent.disabled_toolsets"],
  agent: ASKED.agent,
};

/** `agent setup`. @throws E_INTERRUPTED when the person gave up; what was answered before is stored */
export async function runSetup(deps: SetupDeps, options: GatewaySetupOptions): Promise<SetupOutcome> {
  const { person } = deps;
  const named = options.section === undefined ? SETUP_SECTIONS : [options.section];
  if (options.nonInteractive) {
    const forgotten = options.reset ? await forget(deps, options.section) : [];
    const { outcome, lines } = await fromEnvironment(deps, named);
    return { outcome, lines: [...forgotten, ...lines] };
  }
  if (person === undefined) return byHand(named);
  const sure = "Discard the earlier settings? A backup is kept.";
  if (options.reset && (await askYesNo(person, sure, false)))
    for (const line of await forget(deps, options.section)) await person.say(line);
  return { outcome: "ok", lines: await asked(deps, person, options) };
}

const byHand = (sections: readonly SetupSection[]): SetupOutcome => ({
  outcome: "guidance",
  lines: [
    "setup needs a terminal for its prompts. To set up manually:",
    ...sections.flatMap((name) => BY_HAND[name]),
    "agent setup --non-interactive uses the environment.",
  ],
});

/** No provider, address or model is set, and none can be had by itself. */
export const isFirstRun = ({ config, env }: Pick<SetupDeps, "config" | "env">): boolean =>
  config.get(MODEL_PROVIDER) === "auto" &&
  resolveTarget(config, { env }, {}).kind === "search" &&
  defaultModel(config) === undefined;

async function asked(
  deps: SetupDeps,
  person: Person,
  { section, quick, reconfigure }: GatewaySetupOptions,
): Promise<readonly string[]> {
  if (section !== undefined) return oneOf(deps, person, section);
  if (reconfigure) return allOf(deps, person);
  const first = isFirstRun(deps);
  if (quick)
    return first
      ? oneOf(deps, person, "model")
      : ["nothing is missing; agent setup --reconfigure goes through all settings"];
  if (!first) return menu(deps, person);
  await person.say(
    "Nothing is set up yet. Press Enter to accept the value in brackets. Ctrl+C quits; answers so far are kept.",
  );
  const rows = [
    { name: "quick", title: "provider and model" },
    { name: "full", title: "also speech, terminal, messaging, tools and agent behavior" },
  ] as const;
  const [usual] = rows;
  const { name } = await pickRow<(typeof rows)[number]>(person, "Setup type", { rows, usual });
  const done = name === "full" ? await allOf(deps, person) : await oneOf(deps, person, "model");
  return [...done, 'Next: agent opens the workspace; agent -z "hello" asks a question.'];
}

async function allOf(deps: SetupDeps, person: Person): Promise<readonly string[]> {
  const done: string[] = [];
  for (const section of SETUP_SECTIONS) {
    await person.say(`\n${section}`);
    const wish = WISHES[section];
    const skipped = wish !== undefined && !(await askYesNo(person, wish, false));
    if (!skipped) done.push(...(await oneOf(deps, person, section)));
  }
  return done;
}

/** Sections that most do without. */
const WISHES: Readonly<Partial<Record<SetupSection, string>>> = {
  tts: "Set up speech and transcription?",
  gateway: "Connect a messaging platform?",
};

/** Part by part, until there is nothing left to change. */
async function menu(deps: SetupDeps, person: Person): Promise<readonly string[]> {
  const done: string[] = [];
  for (;;) {
    const rows = [
      ...SETUP_SECTIONS.map((name) => ({ name, title: stateOf(deps, name) })),
      { name: "all", title: "each of them" } as const,
      { name: "done", title: "" } as const,
    ];
    const { name } = await pickRow<(typeof rows)[number]>(person, "Section", { rows, usual: rows.at(-1) });
    if (name === "done") return done.length === 0 ? ["nothing changed"] : done;
    const lines = name === "all" ? await allOf(deps, person) : await oneOf(deps, person, name);
    for (const line of lines) await person.say(line);
    done.push(...lines);
  }
}

function stateOf({ config, platforms }: SetupDeps, section: SetupSection): string {
  switch (section) {
    case "model":
      return `${defaultModel(config) ?? "the first listed"} via ${config.get(MODEL_PROVIDER)} ${config.get(MODEL_BASE_URL)}`.trim();
    case "tts":
      return `speech: ${config.get(TTS.provider)}, transcription: ${config.get(STT.provider)}`;
    case "gateway":
      return platforms().join(", ") || "no platform";
    case "terminal":
      return "commands: time, directory, shell";
    case "tools":
      return "tools offered to sessions";
    case "agent":
      return "turn length, reasoning, approvals, time zone";
  }
}

function oneOf(deps: SetupDeps, person: Person, section: SetupSection): Promise<readonly string[]> {
  switch (section) {
    case "model":
      return setupModel(person, deps);
    case "tts":
      return setupSpeech(person, deps);
    case "gateway":
      return deps.gateway();
    case "tools":
      return setupTools(person, deps);
    case "terminal":
    case "agent":
      return setupValues(person, deps, ASKED[section]);
  }
}

/** Take settings out of the file, which is copied first. */
async function forget(
  { config, keep, path, now }: SetupDeps,
  section: SetupSection | undefined,
): Promise<readonly string[]> {
  const text = readTextSync(path);
  const keys =
    section === undefined
      ? Object.keys(config.file)
      : FORGOTTEN[section].filter((key) => config.raw(key) !== undefined);
  if (text === undefined || keys.length === 0) return ["there were no settings to discard"];
  const copy = `${path}.${toIso(now()).replaceAll(/[:.]/g, "")}.bak`;
  replaceTextFile(copy, text);
  await keep(keys.map((key) => ({ key })));
  return [`the earlier settings are in ${copy}`];
}
