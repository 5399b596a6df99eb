import { Worker } from "node:worker_threads";
import { AppError, fromWireError, type WireError } from "../../lib/base/errors.js";
import { distFile } from "../../lib/base/fs/dist.js";
import type { StoreSpec } from "../store.js";

/** A store whose copies are compared. */
export type Compared = Pick<StoreSpec, "name" | "path"> & { readonly kind: "board" | "state" };

type Answer = { readonly findings: readonly string[] } | { readonly error: WireError };

/** Compare the copies of a store in a thread of its own. @returns what is wrong, in one sentence each */
export function compareCopies(store: Compared, signal: AbortSignal): Promise<readonly string[]> {
  const thread = new Worker(distFile("check-thread.cjs"), { workerData: store, stdout: false, stderr: false });
  thread.unref();
  return new Promise((resolve, reject) => {
    const end = () => void thread.terminate();
    signal.addEventListener("abort", end, { once: true });
    thread.once("message", (answer: Answer) =>
      "findings" in answer ? resolve(answer.findings) : reject(fromWireError(answer.error)),
    );
    thread.once("error", reject);
    thread.once("exit", () => {
      signal.removeEventListener("abort", end);
      reject(new AppError("E_INTERRUPTED", `the comparison of ${store.name} was cancelled`)); // no longer heard after an answer
    });
  });
}
