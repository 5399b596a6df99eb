import { join } from "node:path";
import type { Clock } from "../base/clock.js";
import type { Home } from "../base/home.js";
import type { Config } from "../proto/config.js";
import type { ModelChoice } from "../proto/model.js";
import { type PathScope, userHomeOf } from "../safety/paths.js";
import { projectContext } from "../tools/context/project.js";
import { type ContextAnswer, type ContextNotice, readContextFile } from "../tools/context/read.js";
import type { ToolEntry } from "../tools/entry.js";
import { CONTEXT_FILE_MAX_CHARS } from "../tools/keys.js";
import { ENVIRONMENT_HINT, TASK_COMPLETION_GUIDANCE, TOOL_USE_ENFORCEMENT } from "./keys.js";
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
  redact(text: string): string;
}

/** What a prompt is made for. */
export interface PromptSubject {
  readonly profile: string;
  readonly source: string;
  readonly choice: Pick<ModelChoice, "model"> & { readonly provider: { readonly id: string } };
  readonly tools: readonly Pick<ToolEntry, "name">[];
}

/** Collect what a system prompt is made of; files are read now. `notices` are for the user. */
export function promptFacts(
  place: PromptPlace,
  { profile, source, choice, tools }: PromptSubject,
): { readonly facts: PromptFacts; readonly notices: readonly ContextNotice[] } {
  const { cwd, env, config, worker } = place;
  const project = place.ignoreRules ? { files: [], notices: [] } : projectContext({ cwd, ...reading(place) });
  const soul = place.ignoreRules ? { notices: [] } : readSoul(place);
  const facts: PromptFacts = {
    ...{ cwd, profile, source, project: project.files, homeDir: env["HOME"] ?? "", at: place.clock.now() },
    ...{ model: choice.model, provider: choice.provider.id, tools: tools.map(({ name }) => name) },
    hint: config.get(ENVIRONMENT_HINT),
    finish: config.get(TASK_COMPLETION_GUIDANCE),
    enforcement: config.get(TOOL_USE_ENFORCEMENT),
    ...(soul.file === undefined ? {} : { identity: soul.file.text }),
    ...(worker === undefined ? {} : { worker }),
  };
  return { facts, notices: [...soul.notices, ...project.notices] };
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
