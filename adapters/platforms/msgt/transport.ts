import type { Net, NetRequest } from "../../../lib/base/net/net.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Library } from "./library.js";
import { AnswerShape } from "./wire.js";

type Options = NonNullable<ConstructorParameters<Library["Api"]>[1]>;
type Fetch = NonNullable<Options["fetch"]>;

const ANSWER_BYTES = 16 << 20;

/** An answer that is not in the platform's format: something between us and it spoke. */
export class Foreign extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the platform answered ${status}`);
    this.status = status;
  }
}

export interface Limits {
  readonly signal: AbortSignal;
  /** For the whole exchange. */
  readonly totalMs: Ms;
  readonly connectMs: Ms;
  /** How the platform is reached. */
  readonly way: Pick<NetRequest, "proxy" | "fallbackAddresses">;
}

/** What the library gives to the carrier of its requests, as far as it is used here. */
interface Given {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<Uint8Array>;
  /** Of a kind of its own. Aborts when a file that goes along cannot be read to its end. */
  readonly signal: { addEventListener(type: "abort", heard: () => void): void };
}

/** Carries the requests of the library through the network port of the product: checked addresses, no redirects, bounded answers. */
export function transport(net: Net, { signal, totalMs, connectMs, way }: Limits): Fetch {
  const carry = async (url: string, { headers, body, signal: broken }: Given) => {
    const control = new AbortController();
    const stop = () => control.abort();
    broken.addEventListener("abort", stop);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const response = await net.fetch({
        method: "POST",
        purpose: "model",
        redirects: false,
        url,
        headers: { "content-type": headers["content-type"] ?? "", ...lengthOf(body) },
        body,
        ...way,
        connectMs,
        totalMs,
        maxBytes: ANSWER_BYTES,
        signal: control.signal,
      });
      const answer = answerOf(response.status, await response.text(ANSWER_BYTES));
      return { json: async () => answer };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
  return carry as unknown as Fetch; // the library calls it with an address and these options, and asks for `json` alone
}

const lengthOf = (body: Given["body"]): Readonly<Record<string, string>> =>
  typeof body === "string" ? { "content-length": String(Buffer.byteLength(body)) } : {};

/** Whole, as the library relies on it. @throws Foreign */
function answerOf(status: number, text: string) {
  const answer = parsed(text);
  if (answer === undefined) throw new Foreign(status);
  if (answer.ok && status < 400) return { ok: true, result: answer.result };
  const { description = `the platform answered ${status}`, parameters = {}, error_code: code = status } = answer;
  return { ok: false, error_code: code, description, parameters };
}

/** Undefined: it is not in the platform's format. */
function parsed(text: string) {
  try {
    return AnswerShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
