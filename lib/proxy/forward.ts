import { NetError } from "../base/net/net.js";
import type { Relay, RelayAnswer, RelayCall } from "../base/net/relay.js";
import type { Clock } from "../base/time/clock.js";
import type { Credential } from "../contracts/models/credentials.js";
import type { ProxyAdapter } from "../contracts/owner/proxy.js";
import { isLoopback } from "../http/host.js";
import type { HttpRequest, HttpResponse } from "../http/listener.js";
import { type Admitted, toTooLargeRefusal } from "./admit.js";
import { relayDownload, type Truncated } from "./download.js";
import { answerHeaders, asRecord, requestHeaders } from "./headers.js";
import { upstreamTarget } from "./paths.js";
import { createPatience, type Patience } from "./patience.js";
import { credentialRefusal, type ProxyRefusal, RefusedError } from "./refusal.js";
import type { ProxySettings } from "./settings.js";
import { createUpload, type Upload } from "./upload.js";

export interface ForwardDeps {
  readonly clock: Clock;
  readonly relay: Relay;
  readonly adapter: ProxyAdapter;
}

/** One request that was let in. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly admitted: Extract<Admitted, { kind: "forward" }>;
  readonly settings: ProxySettings;
  /** Aborts when the client is gone. */
  readonly gone: AbortSignal;
  readonly tally: ForwardTally;
}

/** What the log tells of a request. */
export interface ForwardTally {
  status: number;
  in: number;
  out: number;
  retried: boolean;
  truncated: Truncated;
}

interface Passage extends Exchange, ForwardDeps {
  readonly upload: Upload;
  readonly patience: Patience;
  /** What ends the exchange before there is an answer; replaced with each attempt. */
  fail: (refusal: ProxyRefusal) => void;
  /** What ended it while no attempt was under way. */
  failure: ProxyRefusal | undefined;
}

/**
 * Pass one request on and its answer back.
 *
 * @throws RefusedError, NetError without an answer to pass back; nothing was sent to the client then
 */
export async function forward(deps: ForwardDeps, exchange: Exchange): Promise<void> {
  const passage = begin(deps, exchange);
  const { upload, patience, tally, response, settings } = passage;
  try {
    const credential = await currentCredential(passage);
    const first = await attempt(passage, credential);
    const { answer, used } = await answerOrRetry(passage, first);
    upload.release();
    if (answer.status < 400) deps.adapter.succeeded?.(used);
    tally.status = answer.status;
    response.writeHead(answer.status, answer.statusText, answerHeaders(answer.headers, exchange.admitted.cors));
    const down = relayDownload(answer, response, patience, settings.idleMs);
    tally.truncated = await down.done;
    tally.out = down.bytes;
  } finally {
    patience.end(); // what is left of the body still comes to its end
    upload.discard();
    tally.in = upload.bytes;
  }
}

function begin(deps: ForwardDeps, exchange: Exchange): Passage {
  const { request, response, settings, admitted } = exchange;
  const patience = createPatience(deps.clock);
  const limits = { max: settings.maxBodyBytes, hold: settings.retryBytes };
  const upload = createUpload(request, limits, {
    progress: () => patience.touch(),
    tooLarge: () => {
      if (response.headersSent) response.destroy();
      else passage.fail(toTooLargeRefusal(settings.maxBodyBytes));
    },
    ended: () => {
      if (!response.headersSent) awaitHead(passage);
    },
  });
  const passage: Passage = {
    ...deps,
    ...exchange,
    admitted,
    upload,
    patience,
    fail: () => undefined,
    failure: undefined,
  };
  return passage;
}

async function currentCredential({ adapter, gone, clock }: Passage): Promise<Credential> {
  try {
    return await adapter.getCredential(gone);
  } catch (error) {
    throw gone.aborted ? error : new RefusedError(credentialRefusal(error, adapter.loginHint, clock.now()));
  }
}

interface Attempt {
  readonly call: RelayCall;
  readonly answer: RelayAnswer;
  readonly used: Credential;
}

