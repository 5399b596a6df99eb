import { join } from "node:path";
import { makeDirectory } from "../../base/fs/files.js";
import { removeTreeSync } from "../../base/fs/home-files.js";
import type { Cage } from "../../safety/cage/cage.js";
import type { CagePlan } from "../../safety/cage/types.js";
import { realTarget } from "../../safety/paths/paths.js";
import type { CommandPlace } from "../core/caged.js";
import type { ToolContext } from "../core/define.js";
import { dropImage, type Shell, takeImage } from "./image.js";

interface Held {
  /** As the login shell has left it, until commands that run in no cage move it on. */
  shell: Promise<Shell> | undefined;
  /** The shell of the commands in the cage. */
  inside: Inside | undefined;
  close(): Promise<void>;
}

/** The shell of this conversation for a place; its login-shell image is taken at the first call. */
export async function shellOf(ctx: ToolContext, place: Exclude<CommandPlace, { how: "refused" }>): Promise<Shell> {
  const held = ctx.state.entry<Held>("terminal", () => ({
    shell: undefined,
    inside: undefined,
    close: async () => {
      const { inside } = held;
      if (inside !== undefined) {
        await inside.shell.removed;
        removeTreeSync(inside.shell.dir);
      }
      if (held.shell === undefined) return;
      const shell = await held.shell;
      await shell.removed;
      await dropImage(shell);
    },
  }));
  held.shell ??= takeOrForget(ctx, held);
  const shell = await held.shell;
  if (place.how === "outside") return place.pristine ? { ...shell } : shell;
  held.inside ??= await createInside(ctx, shell);
  held.inside.enter(place.cage);
  return held.inside.shell;
}

interface Inside {
  readonly shell: Shell;
  /** Its next commands run in this cage. */
  enter(cage: Cage): void;
}

/** The shell of the cage begins as the login shell does, and goes its own way: what is exported inside stays inside. */
async function createInside(ctx: ToolContext, login: Shell): Promise<Inside> {
  const dir = join(realTarget(login.dir) ?? login.dir, `in-${ctx.ports.ids.hex(8)}`);
  await makeDirectory(dir, 0o700);
  let entered: Cage | undefined;
  const enter = (cage: Cage) => {
    if (cage === entered) return;
    entered = cage;
    shell.cage = cage.with(withState(cage.plan, shell));
  };
  const shell: Shell = { ...login, dir };
  return { shell, enter };
}

/** Commands hand their state back through the directory of their shell, and read the functions of the login shell. */
function withState(plan: CagePlan, { dir, image }: Shell): CagePlan {
  const real = image === undefined ? undefined : realTarget(image);
  return { ...plan, writable: [...plan.writable, dir], shown: real === undefined ? plan.shown : [...plan.shown, real] };
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
