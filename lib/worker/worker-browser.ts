import { AppError } from "../base/errors.js";
import type { Ids } from "../base/ids.js";
import type { SessionId } from "../base/units.js";
import type { BrowserAnswer, BrowserApi, BrowserStatus } from "../contracts/browser/browser.js";

/** The owner whose browser a worker uses. */
export interface OwnerBrowserPlace {
  /** One call to the owner; it waits for one that is there. */
  readonly call: (method: string, params: object) => Promise<unknown>;
  readonly ids: Pick<Ids, "hex">;
  /** The conversation of the run as it is now. */
  session(): SessionId;
  /** Something happened in a call. */
  activity(): void;
}

/** The browser of the owner, for the conversation of a run and its children. Its contexts go when the run ends. */
export interface OwnerBrowser extends BrowserApi {
  /** The run ends. Never rejects. */
  end(): Promise<void>;
}

/** Commands of a worker travel to the owner, which has the one browser. */
export function ownerBrowser({ call, ids, session, activity }: OwnerBrowserPlace): OwnerBrowser {
  let used = false;
  return {
    run: async ({ lineage }, command, signal) => {
      signal.throwIfAborted();
      used = true;
      const about = { session: session(), call: ids.hex(12) };
      const cancel = () => {
        call("worker.browser_cancel", about).catch(() => undefined); // ok to lose: it ends with its own time limit
      };
      signal.addEventListener("abort", cancel, { once: true });
      try {
        return (await call("worker.browser", { ...about, lineage, command })) as BrowserAnswer; // the answer of `workerBrowserMethods`
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AppError && error.code === "E_OUTCOME_UNKNOWN") return restarted;
        throw error;
      } finally {
        signal.removeEventListener("abort", cancel);
        activity();
      }
    },
    status: async () => (await call("worker.browser_status", { session: session() })) as BrowserStatus, // likewise
    connect: notHere,
    disconnect: notHere,
    release: async () => undefined, // everything of the run goes at its end
    end: async () => {
      if (!used) return;
      try {
        await call("worker.browser_end", { session: session() });
      } catch {
        /* ok to lose: the owner ends the contexts of a run whose worker has gone. */
      }
    },
  };
}

const restarted: BrowserAnswer = {
  value: {
    success: false,
    gone: true,
    error: "the page has gone: the owner was restarted. Open it again with browser_navigate.",
  },
};

async function notHere(): Promise<never> {
  throw new AppError("E_STATE", "a board worker uses the browser of its owner as it is");
}
