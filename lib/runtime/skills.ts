import { join } from "node:path";
import { once } from "../base/async/lazy.js";
import { AppError } from "../base/errors.js";
import { distFile } from "../base/fs/dist.js";
import { exists } from "../base/fs/home-files.js";
import { setVariables } from "../base/process/set-variables.js";
import { CODING_CONTEXT } from "../chat/config/keys.js";
import type { CommandSource, SlashPlace } from "../commands/define.js";
import type { AppOptions } from "../config/app-options.js";
import type { PromptSource } from "../contracts/chat/prompt-source.js";
import type { CronApi } from "../contracts/gateway/cron.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import type { SkillServices } from "../contracts/skills/services.js";
import type { PluginSkill, SkillsApi } from "../contracts/skills/skill.js";
import type { SkillUse } from "../contracts/skills/usage.js";

/** The skills of a process. Nothing of them is loaded or read before the first call. */
export interface SkillsPart {
  readonly services: SkillServices;
  /** Their part of a system prompt. */
  readonly prompt: PromptSource;
  /** `/<bundle>` and `/<skill>`. */
  readonly commands: CommandSource;
  /** Ends a run of the curator in the background. */
  stop(): Promise<void>;
}

/** What skills need of their process. Without model and jobs the curator does not ask a model, and scheduled jobs stay as they are. */
export interface SkillsContext {
  /** Skills that plugins have registered by now. */
  readonly ofPlugins?: () => readonly PluginSkill[];
  readonly aux?: () => AuxClient;
  readonly cron?: () => CronApi;
  /** Start `agent` with these arguments as a process of its own. Absent: this process stays. */
  readonly startProgram?: (args: readonly string[]) => Promise<void>;
}

interface Parts extends Pick<AppOptions, "home" | "config" | "clock" | "ids" | "spawner" | "log" | "env"> {
  /** For installing skills; absent where another home is only looked at. */
  readonly net?: AppOptions["net"];
  /** `readonly` leaves nothing on the disk. */
  readonly kind?: AppOptions["kind"];
}

/** As the catalog looks at the use of a skill. */
const OF_HUB = { created_by: "hub", state: "active" } as const;

export function skillsOf(options: Parts, around: SkillsContext = {}): SkillsPart {
  const { home, config } = options;
  let loaded: SkillsApi | undefined;
  const catalog = once(async (): Promise<SkillsApi> => {
    const [{ createCatalog }, { installedNames }, { finishSwaps }] = await Promise.all([
      import("../skills/catalog/catalog.js"),
      import("../skills/hub/lock.js"),
      import("../skills/files/swap.js"),
    ]);
    const userHome = () => config.env["HOME"] ?? home.dir;
    const used = await usage();
    if (options.kind !== "readonly") await finishSwaps(options); // what a killed process had decided
    // Two records say whose text it is: a skill of a source must not count as its user's own because one of them is gone.
    const madeBy = () =>
      new Map<string, Pick<SkillUse, "created_by" | "state">>([
        ...used.all(),
        ...installedNames(home).map((name) => [name, OF_HUB] as const),
      ]);
    loaded = createCatalog({
      home,
      config,
      userHome,
      bundled: join(distFile("skills"), "bundled"),
      madeBy,
      ofPlugins: around.ofPlugins ?? (() => []),
      settle,
      looksOnly: options.kind === "readonly",
    });
    return loaded;
  });
  /** A killed rollback has moved some skills only. Nothing is loaded without one. */
  const settle = async (): Promise<void> => {
    if (!exists(join(home.dir, "skills", ".curator_rollback"))) return;
    try {
      await (await curator()).api.finishRollback();
    } catch (error) {
      options.log.warning("a rollback of the skills could not be finished", { error: String(error) });
    }
  };
  const usage = once(async () => {
    const { createUsage } = await import("../skills/usage/usage.js");
    return createUsage({ ...options, now: options.clock.now });
  });
  const texts = once(async () => {
    const { createTexts } = await import("../skills/texts/texts.js");
    return createTexts({ home, config, catalog: services.catalog, variables: services.variables });
  });
  const bundles = once(async () => {
    const { bundlesDir, createBundles } = await import("../skills/bundles/bundles.js");
    return createBundles({ dir: bundlesDir(home, config.env), skills: services.catalog, texts });
  });
  const writes = once(async () => {
    const { createWrites } = await import("../skills/writes/writes.js");
    return createWrites({ ...options, now: options.clock.now, catalog: services.catalog, usage });
  });
  const hub = once(async () => {
    const { net } = options;
    if (net === undefined) throw new AppError("E_STATE", "skills of another home are installed by its own owner");
    const { createSkillHub } = await import("../skills/hub/hub.js");
    const optional = () => join(distFile("skills"), "optional");
    const userHome = () => config.env["HOME"] ?? home.dir;
    return createSkillHub({ ...options, net, env: () => options.env, optional, usage, userHome });
  });
  const curator = once(async () => {
    const [{ createCurator }, { logRedactor }] = await Promise.all([
      import("../skills/curator/curator.js"),
      import("./known-secrets.js"),
    ]);
    return createCurator({
      ...options,
      catalog: services.catalog,
      usage,
      writes: services.writes,
      aux: around.aux?.(),
      cron: around.cron?.(),
      redact: logRedactor(config, home),
      startProgram: around.startProgram,
    });
  });
  const services: SkillServices = {
    usage,
    texts,
    bundles,
    writes,
    hub,
    curator: async () => (await curator()).api,
    variables: (names, env) => setVariables(names, { ...config.env, ...env }),
    catalog: {
      catalog: async (...given) => (await catalog()).catalog(...given),
      known: () => loaded?.known(),
      reload: async (...given) => (await catalog()).reload(...given),
      find: async (...given) => (await catalog()).find(...given),
    },
  };
  const prompt = once(async () => {
    const { skillPrompt } = await import("../skills/index/source.js");
    const focused = () => config.get(CODING_CONTEXT) === "focus";
    return skillPrompt({ config, texts, usage, catalog: services.catalog, focused });
  });
  return {
    services,
    commands: commandsOf(options, services),
    stop: async () => (await curator.peek())?.stop(),
    prompt: {
      parts: async (place) => (await prompt()).parts(place),
      news: async () => {
        if (!exists(join(home.dir, "skills", ".curator.json"))) return [];
        try {
          const summary = await (await services.curator()).takeSummary();
          return summary === undefined ? [] : [`Curator: ${summary} agent curator show lists the changes.`];
        } catch (error) {
          options.log.warning("failed to read what the curator did", { error: String(error) });
          return []; // ok to lose: agent curator status shows it
        }
      },
    },
  };
}

/** Slash commands of bundles and skills; a list made before they are loaded is empty, and the next one is not. */
function commandsOf({ clock, log }: Parts, services: SkillServices): CommandSource {
  let live: CommandSource | undefined;
  const open = once(async () => {
    const { skillCommands } = await import("../skills/slash/skill-commands.js");
    live = skillCommands({ services, clock, log });
    return live;
  });
  const ready = async (place?: SlashPlace) => await (await open()).ready?.(place);
  return {
    commands: (place) => {
      if (live === undefined)
        ready(place).catch((error: unknown) => log.warning("failed to read skills", { error: String(error) }));
      return live?.commands(place) ?? [];
    },
    ready,
  };
}
