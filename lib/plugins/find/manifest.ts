import { join } from "node:path";
import * as z from "zod";
import { readRegularFileSync } from "../../base/fs/files.js";
import type { PluginVariable } from "../../contracts/plugins/plugins.js";

const MAX_BYTES = 64 << 10;
const LIST_MAX = 200;

/** Kinds that the program knows; any other counts as `standalone`. */
const PLUGIN_KINDS = ["standalone", "backend", "exclusive", "platform", "model-provider"] as const;
export type PluginKind = (typeof PLUGIN_KINDS)[number];

const inside = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\\\0]+$/, "must be a path inside the plugin's directory");
const text = z.union([z.string(), z.number()]).transform(String).pipe(z.string().max(2000));
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable");
const word = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "must be letters, digits, - and _");
const names = z.array(z.string().min(1).max(100)).max(LIST_MAX).default([]);

/** Fields of `plugin.yaml`, or of `agentPlugin` in a `package.json`. Unknown ones are left for later versions. */
const manifestSchema = z.object({
  name: z.string().regex(/^[A-Za-z0-9@][A-Za-z0-9 @/._-]{0,99}$/, "must begin with a letter or digit"),
  version: text.default(""),
  description: text.default(""),
  author: text.default(""),
  main: inside.default("index.js"),
  kind: z.string().default("standalone"),
  requires_env: z
    .array(
      z.union([
        variable,
        z.object({
          name: variable,
          description: text.default(""),
          url: text.default(""),
          secret: z.boolean().default(true),
        }),
      ]),
    )
    .max(LIST_MAX)
    .default([]),
  provides_tools: names,
  provides_hooks: names,
  /** Commands `agent <name>`, so that the command line knows them without loading the plugin. */
  provides_cli: z.array(word).max(LIST_MAX).default([]),
  policy: z.boolean().default(false),
  /** For the kind `exclusive`: the setting that holds the name of the plugin in use. */
  chosen_by: z.string().max(200).default(""),
});

/** A manifest that holds. */
export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly author: string;
  readonly main: string;
  readonly kind: PluginKind;
  readonly requiresEnv: readonly PluginVariable[];
  readonly providesTools: readonly string[];
  readonly providesHooks: readonly string[];
  readonly providesCli: readonly string[];
  readonly policy: boolean;
  readonly chosenBy: string;
  readonly warnings: readonly string[];
}

export type ManifestRead =
  | { readonly ok: true; readonly manifest: PluginManifest }
  /** `policy`: as far as can be known, it guards tool calls. */
  | { readonly ok: false; readonly why: string; readonly policy: boolean };

const FILES = ["plugin.yaml", "plugin.yml"] as const;

/** Read the manifest in a directory; undefined: it is not a plugin. Nothing else of it is looked at. */
export async function readManifest(dir: string): Promise<ManifestRead | undefined> {
  for (const file of FILES) {
    const bytes = readRegularFileSync(join(dir, file), MAX_BYTES);
    if (bytes !== undefined) return await parseManifest(file, bytes.toString("utf8"));
  }
  return undefined;
}

/** The manifest that a text holds. @param file name for messages */
export async function parseManifest(file: string, yaml: string): Promise<ManifestRead> {
  const { isMap, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(yaml, { uniqueKeys: true, customTags: [], lineCounter: lines });
  const policy = /^policy:\s*(?:true|yes|on)\b/m.test(yaml);
  const [problem] = document.errors;
  if (problem !== undefined) {
    const why = problem.message.split("\n")[0] ?? "invalid YAML";
    return {
      ok: false,
      policy,
      why: `${file}:${lines.linePos(problem.pos[0]).line}: ${why.replace(/ at line .*$/, "")}`,
    };
  }
  if (!isMap(document.contents)) return { ok: false, policy, why: `${file}:1: must be a map with a name` };
  const value: unknown = document.toJS({ maxAliasCount: 50 });
  const read = readFields(value);
  if (read.ok) return read;
  const node: unknown = document.getIn(read.path, true);
  const range: unknown = typeof node === "object" && node !== null ? Reflect.get(node, "range") : undefined;
  const at: unknown = Array.isArray(range) ? range[0] : 0;
  return { ok: false, policy, why: `${file}:${lines.linePos(typeof at === "number" ? at : 0).line}: ${read.why}` };
}

type FieldsRead =
  | { readonly ok: true; readonly manifest: PluginManifest }
  | { readonly ok: false; readonly why: string; readonly path: readonly (string | number)[] };

/** The manifest that a value holds. */
export function readFields(value: unknown): FieldsRead {
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).filter((part) => typeof part !== "symbol");
    return { ok: false, path, why: `${path.join(".") || "manifest"}: ${issue?.message ?? "malformed"}` };
  }
  const given = parsed.data;
  const known = PLUGIN_KINDS.find((kind) => kind === given.kind);
  return {
    ok: true,
    manifest: {
      name: given.name,
      version: given.version,
      description: given.description,
      author: given.author,
      main: given.main,
      kind: known ?? "standalone",
      requiresEnv: given.requires_env.map((one) =>
        typeof one === "string" ? { name: one, description: "", url: "", secret: true } : one,
      ),
      providesTools: given.provides_tools,
      providesHooks: given.provides_hooks,
      providesCli: given.provides_cli,
      policy: given.policy,
      chosenBy: given.chosen_by,
      warnings: known === undefined ? [`unknown kind '${given.kind}' counts as standalone`] : [],
    },
  };
}
