import { useEffect, useState } from "preact/hooks";
import { urlParts } from "../../../contracts/chat/form-url.js";
import { useServices } from "../services.js";
import { formatRelativeTime } from "../words/time.js";

/** A row of `GET /api/mcp/status`. */
interface Server {
  readonly name: string;
  readonly transport: string;
  readonly state: keyof typeof LOOKS;
  readonly tools: number;
  readonly enabled: boolean;
  /** ISO text. */
  readonly since?: string;
  readonly last_error?: string;
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}

const LOOKS = {
  ready: "chip-good",
  idle: "",
  starting: "",
  disabled: "",
  reconnecting: "chip-warn",
  needs_login: "chip-warn",
  refused: "chip-bad",
  failed: "chip-bad",
} as const;

/** MCP servers of the home: how they are, what they offer, and what to do about those that do not work. */
export function McpServers({ looked }: { looked: number }) {
  const { api, failed } = useServices();
  const [servers, setServers] = useState<readonly Server[] | undefined>(undefined);
  const [acted, setActed] = useState(0);
  useEffect(() => {
    api.get<{ servers: readonly Server[] }>("api/mcp/status").then((told) => setServers(told.servers), failed);
  }, [api, failed, looked, acted]);
  return (
    <section class="panel" aria-label="MCP servers">
      <h2>MCP servers</h2>
      {servers === undefined && <p class="soft">Reading…</p>}
      {servers?.length === 0 && (
        <p class="soft">
          None. <code>agent mcp add NAME</code> adds one.
        </p>
      )}
      <ul class="rows checks mcp-servers">
        {servers?.map((server) => (
          <ServerRow key={server.name} server={server} changed={() => setActed(acted + 1)} />
        ))}
      </ul>
    </section>
  );
}

function ServerRow({ server, changed }: { server: Server; changed: () => void }) {
  const { name, state, transport, tools, enabled, since, last_error: error } = server;
  const { api, failed, tell } = useServices();
  const [busy, setBusy] = useState(false);
  const [login, setLogin] = useState<string | undefined>(undefined);
  const at = `api/mcp/servers/${encodeURIComponent(name)}`;
  const act = (work: () => Promise<void>): void => {
    setBusy(true);
    work()
      .catch(failed)
      .finally(() => {
        setBusy(false);
        changed();
      });
  };
  const press = (verb: string, done: string) => () =>
    act(async () => {
      await api.send("POST", `${at}/${verb}`);
      tell("done", done);
    });
  const logIn = () => act(async () => setLogin((await api.send<{ url: string }>("POST", `${at}/login`)).url));
  const facts = [
    transport,
    tools === 1 ? "1 tool" : `${tools} tools`,
    ...(since === undefined ? [] : [formatRelativeTime(Date.parse(since) / 1000, Date.now() / 1000)]),
  ];
  return (
    <li class="row" aria-label={name}>
      <span class={`chip ${LOOKS[state]}`}>{state.replace("_", " ")}</span>
      <div class="grow">
        <strong>{name}</strong> <span class="soft">{facts.join(" · ")}</span>
        {error !== undefined && state !== "ready" && <p class="problem">{error}</p>}
        {login !== undefined && state !== "ready" && <LoginAddress url={login} />}
        <Tools at={at} count={tools} />
      </div>
      <div class="buttons">
        {enabled && (state === "needs_login" || transport !== "stdio") && (
          <button type="button" class="small" disabled={busy} onClick={logIn}>
            Log in
          </button>
        )}
        {enabled && (
          <button type="button" class="small" disabled={busy} onClick={press("reconnect", `${name} is connected.`)}>
            Reconnect
          </button>
        )}
        <button
          type="button"
          class="small"
          disabled={busy}
          onClick={enabled ? press("disable", `${name} was disabled.`) : press("enable", `${name} was enabled.`)}
        >
          {enabled ? "Disable" : "Enable"}
        </button>
      </div>
    </li>
  );
}

/** The address whole, with what to look at before it is opened. The owner's machine hears of the login, so the browser must run there. */
function LoginAddress({ url }: { url: string }) {
  const parts = urlParts(url);
  if (parts === undefined) return <p class="problem">The server gave no web address for the login.</p>;
  return (
    <p>
      <a href={url} target="_blank" rel="noopener noreferrer">
        Log in at {parts.host}
      </a>{" "}
      <span class="soft">
        in a browser on the owner's machine{parts.warnings.length === 0 ? "" : `; ${parts.warnings.join(", ")}`}
      </span>
    </p>
  );
}

function Tools({ at, count }: { at: string; count: number }) {
  const { api, failed } = useServices();
  const [tools, setTools] = useState<readonly Tool[] | undefined>(undefined);
  if (count === 0) return null;
  const read = (open: boolean): void => {
    if (open) api.get<{ tools: readonly Tool[] }>(`${at}/tools`).then((told) => setTools(told.tools), failed);
  };
  return (
    <details onToggle={(event) => read(event.currentTarget.open)}>
      <summary>Tools</summary>
      <ul class="rows">
        {tools?.map(({ name, description, enabled }) => (
          <li key={name}>
            <code>{name}</code> <span class="soft">{enabled ? description : `left out · ${description}`}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