async function attempt(passage: Passage, credential: Credential): Promise<Attempt> {
  const { relay, request, response, admitted, settings, upload, gone } = passage;
  const base = baseOf(credential);
  const authorization = `${credential.tokenType ?? "Bearer"} ${credential.bearer}`;
  const attached = { host: base.host, authorization, body: admitted.body };
  const call = relay.send({
    method: request.method ?? "",
    base,
    target: upstreamTarget(base, admitted.path, admitted.query),
    headers: requestHeaders(request.rawHeaders, attached, settings.dropHeaders),
    connectMs: settings.connectMs,
  });
  gone.addEventListener("abort", () => call.cancel(), { once: true });
  if (gone.aborted) call.cancel();
  if (waitsForLeave(request) && upload.bytes === 0) response.writeContinue();
  const failed = new Promise<never>((_resolve, reject) => {
    passage.fail = (refusal) => {
      passage.failure = refusal;
      reject(new RefusedError(refusal));
      call.cancel();
    };
  });
  upload.to(call.body);
  if (upload.ended) awaitHead(passage);
  else awaitBody(passage);
  const answer = await Promise.race([call.answer, failed]);
  passage.patience.stop();
  if (answer.status < 200) throw new NetError("protocol", `${base.host} responded with status ${answer.status}`);
  return { call, answer, used: credential };
}

/** The client sends its body when it may. */
const waitsForLeave = ({ headers, httpVersionMinor, complete }: HttpRequest) =>
  !complete && httpVersionMinor > 0 && headers.expect?.toLowerCase() === "100-continue";

/** Plain HTTP is for servers of this machine alone; any other stored address did not come from a login. */
function baseOf({ baseUrl }: Credential): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const host = base?.hostname.replace(/^\[|\]$/g, "") ?? "";
  if (base?.protocol === "https:" || (base?.protocol === "http:" && isLoopback(host))) return base;
  const message = "the login's address is neither https nor on this machine";
  throw new RefusedError({ status: 502, code: "upstream_unreachable", message });
}

function awaitBody(passage: Passage): void {
  const { patience, settings, upload } = passage;
  const seconds = settings.idleMs / 1000;
  patience.wait(settings.idleMs, () => {
    if (upload.flowing)
      passage.fail({
        status: 408,
        code: "bad_request",
        message: `the request body stalled for ${seconds} s`,
      });
    else
      passage.fail({
        status: 504,
        code: "upstream_timeout",
        message: `the provider stopped reading the request for ${seconds} s`,
      });
  });
}

function awaitHead(passage: Passage): void {
  const { patience, settings } = passage;
  const message = `the provider did not respond within ${settings.headerMs / 1000} s`;
  patience.wait(settings.headerMs, () => passage.fail({ status: 504, code: "upstream_timeout", message }));
}

/** At most one retry, after 401 or 429, with another credential, and only with a body that is there from its first byte. */
async function answerOrRetry(passage: Passage, first: Attempt): Promise<Attempt> {
  const { upload, tally } = passage;
  const { status } = first.answer;
  if (status !== 401 && status !== 429) return first;
  upload.detach();
  // Asked for also when nothing can be sent again: what failed is marked by it, so that the next request works.
  const other = await otherCredential(passage, first.used, status, first.answer);
  if (passage.failure !== undefined) throw new RefusedError(passage.failure);
  const same = other === undefined || (other.bearer === first.used.bearer && other.baseUrl === first.used.baseUrl);
  if (same || !upload.held) return first;
  first.call.cancel();
  tally.retried = true;
  return attempt(passage, other);
}

async function otherCredential(
  { adapter, gone }: Passage,
  failed: Credential,
  status: 401 | 429,
  answer: RelayAnswer,
): Promise<Credential | undefined> {
  try {
    return await adapter.getRetryCredential(failed, status, asRecord(answer.headers), gone);
  } catch (error) {
    if (gone.aborted) throw error;
    return undefined; // the answer says what is wrong better than this failure does
  }
}
