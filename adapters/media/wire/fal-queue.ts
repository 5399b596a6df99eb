import type { Ms } from "../../../lib/base/units.js";
import type { MediaCall, MediaContext, MediaOutcome, RequestHandle } from "../../../lib/contracts/media/backends.js";
import {
  type Answer,
  ask,
  type BackendWords,
  cancelled,
  type Failed,
  garbled,
  isGood,
  mayPass,
  refusal,
  saidIn,
  textAt,
  unreachable,
} from "./exchange.js";

/** The public queue: a request is accepted, asked about until it is completed, and fetched (extensions part, 10.2). */

/** One generation. `read` finds the address of the medium in the result. */
export interface QueueJob {
  readonly base: string;
  readonly endpoint: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly words: BackendWords;
  readonly wanted: string;
  readonly read: (result: unknown) => string | undefined;
}

const POLL_MS: Ms = 3_000;
const LIMIT_MS: Ms = 600_000;
const CANCEL_MS: Ms = 5_000;
/** Attempts to fetch a result that is there. */
const FETCHES = 3;

const FAL_KEY = "FAL_KEY";

const falKeyOf = ({ env }: Pick<MediaContext, "env">): string => env[FAL_KEY]?.trim() ?? "";

/** What the queue lacks here. */
export const lacksFalKey = (around: MediaContext): string | undefined =>
  falKeyOf(around) === "" ? `set ${FAL_KEY} in .env of the home (keys: https://fal.ai/dashboard/keys)` : undefined;

export const queueWords = (setting: string): BackendWords => ({
  name: "queue",
  keyRemedy: `correct ${FAL_KEY} in .env of the home`,
  setting,
});

/** Documented at `MediaBackend.generate`. */
export async function generateInQueue(job: QueueJob, call: MediaCall, around: MediaContext): Promise<MediaOutcome> {
  const queue = { job, call, around };
  const accepted = call.accepted === undefined ? await submit(queue) : call.accepted;
  if ("ok" in accepted) return accepted as Failed; // a handle holds texts alone
  const handle = accepted as RequestHandle; // the other half of it
  const until = around.clock.mono() + LIMIT_MS;
  try {
    const failed = await waitUntilCompleted(queue, handle, until);
    return failed ?? (await fetchResult(queue, handle));
  } catch (error) {
    if (!call.signal.aborted) return { ...unreachable(job.words, error), open: true };
    return cancelled(job.words.name, !(await cancel(queue, handle)));
  }
}

interface Queue {
  readonly job: QueueJob;
  readonly call: MediaCall;
  readonly around: MediaContext;
}

const authorization = (around: MediaContext) => ({ authorization: `Key ${falKeyOf(around)}` });

async function submit({ job, call, around }: Queue): Promise<RequestHandle | Failed> {
  const { base, endpoint, words } = job;
  let answer: Answer;
  try {
    answer = await ask(
      around,
      {
        method: "POST",
        url: `${base}/${endpoint}`,
        headers: { "content-type": "application/json", ...authorization(around) },
        body: JSON.stringify(job.body),
      },
      call.signal,
    );
  } catch (error) {
    // It may have arrived: nothing can be asked about it, and nothing can be cancelled.
    return call.signal.aborted ? cancelled(words.name, true) : { ...unreachable(words, error), open: true };
  }
  if (!isGood(answer)) return refusal(words, answer, around.clock.now());
  const id = textAt(answer.value, "request_id");
  if (id === undefined) return garbled(words, "request_id", answer);
  const handle = handleOf(job, id, answer);
  await call.onAccepted(handle);
  return handle;
}

