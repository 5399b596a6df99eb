import {
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  type ClientCapabilities,
  type jsonSchemaValidator,
  LOG_LEVEL_META_KEY,
  type LoggingLevel,
} from "@modelcontextprotocol/client";
import type { Ms } from "../../lib/base/units.js";
import type { McpHooks } from "../../lib/contracts/mcp/connection.js";

/** The probe of the revision is one short question; a server of the older era that says nothing to it is taken for one. */
const PROBE_MS: Ms = 10_000;

/** What a server declares about its results goes to the model and is not enforced: an answer that is there is worth more than its form. */
const ANY_SCHEMA: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }), // T is what the caller takes it for
};

/** Sampling and roots are declared to servers of the older era only: the newer one has retired them. */
class ProductClient extends Client {
  level: LoggingLevel | undefined;

  protected override _outboundMetaEnvelope(): Readonly<Record<string, unknown>> | undefined {
    const envelope = super._outboundMetaEnvelope();
    const declared: unknown = envelope?.[CLIENT_CAPABILITIES_META_KEY];
    if (envelope === undefined || typeof declared !== "object" || declared === null) return envelope;
    const { sampling: _sampling, roots: _roots, ...kept } = declared as ClientCapabilities; // it is what this client was made with
    const level = this.level === undefined ? {} : { [LOG_LEVEL_META_KEY]: this.level };
    return { ...envelope, ...level, [CLIENT_CAPABILITIES_META_KEY]: kept };
  }
}

interface ClientOptions {
  readonly connectMs: Ms;
  /** Log messages of the server that are wanted. */
  readonly level: LoggingLevel;
}

/** The client of one connection, with handlers for what a server may ask. */
export function createClient(
  version: string,
  { connectMs, level }: ClientOptions,
  { asked, changed, say }: McpHooks,
): Client {
  const { sampling, roots } = asked;
  const capabilities: ClientCapabilities = {
    elicitation: { form: {}, url: {} },
    ...(sampling === undefined ? {} : { sampling: {} }),
    ...(roots === undefined ? {} : { roots: { listChanged: true } }),
  };
  const client = new ProductClient(
    { name: "agent", version },
    {
      capabilities,
      versionNegotiation: { mode: "auto", probe: { timeoutMs: Math.min(PROBE_MS, connectMs / 2) } },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: ANY_SCHEMA,
    },
  );
  client.level = level;
  client.setRequestHandler("elicitation/create", async ({ params }, { mcpReq }) => {
    return (await asked.elicit(params, mcpReq.signal)) as never; // the client checks it against the protocol before it is sent
  });
  if (sampling !== undefined)
    client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
      return (await sampling(params, mcpReq.signal)) as never; // likewise
    });
  if (roots !== undefined) client.setRequestHandler("roots/list", async () => ({ roots: [...(await roots())] }));
  for (const what of ["tools", "resources", "prompts"] as const)
    client.setNotificationHandler(`notifications/${what}/list_changed`, () => changed());
  client.setNotificationHandler("notifications/message", ({ params }) => {
    const text = typeof params.data === "string" ? params.data : JSON.stringify(params.data);
    say(levelOf(params.level), params.logger === undefined ? text : `${params.logger}: ${text}`);
  });
  client.onerror = (error) => say("debug", error.message);
  return client;
}

function levelOf(level: string): "debug" | "info" | "warning" | "error" {
  if (level === "debug") return "debug";
  if (level === "info" || level === "notice") return "info";
  return level === "warning" ? "warning" : "error";
}
