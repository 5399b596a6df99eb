import type { ToolContext } from "../define.js";
import { dropImage, type Shell, takeImage } from "./image.js";
import { dropReady } from "./ready.js";

interface Held {
  shell: Promise<Shell> | undefined;
  close(): Promise<void>;
}

/** The shell of this conversation; its login-shell image is taken at the first call. */
export function shellOf(ctx: ToolContext): Promise<Shell> {
  const held = ctx.state.entry<Held>("terminal", () => ({
    shell: undefined,
    close: async () => {
      if (held.shell === undefined) return;
      const shell = await held.shell;
      shell.closed = true;
      dropReady(shell);
      await shell.starting; // sees that it is closed
      await Promise.all([shell.removed, dropImage(shell)]);
    },
  }));
  held.shell ??= takeOrForget(ctx, held);
  return held.shell;
}

/** A shell that could not be started is tried again by the next call. */
async function takeOrForget(ctx: ToolContext, held: Held): Promise<Shell> {
  try {
    return await takeImage(ctx);
  } catch (error) {
    held.shell = undefined;
    throw error;
  }
}
