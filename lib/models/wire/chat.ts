import type { Provider } from "../../contracts/models/model.js";
import type { ProviderConfig, ProviderPorts } from "../core/define.js";
import { extractError } from "../core/error-text.js";
import { createAssembler } from "./assemble.js";
import { chatBody, endpointUrl } from "./body.js";
import { httpProvider, type MutableWireForm, type Protocol } from "./exchange.js";

/** The chat-completions protocol. */
const CHAT: Protocol = {
  name: "chat-completions",
  url: (config) => endpointUrl(config.baseUrl, "chat/completions"),
  modelsUrl: (config) => endpointUrl(config.baseUrl, "models"),
  headers: bearer,
  body: chatBody,
  assembler: (request) => createAssembler(request.model, request.requestId),
  errorIn: extractError,
  endMark: "[DONE]",
  adapts,
};

/** The chat-completions protocol at one endpoint. */
export const chatProvider = (ports: ProviderPorts, config: ProviderConfig): Provider =>
  httpProvider(CHAT, ports, config);

/** The key as a bearer token. */
export function bearer(config: ProviderConfig): Record<string, string> {
  const key = config.apiKey?.reveal();
  return key ? { authorization: `Bearer ${key}` } : {};
}

/** The endpoint says that it cannot stream, or cannot count while it streams: do without from now on. False: it says something else. */
function adapts(form: MutableWireForm, status: number, body: string): boolean {
  if (!form.streaming || status < 400 || status > 499) return false;
  const words = body.toLowerCase();
  const refused =
    /(not supported|unsupported|not support|not allow|must be false|unknown|unrecognized|not permitted)/.test(words);
  if (!refused || !words.includes("stream")) return false;
  if (form.usage && words.includes("stream_options")) form.usage = false;
  else if (/(not supported|unsupported|not support|not allow|must be false)/.test(words)) form.streaming = false;
  else return false;
  return true;
}