/** The key goes to the address that the user has set up alone, whatever addresses an answer names. */
function handleOf({ base, endpoint }: QueueJob, id: string, { value }: Answer): RequestHandle {
  const request = `${base}/${endpoint.split("/").slice(0, 2).join("/")}/requests/${encodeURIComponent(id)}`;
  const own = (name: string, otherwise: string): string => {
    const told = textAt(value, name);
    return told !== undefined && URL.canParse(told) && new URL(told).origin === new URL(base).origin ? told : otherwise;
  };
  return {
    request_id: id,
    status_url: own("status_url", `${request}/status`),
    response_url: own("response_url", request),
    cancel_url: own("cancel_url", `${request}/cancel`),
  };
}

/** Undefined: it is completed. */
async function waitUntilCompleted(queue: Queue, handle: RequestHandle, until: Ms): Promise<Failed | undefined> {
  const { job, call, around } = queue;
  const { words } = job;
  for (;;) {
    const answer = await ask(
      around,
      { method: "GET", url: handle["status_url"] ?? "", headers: authorization(around) },
      call.signal,
    ).catch((error: unknown) => {
      call.signal.throwIfAborted();
      call.progress(unreachable(words, error).message);
      return undefined; // said above; the request goes on at the provider
    });
    if (answer !== undefined && !isGood(answer) && !mayPass(answer)) return refusal(words, answer, around.clock.now());
    const status = textAt(answer?.value, "status") ?? "";
    if (status === "COMPLETED") return undefined;
    if (/^(FAILED|ERROR|CANCELLED|CANCELED)$/.test(status)) return failedText(words, status, answer);
    if (status !== "") call.progress(progressText(words.name, status, answer));
    if (around.clock.mono() + POLL_MS > until) break;
    await around.clock.sleep(POLL_MS, call.signal);
  }
  const gone = await cancel(queue, handle);
  const rest = gone
    ? "and was cancelled. Try again, or choose a faster model"
    : "and could not be cancelled. The same call again goes on waiting for it, at no further cost";
  return {
    ok: false,
    code: "timeout",
    message: `${words.name} was not done within ${LIMIT_MS / 1_000} s ${rest}`,
    ...(gone ? {} : { open: true }),
  };
}

const failedText = ({ name }: BackendWords, status: string, answer: Answer | undefined): Failed => ({
  ok: false,
  code: "api_error",
  message: `${name} reports ${status}: ${saidIn(answer?.value) ?? "no reason given"}. Change the arguments, or try again`,
});

function progressText(name: string, status: string, answer: Answer | undefined): string {
  const place = answer?.value?.["queue_position"];
  if (status === "IN_QUEUE") return `${name}: waiting${typeof place === "number" ? `, ${place} ahead` : ""}`;
  return `${name}: ${status === "IN_PROGRESS" ? "in progress" : status.toLowerCase().slice(0, 40)}`;
}

async function fetchResult({ job, call, around }: Queue, handle: RequestHandle): Promise<MediaOutcome> {
  const { words, wanted } = job;
  for (let attempt = 1; ; attempt++) {
    const answer = await ask(
      around,
      { method: "GET", url: handle["response_url"] ?? "", headers: authorization(around) },
      call.signal,
    );
    if (isGood(answer)) {
      const url = job.read(answer.value);
      const extras = { request_id: handle["request_id"] ?? "", endpoint: job.endpoint };
      return url === undefined ? garbled(words, wanted, answer) : { ok: true, url, extras };
    }
    const failed = refusal(words, answer, around.clock.now());
    if (!mayPass(answer)) return failed;
    if (attempt === FETCHES) return { ...failed, open: true };
    await around.clock.sleep(POLL_MS, call.signal);
  }
}

/** True: the queue has taken the cancellation. */
async function cancel({ around }: Queue, handle: RequestHandle): Promise<boolean> {
  const stop = new AbortController();
  const release = around.clock.after(CANCEL_MS, () => stop.abort());
  try {
    const request = { method: "PUT", url: handle["cancel_url"] ?? "", headers: authorization(around) } as const;
    return isGood(await ask(around, request, stop.signal));
  } catch {
    return false; // it is reported as something that may go on
  } finally {
    release();
  }
}
