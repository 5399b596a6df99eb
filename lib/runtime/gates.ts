import type { SessionId } from "../base/units.js";
import { cageOfPlaces } from "../chat/approvals/cage.js";
import type { ApprovalPorts } from "../chat/approvals/hands.js";
import { createPermit, type PermitDeps } from "../chat/approvals/permit.js";
import { approvalScope, type ScopeDeps } from "../chat/approvals/scope.js";
import { createLineageFiles } from "../chat/approvals/turn-facts.js";
import type { PermissionGate } from "../chat/chat-deps.js";
import type { AppOptions } from "../config/app-options.js";
import type { LoadedConfig } from "../config/load-config.js";
import type { NewSession, SessionRecord } from "../contracts/chat/chat.js";
import { type TurnReach, WHOLE_REACH } from "../contracts/gateway/reach.js";
import type { HookBus } from "../contracts/hooks/hooks.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import { APPROVAL, REDACT_SECRETS } from "../safety/config/keys.js";
import { createLineage, createRedactor } from "../safety/redact/redact.js";
import { createScanner } from "./command-scanner.js";
import { logRedactor, secretsOf } from "./known-secrets.js";

/** What conversations may do and what must not be shown, from the settings of this home. */
export interface Gates {
  /** Without hands no one can be asked, and nothing is granted. */
  forSession(session: Pick<SessionRecord, "lineage_root">, options: NewSession, hands?: ApprovalPorts): PermissionGate;
  /** For what leaves the process without a conversation: board texts of workers. */
  readonly redactLog: (text: string) => string;
}

type GateOptions = Pick<AppOptions, "home" | "env" | "clock" | "spawner" | "log" | "cages" | "hooks"> & {
  readonly config: LoadedConfig;
};

/**
 * @param aux the model that `approvals.mode: smart` asks first
 * @param reachOf what a conversation reaches, by whom it works for; absent: everything
 */
export function createGates(
  app: GateOptions,
  aux?: AuxClient,
  reachOf: (options: NewSession, lineage: SessionId) => TurnReach = () => WHOLE_REACH,
): Gates {
  const redactLog = logRedactor(app.config, app.home);
  const lineages = keptForLineages(() => ({ secrets: createLineage(), files: createLineageFiles() }));
  return {
    redactLog,
    forSession: (session, options, hands) => {
      const { secrets: lineage, files } = lineages.of(session.lineage_root);
      const reach = reachOf(options, session.lineage_root);
      const redactor = createRedactor({
        known: secretsOf(app.config, app.home),
        enabled: app.config.get(REDACT_SECRETS),
        lineage,
      });
      return {
        placeholders: lineage,
        reach,
        redact: (text) => redactor.text(text),
        redactStream: () => redactor.stream(),
        reveal: (text) => lineage.resolve(text),
        permit: createPermit({
          ...permitDeps(
            { ...app, ...cageOfPlaces(app.cages, app.config, session.lineage_root) },
            { ...options, reach },
            hands,
          ),
          ...(aux === undefined ? {} : { aux }),
          ...toldOf(app.hooks, session.lineage_root, options),
          redact: (text) => redactor.text(text),
          files,
        }),
      };
    },
  };
}

const toldOf = (
  hooks: HookBus | undefined,
  session: SessionId,
  { origin, source }: NewSession,
): Pick<PermitDeps, "told"> =>
  hooks === undefined ? {} : { told: { hooks, session, surface: origin?.platform ?? source } };

/** Lineages whose values and files this process remembers; those of the one that was used longest ago are forgotten. */
const LINEAGES_AT_MOST = 1_000;

function permitDeps(
  app: GateOptions & Pick<ScopeDeps, "cage">,
  options: NewSession & { readonly reach: TurnReach },
  hands: ApprovalPorts | undefined,
): Omit<PermitDeps, "redact"> {
  const { config, log } = app;
  const scan = createScanner(app, options.env);
  return {
    clock: app.clock,
    scope: async () => approvalScope(app, options, (await hands?.grants()) ?? { rules: [] }),
    scan,
    timeoutMs: () => config.get(options.origin === undefined ? APPROVAL.timeout : APPROVAL.chatTimeout) * 1000,
    approves: () => options.source === "cron" && config.get(APPROVAL.cron) === "approve",
    grant: async (values) => hands?.grant(values),
    grantEdits: async () => hands?.grantEdits(),
    used: (decision) => {
      hands
        ?.used(decision)
        .catch((error: unknown) => log.warning("failed to record the use of a rule", { error: String(error) }));
    },
    ...(hands === undefined ? {} : { asker: hands.asker }),
  };
}

/** What each lineage has in memory, the same for every conversation that is opened of it. */
function keptForLineages<T>(make: () => T): { of(root: string): T } {
  const kept = new Map<string, T>();
  return {
    of: (root) => {
      const lineage = kept.get(root) ?? make();
      kept.delete(root);
      kept.set(root, lineage);
      const [oldest] = kept.keys();
      if (kept.size > LINEAGES_AT_MOST && oldest !== undefined) kept.delete(oldest);
      return lineage;
    },
  };
}
