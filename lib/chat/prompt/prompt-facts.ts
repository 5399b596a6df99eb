import { join } from "node:path";
import type { Home } from "../../base/home.js";
import type { Clock } from "../../base/time/clock.js";
import type { PromptSource, PromptSourcePlace, SourcedPart } from "../../contracts/chat/prompt-source.js";
import type { Config } from "../../contracts/config/config.js";
import type { ModelChoice } from "../../contracts/models/model.js";
import { type PathScope, userHomeOf } from "../../safety/paths/paths.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import { CONTEXT_FILE_MAX_CHARS } from "../../tools/core/keys.js";
import { projectContext } from "../../tools/run/project.js";
import { type ContextAnswer, type ContextNotice, readContextFile } from "../../tools/run/read.js";
import { CODING_CONTEXT, ENVIRONMENT_HINT, TASK_COMPLETION_GUIDANCE, TOOL_USE_ENFORCEMENT } from "../config/keys.js";
import { codingBlock, isCoding } from "./coding.js";
import type { PromptFacts } from "./prompt.js";

/** Where a prompt is made. */
export interface PromptPlace {
  readonly home: Home;
  readonly config: Config;
  readonly clock: Clock;
  readonly cwd: string;
  /** Environment of the front end. */
  readonly env: Readonly<Record<string, string>>;
  /** Project files and SOUL.md are left out. */
  readonly ignoreRules: boolean;
  readonly worker?: string;
  /** Text of a child in place of the identity. */
  readonly child?: string;
  /** What a directory of code looks like at this moment; "" when there is nothing to say. */
  summary?(cwd: string, env: Readonly<Record<string, string>>): Promise<string>;
  /** Skills and memory. */
  readonly sources?: readonly PromptSource[];
  /** Board of a worker. */
  readonly board?: string;
  /** Skills whose text stands in the prompt from the start. */
  readonly skills?: readonly string[];
  /** It works for someone other than the master of the home. */
  readonly limited?: true;
  redact(text: string): string;
}

/** What a prompt is made for. */
export interface PromptSubject {
  readonly profile: string;
  readonly source: string;
  readonly choice: Pick<ModelChoice, "model"> & { readonly provider: { readonly id: string } };
  readonly tools: readonly Pick<ToolEntry, "name" | "toolset">[];
}

/** Collect what a system prompt is made of; files are read now. `notices` are for the user. */
export async function promptFacts(
  place: PromptPlace,
  { profile, source, choice, tools }: PromptSubject,
): Promise<{ readonly facts: PromptFacts; readonly notices: readonly ContextNotice[] }> {
  const { cwd, env, config, worker, child } = place;
  const alone = place.ignoreRules || child !== undefined;
  const project = alone ? { files: [], notices: [] } : projectContext({ cwd, ...reading(place) });
  const soul = alone ? { notices: [] } : readSoul(place);
  const names = tools.map(({ name }) => name);
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))];
  const sourced = alone ? [] : await sourcedParts(place, { profile, source, tools: names, toolsets });
  const coding = await codingOf(place, { source, model: choice.model, tools: names });
  const facts: PromptFacts = {
    cwd,
    profile,
    source,
    project: project.files,
    homeDir: env["HOME"] ?? "",
    at: place.clock.now(),
    model: choice.model,
    provider: choice.provider.id,
    tools: names,
    hint: place.redact(config.get(ENVIRONMENT_HINT)),
    finish: config.get(TASK_COMPLETION_GUIDANCE),
    enforcement: config.get(TOOL_USE_ENFORCEMENT),
    ...(soul.file === undefined ? {} : { identity: soul.file.text }),
    ...(worker === undefined ? {} : { worker }),
    ...(child === undefined ? {} : { child }),
    ...(coding === undefined ? {} : { coding }),
    sourced,
  };
  const told = sourced.flatMap(({ notices = [] }) =>
    notices.map((text): ContextNotice => ({ level: "warning", text })),
  );
  return { facts, notices: [...soul.notices, ...project.notices, ...told] };
}

async function sourcedParts(
  { cwd, env, board, skills, limited, redact, sources = [] }: PromptPlace,
  about: Pick<PromptSourcePlace, "profile" | "source" | "tools" | "toolsets">,
): Promise<readonly SourcedPart[]> {
  const place = {
    ...about,
    cwd,
    env,
    ...(board === undefined ? {} : { board }),
    ...(skills === undefined ? {} : { skills }),
    ...(limited === undefined ? {} : { limited }),
  };
  const parts: SourcedPart[] = [];
  for (const source of sources) parts.push(...(await source.parts(place)));
  return parts.map((part) => ({ ...part, text: redact(part.text) }));
}

async function codingOf(
  { config, cwd, env, worker, child, summary, redact }: PromptPlace,
  about: { readonly source: string; readonly model: string; readonly tools: readonly string[] },
): Promise<string | undefined> {
  const place = { source: about.source, cwd, userHome: userHomeOf(env) };
  if (
    worker !== undefined ||
    child !== undefined ||
    about.tools.length === 0 ||
    !isCoding(config.get(CODING_CONTEXT), place)
  )
    return undefined;
  return codingBlock({ ...about, summary: redact((await summary?.(cwd, env)) ?? "") });
}

function reading({ home, env, config, redact }: PromptPlace) {
  const scope: Omit<PathScope, "project"> = { home, userHome: userHomeOf(env), env };
  return { scope, cap: config.get(CONTEXT_FILE_MAX_CHARS), redact };
}

/** The identity that the user has written for this home. It is the user's own, so its lines are not marked. */
function readSoul(place: PromptPlace): ContextAnswer {
  const { scope, cap, redact } = reading(place);
  const soul = { path: join(place.home.dir, "SOUL.md"), shown: "SOUL.md", frontMatter: false, own: true } as const;
  return readContextFile(soul, { scope: { ...scope, project: place.home.dir }, cap, redact });
}
