import type {
  AgentContext,
  ClientCapabilities,
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { methods, RequestError } from "@agentclientprotocol/sdk";

/** The editor at the other end. */
export interface Editor {
  /** What it said it can do. */
  readonly capabilities: ClientCapabilities;
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /** Aborting withdraws the question. */
  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  elicit(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
  readFile(sessionId: string, path: string, signal: AbortSignal): Promise<string>;
  writeFile(sessionId: string, path: string, content: string, signal: AbortSignal): Promise<void>;
}

/** @param capabilities those of `initialize`, once it was asked */
export function createEditor(client: AgentContext, capabilities: () => ClientCapabilities): Editor {
  const withdrawn = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true });
  return {
    get capabilities() {
      return capabilities();
    },
    update: (sessionId, update) => client.notify(methods.client.session.update, { sessionId, update }),
    permission: (request, signal) =>
      client.request(methods.client.session.requestPermission, request, withdrawn(signal)),
    elicit: (request, signal) => client.request(methods.client.elicitation.create, request, withdrawn(signal)),
    readFile: async (sessionId, path, signal) => {
      const { content } = await client.request(methods.client.fs.readTextFile, { sessionId, path }, withdrawn(signal));
      if (typeof content === "string") return content;
      throw new RequestError(-32603, `the editor answered without the text of ${path}`);
    },
    writeFile: async (sessionId, path, content, signal) => {
      await client.request(methods.client.fs.writeTextFile, { sessionId, path, content }, withdrawn(signal));
    },
  };
}
