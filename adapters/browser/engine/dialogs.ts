import type { BrowserContext, Dialog, Page } from "playwright-core";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { DialogPolicy } from "../../../lib/contracts/browser/keys.js";
import type { PendingDialog, SessionDialogs } from "../session.js";

/** Characters of the text of a dialog. */
const TEXT_CHARS = 2_000;

export interface DialogParts {
  readonly clock: Clock;
  readonly policy: () => DialogPolicy;
  readonly timeoutMs: () => Ms;
}

/** Dialogs of all pages of a context. An unanswered one is dismissed, so that its page goes on. */
export function watchDialogs(
  context: BrowserContext,
  { clock, policy, timeoutMs }: DialogParts,
  isOurs: (page: Page | null) => boolean,
): SessionDialogs & { close(): void } {
  const open = new Map<
    string,
    { readonly shown: PendingDialog; readonly dialog: Dialog; readonly forget: () => void }
  >();
  const listeners = new Set<(dialog: PendingDialog) => void>();
  let count = 0;
  const settle = async (id: string, accept: boolean, text?: string): Promise<boolean> => {
    const found = open.get(id);
    if (found === undefined) return false;
    open.delete(id);
    found.forget();
    try {
      await (accept ? found.dialog.accept(text) : found.dialog.dismiss());
    } catch {
      /* ok to lose: its page has gone, and the dialog with it. */
    }
    return true;
  };
  const onDialog = (dialog: Dialog): void => {
    const page = dialog.page();
    if (!isOurs(page)) return; // it is the person's, who answers it
    count += 1;
    const id = `d${count}`;
    const shown: PendingDialog = {
      id,
      type: dialog.type(),
      message: dialog.message().slice(0, TEXT_CHARS),
      defaultValue: dialog.defaultValue().slice(0, TEXT_CHARS),
      url: page?.url() ?? "",
    };
    const late = clock.after(timeoutMs(), () => {
      settle(id, false).catch(() => undefined); // it does not throw
    });
    const gone = () => {
      open.get(id)?.forget();
      open.delete(id);
    };
    page?.once("close", gone);
    const forget = () => {
      late();
      page?.off("close", gone);
    };
    open.set(id, { shown, dialog, forget });
    const chosen = policy();
    if (chosen !== "must_respond") {
      settle(id, chosen === "auto_accept").catch(() => undefined); // it does not throw
      return;
    }
    for (const listener of [...listeners]) listener(shown);
  };
  context.on("dialog", onDialog);
  return {
    pending: () => [...open.values()].map(({ shown }) => shown),
    onOpen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    answer: async ({ accept, text, id }) => {
      const [oldest] = open.keys();
      const wanted = id ?? oldest;
      return wanted !== undefined && (await settle(wanted, accept, text));
    },
    close: () => {
      context.off("dialog", onDialog);
      for (const { forget } of open.values()) forget();
      open.clear();
      listeners.clear();
    },
  };
}
