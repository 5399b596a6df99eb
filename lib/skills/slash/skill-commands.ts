import { AppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { sessionOf } from "../../commands/conversation/conversation.js";
import { startedTurn } from "../../commands/conversation/start-turn.js";
import type {
  CommandContext,
  CommandResult,
  CommandSource,
  RuntimeCommand,
  SlashPlace,
} from "../../commands/define.js";
import type { Bundle, BundlesApi } from "../../contracts/skills/bundles.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { Skill, SkillPlace } from "../../contracts/skills/skill.js";
import type { SkillReading } from "../../contracts/skills/texts.js";

export interface SkillCommandsDeps {
  readonly services: SkillServices;
  readonly clock: Pick<Clock, "mono">;
  readonly log: Pick<Log, "warning">;
}

/** Lists older than this are read again behind their reader. */
const FRESH_MS: Ms = 2_000;
/** Directories whose lists are kept. */
const PLACES_MAX = 32;

interface Known {
  readonly at: Ms;
  readonly commands: readonly RuntimeCommand[];
}

/**
 * `/<bundle>` and `/<skill>` (core part, 28.2, 28.4). Listing answers from memory and looks at the files afterwards, so that what is typed never
 * waits for a disk; who has typed a whole name waits for `ready`.
 */
export function skillCommands(deps: SkillCommandsDeps): CommandSource {
  const known = new Map<string, Known>();
  const reading = new Set<string>();
  /** Behind who asks; one look at a time. */
  const readBehind = async (place: SlashPlace): Promise<void> => {
    const key = keyOf(place);
    if (reading.has(key)) return;
    reading.add(key);
    try {
      await read(place);
    } catch (error) {
      deps.log.warning("failed to read skills", { error: String(error) });
    } finally {
      reading.delete(key);
    }
  };
  const read = async (place: SlashPlace): Promise<void> => {
    const key = keyOf(place);
    const commands = await listCommands(deps, place);
    known.delete(key);
    known.set(key, { at: deps.clock.mono(), commands });
    const [oldest] = known.keys();
    if (known.size > PLACES_MAX && oldest !== undefined) known.delete(oldest);
  };
  return {
    commands: (place = {}) => {
      const there = known.get(keyOf(place));
      if (there === undefined || deps.clock.mono() - there.at > FRESH_MS) readBehind(place).catch(() => undefined); // it reports its failures itself
      return (there ?? known.get(keyOf({})))?.commands ?? [];
    },
    ready: async (place = {}) => await read(place),
  };
}

const keyOf = ({ cwd = "", platform = "" }: SlashPlace): string => `${platform}\0${cwd}`;

const toPlace = ({ cwd, env = {}, platform }: SlashPlace): SkillPlace => ({
  env,
  ...(cwd === undefined ? {} : { cwd }),
  ...(platform === undefined ? {} : { platform }),
});

/** A name of a skill that several have is not offered: it is an error that lists their directories, wherever it is used. */
async function listCommands(
  { services, log }: SkillCommandsDeps,
  place: SlashPlace,
): Promise<readonly RuntimeCommand[]> {
  const bundles = await services.bundles();
  const { skills } = await services.catalog.catalog(toPlace(place));
  return [
    ...bundles.list().bundles.map((bundle) => bundleCommand(bundle, bundles, services, log)),
    ...skills.map((skill) => skillCommand(skill, services, log)),
  ];
}

/** What a command says to the model, made for the conversation that it is typed in. */
interface Invocation {
  readonly skills: readonly Skill[];
  /** @param more The conversation, unless it does not exist yet, and whether a person other than the owner of this agent calls it. */
  text(more: Pick<SkillReading, "session" | "byGuest">): Promise<string>;
}

type Logging = SkillCommandsDeps["log"];

function bundleCommand(
  { slug, description }: Bundle,
  bundles: BundlesApi,
  services: SkillServices,
  log: Logging,
): RuntimeCommand {
  const invoke = async (args: string, place: SkillPlace): Promise<Invocation> => {
    const { skills } = await bundles.load(bundles.find(slug), place);
    return { skills, text: async (more) => await bundles.message(slug, args, { place, ...more }) };
  };
  return {
    name: slug,
    description,
    argsHint: "[text]",
    source: { kind: "bundle", name: slug },
    startsTurn: true,
    run: async (args, ctx) => await submit(`/${slug}`, ctx, { services, log, invoke: (place) => invoke(args, place) }),
  };
}

function skillCommand({ name, command, description }: Skill, services: SkillServices, log: Logging): RuntimeCommand {
  const invoke = async (instruction: string, place: SkillPlace): Promise<Invocation> => {
    const skill = await services.catalog.find(name, place);
    const texts = await services.texts();
    return {
      skills: [skill],
      text: async (more) => await texts.message(skill, { place, instruction, ...more }),
    };
  };
  return {
    name: command,
    description: description === "" ? `Follow the skill ${name}` : description,
    argsHint: "[instruction]",
    source: { kind: "skill", name },
    startsTurn: true,
    run: async (args, ctx) =>
      await submit(`/${command}`, ctx, { services, log, invoke: (place) => invoke(args, place) }),
  };
}

/** In a chat, only the admin is the owner of this agent. */
const isGuest = ({ origin, member }: CommandContext): boolean => origin !== undefined && member?.tier !== "admin";

interface Submission extends Pick<SkillCommandsDeps, "services" | "log"> {
  invoke(place: SkillPlace): Promise<Invocation>;
}

/** Send the text as the one message of the user. @throws E_STATE while a turn runs, E_USAGE without a conversation */
async function submit(
  name: string,
  ctx: CommandContext,
  { services, log, invoke }: Submission,
): Promise<CommandResult> {
  if (ctx.session !== undefined && (await ctx.chat.isBusy(ctx.session)))
    throw new AppError("E_STATE", `${name} must wait until the turn has ended`, {
      session: ctx.session,
      hint: "wait, or run /stop",
    });
  const { skills, text } = await invoke(await placeIn(ctx));
  const byGuest = isGuest(ctx);
  if (ctx.session === undefined) await text({ byGuest }); // what cannot be loaded makes no conversation
  const session = ctx.session ?? (await ctx.begin?.()) ?? sessionOf(ctx);
  const message = await text({ session, byGuest });
  await countUses(services, skills, log);
  return await startedTurn((onTurn) => ctx.chat.submit({ session, text: message, onTurn }), `Running ${name}.`, ctx);
}

async function placeIn({ session, chat, cwd, env, origin }: CommandContext): Promise<SkillPlace> {
  const at = session === undefined ? undefined : (await chat.get(session))?.cwd;
  return { cwd: at ?? cwd, env, ...(origin === undefined ? {} : { platform: origin.platform }) };
}

async function countUses(services: SkillServices, skills: readonly Skill[], log: Logging): Promise<void> {
  try {
    const usage = await services.usage();
    for (const { name } of skills) await usage.count(name, "uses");
  } catch (error) {
    // ok to lose: a counter that cannot be written keeps no one from using a skill
    log.warning("failed to count the use of a skill", { error: String(error) });
  }
}
