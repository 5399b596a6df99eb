import type { Gate } from "../chat/chat.js";
import type { NewSession, SessionRecord } from "../proto/chat.js";
import { type ApprovalScope, answerHeadless, decide } from "../safety/approve.js";
import { APPROVAL, REDACT_SECRETS } from "../safety/keys.js";
import { projectRoot, userHomeOf } from "../safety/paths.js";
import { createLineage, createRedactor, type Lineage } from "../safety/redact.js";
import { loadRules, ruleFiles } from "../safety/rules.js";
import type { LoadedConfig } from "./config/config.js";
import { isSecretName, keyVariables, secretTexts } from "./config/secret-names.js";
import type { AppOptions } from "./options.js";

/** What conversations may do and what must not be shown, from the settings of this home. */
export interface Gates {
  forSession(session: Pick<SessionRecord, "lineage_root">, options: NewSession): Gate;
  /** For what leaves the process without a conversation: board texts of workers. */
  readonly redactLog: (text: string) => string;
}

type GateOptions = Pick<AppOptions, "home" | "env"> & { readonly config: LoadedConfig };

export function createGates(app: GateOptions): Gates {
  const redactLog = logRedactor(app.config);
  const lineages = keptLineages();
  return {
    redactLog,
    forSession: (session, options) => {
      const lineage = lineages.of(session.lineage_root);
      const redactor = createRedactor({ known: secretsOf(app.config), enabled: app.config.get(REDACT_SECRETS), lineage });
      return {
        placeholders: lineage,
        redact: (text) => redactor.text(text),
        redactStream: () => redactor.stream(),
        reveal: (text) => lineage.resolve(text),
        permit: async (permission, cwd) => answerHeadless(decide({ ...permission, cwd }, await scopeOf(app, options))),
      };
    },
  };
}

/** Lineages whose values this process remembers; of the one that was used longest ago they have to be met again. */
const LINEAGES_AT_MOST = 1_000;

/** Placeholders of each lineage, the same for every conversation that is opened of it. */
function keptLineages(): { of(root: string): Lineage } {
  const kept = new Map<string, Lineage>();
  return {
    of: (root) => {
      const lineage = kept.get(root) ?? createLineage();
      kept.delete(root);
      kept.set(root, lineage);
      const [oldest] = kept.keys();
      if (kept.size > LINEAGES_AT_MOST && oldest !== undefined) kept.delete(oldest);
      return lineage;
    },
  };
}

/** Rules are read for each question: a file that the user has just changed counts at once. */
async function scopeOf({ home, config }: GateOptions, options: NewSession): Promise<ApprovalScope> {
  const userHome = userHomeOf(options.env);
  const project = projectRoot(options.cwd, userHome);
  return {
    paths: { home, userHome, project, env: options.env },
    rules: await loadRules(ruleFiles(home.dir, project), options.allow, options.deny),
    yolo: options.yolo === true,
    mode: config.get(APPROVAL.mode),
    edits: config.get(APPROVAL.edits),
    allowlist: config.get(APPROVAL.allowlist),
  };
}

/** Redaction of logs: secrets become `[secret:<type>]`. */
export function logRedactor(config: LoadedConfig): (text: string) => string {
  const redactor = createRedactor({ known: secretsOf(config), enabled: config.get(REDACT_SECRETS) });
  return (text) => redactor.text(text);
}

/** Looked for again when the settings were read again; the environment stays as it was loaded. */
function secretsOf(config: LoadedConfig): () => readonly string[] {
  let file: LoadedConfig["file"] | undefined;
  let values: readonly string[] = [];
  return () => {
    if (file !== config.file) values = knownSecrets(config);
    file = config.file;
    return values;
  };
}

/** Values that the product itself holds: secret settings, and secret variables of `.env` and the environment. */
function knownSecrets(config: LoadedConfig): readonly string[] {
  const fromFile = secretTexts(config.file);
  const named = keyVariables(config.file);
  const fromEnv = Object.entries(config.env).flatMap(([name, value]) =>
    value !== undefined && (isSecretName(name) || named.has(name)) ? [value] : [],
  );
  return [...fromFile, ...fromEnv].filter((value) => value.length >= 8 && !value.startsWith("${"));
}
