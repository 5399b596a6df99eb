import { methods, type PromptRequest, type PromptResponse } from "@agentclientprotocol/sdk";
import { withLinkedSignal } from "../../../lib/base/async/abort-any.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { settlesWithin } from "../../../lib/base/time/settles-within.js";
import type { Ms } from "../../../lib/base/units.js";
import type { RuntimeEnding } from "../../../lib/contracts/runtimes/runtime.js";
import type { AgentProgram } from "./connect.js";
import { answered, failure, gone, type ProgramFailure, tooLong } from "./failures.js";

/** Extensions part, 8.9: time that a program has to end a turn that was cancelled. */
const CANCEL_MS: Ms = 10_000;
/** A question is open when the time is up: look again. */
const AGAIN_MS: Ms = 1_000;

export interface Work {
  readonly program: AgentProgram;
  readonly clock: Clock;
  /** 0: no limit. */
  readonly timeoutMs: Ms;
  /** Time spent waiting for people so far. */
  readonly waited: () => Ms;
  /** A person is being asked at this moment. */
  readonly asking: () => boolean;
  /** Withdraws the open questions. */
  readonly withdraw: () => void;
}

/** How a prompt ended, without the words of the agent. */
export interface PromptEnd {
  readonly status: RuntimeEnding["status"];
  readonly failure?: ProgramFailure;
  /** The answer to the prompt, where it came. */
  readonly response?: PromptResponse;
}

type Result = { readonly response: PromptResponse } | { readonly error: unknown };

/** Give a prompt to the program and wait for its end, an interruption or the time limit. Never rejects. */
export async function workPrompt(prompt: PromptRequest, work: Work, signal: AbortSignal): Promise<PromptEnd> {
  const { program } = work;
  const over = new AbortController();
  const result = settled(program.agent.request(methods.agent.session.prompt, prompt));
  const ended = program.ended.then((reason) => ({ error: new Error(reason) }));
  const end = Promise.race([result, ended]);
  try {
    const stopped = await withLinkedSignal([signal], (linked) =>
      Promise.race([end.then(() => undefined), aborted(linked), timeUp(work, over.signal)]),
    );
    if (stopped === undefined) return endingOf(await end, program);
    return await cancel(prompt.sessionId, stopped, { work, end });
  } finally {
    over.abort();
  }
}

async function settled(request: Promise<PromptResponse>): Promise<Result> {
  try {
    return { response: await request };
  } catch (error) {
    return { error };
  }
}

type Stopped = "interrupted" | "timed_out";

const aborted = (signal: AbortSignal): Promise<Stopped> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve("interrupted");
    signal.addEventListener("abort", () => resolve("interrupted"), { once: true });
  });

/** Resolves when the time of the turn is used up; never, once it is over. */
async function timeUp({ clock, timeoutMs, waited, asking }: Work, over: AbortSignal): Promise<Stopped> {
  const begun = clock.mono();
  for (;;) {
    const left = timeoutMs - (clock.mono() - begun - waited());
    if (timeoutMs > 0 && left <= 0 && !asking()) return "timed_out";
    const wait = timeoutMs > 0 ? Math.max(left, AGAIN_MS) : NEVER_MS;
    const slept = await clock.sleep(wait, over).then(
      () => true,
      () => false,
    );
    if (!slept) return new Promise(() => undefined);
  }
}

/** The longest time that a timer can wait. */
const NEVER_MS: Ms = 2 ** 31 - 1;

/** Ask the program to end the turn; one that does not is ended. */
async function cancel(
  sessionId: string,
  stopped: Stopped,
  { work, end }: { readonly work: Work; readonly end: Promise<Result> },
): Promise<PromptEnd> {
  const { program, clock } = work;
  work.withdraw();
  const sent = program.agent.notify(methods.agent.session.cancel, { sessionId });
  sent.catch(() => undefined); // the program has ended: `end` says so
  const obeyed = await settlesWithin(clock, CANCEL_MS, end);
  if (!obeyed) await program.close();
  const result = obeyed ? await end : undefined;
  const response = result !== undefined && "response" in result ? { response: result.response } : {};
  if (stopped === "interrupted") return { status: "interrupted", ...response };
  return { status: "timed_out", failure: tooLong(program.name, work.timeoutMs), ...response };
}

function endingOf(result: Result, program: AgentProgram): PromptEnd {
  const { name } = program;
  if ("error" in result) {
    const reason = program.reason();
    const lost =
      reason === undefined ? answered(name, WORK, result.error, program.logins) : gone(name, WORK, { reason });
    return { status: "failed", failure: lost };
  }
  const { response } = result;
  switch (response.stopReason) {
    case "end_turn":
      return { status: "completed", response };
    case "cancelled":
      return { status: "interrupted", response };
    case "max_tokens":
      return { status: "failed", failure: failure(`${name} stopped: the model's output limit was reached`), response };
    case "max_turn_requests":
      return {
        status: "failed",
        failure: failure(`${name} stopped: its limit of model requests per turn was reached`),
        response,
      };
    case "refusal":
      return { status: "failed", failure: failure(`${name} stopped: the model refused to continue`), response };
  }
}

const WORK = "work the turn";
