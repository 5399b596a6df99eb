import { createJobThread } from "../../base/async/job-thread.js";
import { distFile } from "../../base/fs/dist.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { DocumentJob, DocumentText } from "../../contracts/web/document.js";

const WITHIN_MS: Ms = 20_000;
const MEGABYTES = 768;
const TOO_MUCH = `it takes more than ${WITHIN_MS / 1000} s or ${MEGABYTES} MB to read it`;

/**
 * Reads pages, PDFs and other documents as text, one after the other, in a thread of its own: a hostile one costs a bounded time and amount of memory
 * and does not delay others. The opener of a reader closes it.
 */
export interface DocumentReader {
  /** @throws the signal's reason, at once, when it aborts */
  read(job: DocumentJob, signal: AbortSignal): Promise<DocumentText>;
  close(): Promise<void>;
}

export function openDocumentReader(clock: Clock, withinMs: Ms = WITHIN_MS): DocumentReader {
  const thread = createJobThread({
    file: distFile("document-thread.cjs"),
    clock,
    withinMs,
    idleMs: 60_000,
    mostFailures: Number.MAX_SAFE_INTEGER, // it lives for one call only
    restMs: 0,
    maxMegabytes: MEGABYTES,
  });
  const run = async (job: DocumentJob, signal: AbortSignal): Promise<DocumentText | undefined> => {
    signal.throwIfAborted();
    const stop = (): void => {
      thread.close().catch(() => undefined); // a thread that has ended by itself
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      const answer = await thread.run(job);
      signal.throwIfAborted();
      return answer as DocumentText | undefined; // what `convertDocument` gives
    } finally {
      signal.removeEventListener("abort", stop);
    }
  };
  return {
    read: async (job, signal) =>
      (await run(job, signal)) ??
      (await run({ ...job, plain: true }, signal)) ?? {
        ok: false,
        why: TOO_MUCH,
        hint: "work on a part of it in the terminal",
      },
    close: () => thread.close(),
  };
}
