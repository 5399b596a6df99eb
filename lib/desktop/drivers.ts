import { type DesktopDriver, type DriverAnswer, type DriverCall, DriverFailure } from "../contracts/desktop/driver.js";

type Env = Readonly<Record<string, string | undefined>>;

/** The drivers of this process: one for each display that a front end has. */
export interface Drivers {
  /**
   * @param repeats the call changes nothing: a restarted driver gets it again
   * @throws DriverFailure
   */
  call(env: Env, call: DriverCall & { readonly repeats: boolean }, signal: AbortSignal): Promise<DriverAnswer>;
  /** What the driver of this display offers. @throws DriverFailure */
  offers(env: Env): Promise<Pick<DesktopDriver, "tools" | "required">>;
  /** It answers with what cannot be: the next call starts another one. */
  restart(env: Env): Promise<void>;
  close(): Promise<void>;
}

export interface DriversDeps {
  /** What tells one display from another. */
  key(env: Env): string;
  /** @throws DriverFailure */
  start(env: Env): Promise<DesktopDriver>;
}

/** Displays that one process drives; the one that was used longest ago is let go. */
const DISPLAYS_AT_MOST = 4;

export function createDrivers({ key, start }: DriversDeps): Drivers {
  const running = new Map<string, Promise<DesktopDriver>>();
  let closed = false;
  const end = async (driver: Promise<DesktopDriver>): Promise<void> => {
    try {
      await (await driver).close();
    } catch {
      /* ok to lose: it was never started, and its user got the error. */
    }
  };
  const drop = async (name: string): Promise<void> => {
    const driver = running.get(name);
    running.delete(name);
    if (driver !== undefined) await end(driver);
  };
  const current = async (env: Env): Promise<DesktopDriver> => {
    if (closed) throw new DriverFailure("unsent", "the desktop driver was stopped");
    const name = key(env);
    const known = running.get(name);
    if (known !== undefined) {
      const driver = await known;
      if (!driver.over) return driver;
      await drop(name);
    }
    const starting = running.get(name) ?? start(env);
    running.set(name, starting);
    const [oldest] = running.keys();
    if (running.size > DISPLAYS_AT_MOST && oldest !== undefined) await drop(oldest);
    try {
      return await starting;
    } catch (error) {
      running.delete(name);
      throw error;
    }
  };
  return {
    offers: current,
    restart: (env) => drop(key(env)),
    call: async (env, call, signal) => {
      const first = await current(env);
      try {
        return await first.call(call, signal);
      } catch (error) {
        if (!(error instanceof DriverFailure) || error.kind === "answered") throw error;
        await drop(key(env));
        // What may have happened is not done again on a guess.
        if (error.kind === "lost" && !call.repeats)
          throw new DriverFailure(
            "lost",
            `${error.message}; whether it has happened is unknown: look with capture`,
            error,
          );
        return await (await current(env)).call(call, signal);
      }
    },
    close: async () => {
      closed = true;
      await Promise.all([...running.keys()].map(drop));
    },
  };
}
