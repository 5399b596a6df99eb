import type { UnixSeconds } from "../../base/units.js";
import type { ReasonCode, WaitReason } from "../../contracts/board/explain.js";

/** What a reason tells beside code and sentence. */
export type Extras = Omit<WaitReason, "code" | "text">;

/** A reason whose code is one of the list. */
export const toWaitReason = (code: ReasonCode, text: string, extras: Extras = {}): WaitReason => ({
  code,
  text,
  ...extras,
});

/** That no worker of a profile can start. */
export const noWorkerProgram = (profile: string, problem: string): WaitReason =>
  toWaitReason("no_worker_program", `No worker of ${profile} can start: ${ending(problem)}.`, {
    action: `agent -p ${profile} config set worker.program native, or install the program`,
  });

/** `YYYY-MM-DD HH:MM UTC`. */
export const utc = (at: UnixSeconds): string =>
  `${new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** A text as the end of a sentence: without its own full stop. */
export const ending = (text: string): string => text.trim().replace(/[.\s]+$/, "");
