import {
  InsufficientScopeError,
  isJSONRPCErrorResponse,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { NetError } from "../../lib/base/net/net.js";
import { McpConnectError, McpFailure, type McpFailureKind } from "../../lib/contracts/mcp/connection.js";

const TEXT_CHARS = 2_000;

/** What the caller of a request knows that its failure does not tell. */
export interface Sent {
  /** The user's. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** The request went out with a session. */
  readonly session: boolean;
  /** Why the connection ended, when it has. */
  readonly ended: string | undefined;
}

/** What a request failed by (extensions part, 2.4). */
export function failureOf(error: unknown, sent: Sent): McpFailure {
  if (error instanceof McpFailure) return error;
  const make = (kind: McpFailureKind, text: string): McpFailure =>
    new McpFailure(kind, text.slice(0, TEXT_CHARS), error);
  if (sent.signal?.aborted === true) return make("cancelled", "the user cancelled the call");
  const chain = causesOf(error);
  const login = chain.find((one) => one instanceof UnauthorizedError || one instanceof InsufficientScopeError);
  if (login !== undefined) return make("login", messageOf(login));
  const http = chain.find((one): one is SdkHttpError => one instanceof SdkHttpError);
  if (http !== undefined) return ofHttp(http, sent, make);
  const net = chain.find((one): one is NetError => one instanceof NetError);
  if (net !== undefined) return make(neverSent(net) ? "unsent" : "lost", net.message);
  if (error instanceof McpConnectError) return make("unsent", error.message);
  if (error instanceof ProtocolError) return make("answered", `${error.message} (${error.code})`);
  if (error instanceof SdkError) return ofSdk(error, sent, make);
  return make(sent.ended === undefined ? "answered" : "lost", sent.ended ?? messageOf(error));
}

type Make = (kind: McpFailureKind, text: string) => McpFailure;

function ofSdk(error: SdkError, sent: Sent, make: Make): McpFailure {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return make("timeout", `no answer within ${Math.round(sent.timeoutMs / 1000)} s`);
    case SdkErrorCode.ConnectionClosed:
      return make("lost", sent.ended ?? "the connection was closed");
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return make("unsent", sent.ended ?? "there is no connection");
    case SdkErrorCode.InvalidResult:
    case SdkErrorCode.UnsupportedResultType:
      return make("answered", `the server sent an answer that cannot be read: ${error.message}`);
    default:
      return make("answered", error.message);
  }
}

const SESSION_GONE = /no valid session id|session (not found|terminated|expired)|session terminated/i;

function ofHttp(error: SdkHttpError, sent: Sent, make: Make): McpFailure {
  const { status } = error;
  const text = bodyText(error);
  const said = text === "" ? `HTTP ${status}` : `HTTP ${status}: ${text}`;
  if (status === 401 || status === 403) return make("login", said);
  if (sent.session && (status === 404 || (status === 400 && SESSION_GONE.test(text)))) return make("session", said);
  if (status === 502 || status === 503 || status === 504) return make("lost", said);
  return make("answered", said);
}

/** What the server says, without the envelope of JSON-RPC. */
function bodyText(error: SdkHttpError): string {
  const text = error.data["text"];
  if (typeof text !== "string") return error.message;
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJSONRPCErrorResponse(parsed)) return parsed.error.message;
  } catch {
    /* ok to lose: it is not JSON, and is shown as it is. */
  }
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

const neverSent = ({ failure }: NetError): boolean =>
  failure === "refused" || failure === "dns" || failure === "tls" || failure === "blocked";

/** An error and what it was caused by. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && chain.length < 8; ) {
    chain.push(at);
    const data: unknown = at instanceof SdkError ? at.data : undefined;
    const inner: unknown = typeof data === "object" && data !== null ? Reflect.get(data, "cause") : undefined;
    at = (at instanceof Error ? at.cause : undefined) ?? inner;
  }
  return chain;
}

/** Why a server cannot be connected, in words for people. */
export function connectErrorOf(error: unknown, ended: string | undefined): McpConnectError {
  const chain = causesOf(error);
  const own = chain.find((one): one is McpConnectError => one instanceof McpConnectError);
  if (own !== undefined) return own;
  const failure = failureOf(error, { timeoutMs: 0, session: false, ended });
  if (failure.kind === "login") return new McpConnectError("login", failure.message, error);
  if (failure.kind === "timeout") return new McpConnectError("failed", "it does not answer", error);
  return new McpConnectError("failed", failure.message, error);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
