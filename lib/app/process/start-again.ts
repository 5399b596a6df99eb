import { AppError, toAppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import { supervisorOf } from "../../gateway/units/supervisor-env.js";
import { launch } from "./launch-owner.js";

/** A supervisor is asked to start it again. */
const START_AGAIN = 75;

export interface Again {
  /** Command line of the successor. */
  readonly args: readonly string[];
  /** It may start its successor itself. */
  readonly alone: boolean;
}

/** A process that has let go of its home is to come back: by its supervisor, else by itself. @returns its exit code (gateway part, 3.5) */
export async function startAgain(
  home: Home,
  env: Readonly<Record<string, string>>,
  { args, alone }: Again,
): Promise<number> {
  const supervisor = supervisorOf(env);
  if (!alone || supervisor === "other") return START_AGAIN;
  if (supervisor === "systemd") return 0;
  try {
    await launch(home, args, env);
    return 0;
  } catch (error) {
    throw new AppError(
      "E_INTERNAL",
      `the gateway has exited and could not be restarted: ${toAppError(error).message}`,
      {
        hint: "agent gateway start starts it",
      },
    );
  }
}
