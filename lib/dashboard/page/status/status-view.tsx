import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { Icon } from "../shell/icon.js";
import { formatRelativeTime } from "../words/time.js";
import { McpServers } from "./mcp-servers.js";

/** `GET /api/status`, with the token. */
interface Status {
  readonly version: string;
  readonly home?: string;
  readonly config_path?: string;
  readonly env_path?: string;
  readonly owner_pid?: number;
  readonly active_sessions: number;
  /** Turns in progress. */
  readonly open_turns?: number;
  readonly gateway_state: string;
  readonly gateway_platforms: Readonly<Record<string, { readonly state: string }>>;
  readonly gateway_exit_reason: string | null;
  readonly listeners?: readonly {
    readonly kind: string;
    readonly serves: string;
    readonly url: string;
    readonly since: number;
    readonly held_by: string;
  }[];
}

interface ModelInfo {
  readonly provider: string;
  readonly model: string;
  readonly window: number | null;
  readonly problem: string | null;
}

interface Check {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly fix?: string | null;
}

/** What runs here, which model answers, and whether the board is healthy. */
export function StatusView() {
  const { api, failed } = useServices();
  const [looked, setLooked] = useState(0);
  const [status, setStatus] = useState<Status | undefined>(undefined);
  const [model, setModel] = useState<ModelInfo | undefined>(undefined);
  const [checks, setChecks] = useState<readonly Check[] | undefined>(undefined);
  useEffect(() => {
    api.get<Status>("api/status").then(setStatus, failed);
    api.get<ModelInfo>("api/model/info").then(setModel, failed);
    api.get<{ checks: readonly Check[] }>("api/plugins/kanban/doctor").then((told) => setChecks(told.checks), failed);
  }, [api, failed, looked]);
  return (
    <div class="page-view">
      <div class="buttons">
        <h1>Status</h1>
        <button type="button" class="icon-button" aria-label="Look again" onClick={() => setLooked(looked + 1)}>
          <Icon name="refresh" />
        </button>
      </div>
      {status !== undefined && <OwnerFacts status={status} model={model} />}
      {status?.listeners !== undefined && <Listeners listeners={status.listeners} />}
      <McpServers looked={looked} />
      <section class="panel">
        <h2>Board</h2>
        {checks === undefined ? <p class="soft">Looking…</p> : <Checks checks={checks} />}
      </section>
    </div>
  );
}

function OwnerFacts({ status, model }: { status: Status; model: ModelInfo | undefined }) {
  const window = model?.window ?? null;
  const rows: readonly (readonly [name: string, value: string | undefined])[] = [
    ["Version", status.version],
    ["Process", status.owner_pid === undefined ? undefined : String(status.owner_pid)],
    ["Home", status.home],
    ["Settings", status.config_path],
    ["Variables", status.env_path],
    ["Turns in progress", status.open_turns === undefined ? undefined : String(status.open_turns)],
    ["Conversations", `${status.active_sessions} active in the last 5 min`],
    ["Gateway", gatewayOf(status)],
    [
      "Model",
      model === undefined
        ? undefined
        : model.model === ""
          ? "none"
          : `${model.provider}/${model.model}${window === null ? "" : `, ${window} tokens`}`,
    ],
  ];
  return (
    <section class="panel">
      <h2>Owner</h2>
      <dl class="properties">
        {rows.map(([name, value]) =>
          value === undefined ? null : (
            <div key={name} class="property">
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      {model !== undefined && model.problem !== null && <p class="problem">{model.problem}</p>}
    </section>
  );
}

/** State of the gateway, of each platform, or why it ended. */
function gatewayOf({
  gateway_state: state,
  gateway_platforms: platforms,
  gateway_exit_reason: reason,
}: Status): string {
  const each = Object.entries(platforms).map(([name, platform]) => `${name} ${platform.state}`);
  if (each.length > 0) return `${state}: ${each.join(", ")}`;
  return reason === null ? state : `${state}: ${reason}`;
}

function Listeners({ listeners }: { listeners: NonNullable<Status["listeners"]> }) {
  return (
    <section class="panel">
      <h2>Listeners</h2>
      <ul class="rows">
        {listeners.map(({ kind, serves, url, since, held_by }) => (
          <li key={url} class="row">
            <strong>{kind}</strong> <code>{url}</code>
            <span class="soft">
              {serves} · {held_by} · {formatRelativeTime(since / 1000, Date.now() / 1000)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

const LOOKS: Readonly<Record<Check["status"], string>> = { ok: "chip-good", warn: "chip-warn", fail: "chip-bad" };

function Checks({ checks }: { checks: readonly Check[] }) {
  const order = ["fail", "warn", "ok"];
  const sorted = checks.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  return (
    <ul class="rows checks">
      {sorted.map(({ name, status, detail, fix }) => (
        <li key={name} class="row">
          <span class={`chip ${LOOKS[status]}`}>{status}</span>
          <span class="grow">
            <strong>{name}</strong> {detail}
            {fix && status !== "ok" && (
              <>
                {" "}
                <code>{fix}</code>
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
