import * as z from "zod";
import { AppError } from "../../base/errors.js";
import {
  type MigrationReport,
  type RuntimeEnabled,
  type RuntimeProgram,
  VENDOR_PROVIDER,
} from "../../contracts/runtimes/switch.js";
import { type CommandContext, type CommandResult, defineCommand } from "../define.js";

const ON: ReadonlySet<string> = new Set(["vendor_app_server", "on", "enable"]);
const OFF: ReadonlySet<string> = new Set(["auto", "off", "default", "disable"]);

export default defineCommand({
  path: "vendor-runtime",
  summary: "Show or choose who works the turns of the provider vendor.",
  topic: "app-server",
  params: z.object({
    mode: z.string().max(100).optional().describe("vendor_app_server (on, enable) or auto (off, default, disable)"),
  }),
  positionals: ["mode"],
  surfaces: ["cli", "slash", "rpc"],
  busy: "idle",
  access: "admin",
  self: "settings",
  run: async ({ mode }, ctx) => {
    const word = mode?.trim().toLowerCase() ?? "";
    if (word === "") return shown(ctx);
    if (ON.has(word)) return enabled(ctx);
    if (OFF.has(word)) return disabled(ctx);
    throw new AppError("E_USAGE", `unknown mode '${mode ?? ""}'`, {
      hint: "usage: /vendor-runtime [auto|vendor_app_server|on|off]",
    });
  },
});

const NEXT = "The change takes effect with the next session.";

async function shown(ctx: CommandContext): Promise<CommandResult> {
  const { on, program } = await ctx.runtimes.state(ctx.signal);
  const provider = await providerOf(ctx);
  const lines = [
    `vendor runtime: ${on ? "vendor_app_server" : "auto"}`,
    `app-server: ${programText(program)}`,
    ...(on ? unused(provider) : []),
    on ? "/vendor-runtime auto switches it off." : "/vendor-runtime on hands turns of the provider vendor to it.",
  ];
  return { text: lines.join("\n"), data: { runtime: on ? "vendor_app_server" : "auto", provider, program } };
}

async function enabled(ctx: CommandContext): Promise<CommandResult> {
  const done = await ctx.runtimes.enable(ctx.signal);
  const provider = await providerOf(ctx);
  const { changed, program, protocol, migration } = done;
  const lines = [
    changed ? "vendor runtime: vendor_app_server" : "vendor runtime: vendor_app_server, already set",
    `app-server: ${programText(program)}`,
    ...(changed ? [NEXT] : []),
    ...unused(provider),
    ...(protocol.problem === undefined ? [] : [`protocol: not compared: ${protocol.problem}`]),
    ...migrationLines(migration),
  ];
  const runtime = "vendor_app_server";
  return { text: lines.join("\n"), warnings: warnings(done), data: { ok: true, runtime, provider, ...done } };
}

async function disabled(ctx: CommandContext): Promise<CommandResult> {
  const changed = await ctx.runtimes.disable();
  const text = changed ? `vendor runtime: auto\n${NEXT}` : "vendor runtime: auto, already set";
  return { text, data: { ok: true, runtime: "auto", changed } };
}

const programText = ({ command, path, version, problem }: RuntimeProgram): string =>
  problem ?? `${path ?? command}, version ${version ?? "unknown"}`;

/** What a person should know whose turns another provider answers. */
const unused = (provider: string): readonly string[] =>
  provider === VENDOR_PROVIDER
    ? []
    : [
        `The provider is ${provider}, so the agent works its turns itself; the app-server is used with the provider ${VENDOR_PROVIDER} only` +
          ` (agent config set model.provider ${VENDOR_PROVIDER}).`,
      ];

/** Provider of the conversation, else of new sessions. */
async function providerOf({ chat, models, session }: CommandContext): Promise<string> {
  const { primary } = await models.chain();
  if (session === undefined) return primary.provider;
  const own = await chat.modelOf(session);
  return own.provider ?? ((await chat.get(session))?.provider || primary.provider);
}

function migrationLines({ file, changed, servers, plugins, notes, error }: MigrationReport): readonly string[] {
  const names = [...servers, ...plugins];
  const of = names.length === 0 ? "the agent's own tools" : `the agent's own tools, ${names.join(", ")}`;
  return [
    error === undefined ? `${file}: ${changed ? "updated" : "up to date"} (${of})` : `${file}: not written: ${error}`,
    ...notes.map(({ name, kind, text }) => `  ${name === "" ? "" : `${shownName(name)}: `}${LABEL[kind]}${text}`),
  ];
}

const LABEL = { note: "", skipped: "skipped: ", error: "not migrated: " } as const;

/** A name of the settings may hold anything. */
const shownName = (name: string): string => (/^[\w.@-]+$/.test(name) ? name : JSON.stringify(name));

const warnings = ({ policyHooks, protocol }: RuntimeEnabled): readonly string[] => [
  ...protocol.unknown.map((difference) => `this version of the app-server ${difference}`),
  ...(protocol.unknown.length === 0 ? [] : ["turns may fail where it does; agent vendor-runtime auto switches back"]),
  ...(policyHooks
    ? [
        "pre_tool_call hooks see only what the app-server asks for; commands that it runs without asking do not reach them",
      ]
    : []),
];
