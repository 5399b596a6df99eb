import { AppError } from "../base/errors.js";
import type { Credential } from "../contracts/models/credentials.js";
import type { ProxyAdapter } from "../contracts/owner/proxy.js";

/** The adapters of this process by name and alias. */
export interface ProxyAdapters {
  /** @returns what takes it back @throws E_INVALID when a name is taken, or a path cannot be served */
  register(adapter: ProxyAdapter): () => void;
  /** @throws E_USAGE naming those that there are */
  find(name: string): ProxyAdapter;
  /** By name. */
  list(): readonly ProxyAdapter[];
}

export function createAdapters(): ProxyAdapters {
  const adapters = new Map<string, ProxyAdapter>();
  const list = () => [...adapters.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const find = (name: string) => adapters.get(name) ?? list().find(({ aliases }) => aliases.includes(name));
  return {
    list,
    register: (adapter) => {
      const taken = [adapter.name, ...adapter.aliases].find((name) => find(name) !== undefined);
      if (taken !== undefined) throw new AppError("E_INVALID", `proxy provider ${taken} is already defined`);
      const wrong = adapter.allowedPaths.find((path) => !/^\/v1\/[\x21-\x22\x24-\x3e\x40-\x7e]+$/.test(path));
      if (wrong !== undefined)
        throw new AppError("E_INVALID", `${adapter.name}: path ${JSON.stringify(wrong)} must start with /v1/`);
      adapters.set(adapter.name, shared(adapter));
      return () => {
        adapters.delete(adapter.name);
      };
    },
    find: (name) => {
      const found = find(name);
      if (found) return found;
      const names = list().map((one) => one.name);
      throw new AppError("E_USAGE", `unknown proxy provider ${name} (known: ${names.join(", ")})`, {
        hint: "agent proxy providers lists them",
      });
    },
  };
}

/** The same adapter, asked once by all who want the same at the same time. One who stops waiting does not end the others' wait. */
function shared(adapter: ProxyAdapter): ProxyAdapter {
  let current: Joint<Credential> | undefined;
  const others = new Map<string, Joint<Credential | undefined>>();
  return {
    ...adapter,
    isAuthenticated: () => adapter.isAuthenticated(),
    state: () => adapter.state(),
    getCredential: (signal) => {
      current ??= joint(
        (all) => adapter.getCredential(all),
        () => {
          current = undefined;
        },
      );
      return current.wait(signal);
    },
    getRetryCredential: (failed, status, headers, signal) => {
      const key = `${status} ${failed.baseUrl} ${failed.bearer}`;
      const known =
        others.get(key) ??
        joint(
          (all) => adapter.getRetryCredential(failed, status, headers, all),
          () => {
            others.delete(key);
          },
        );
      others.set(key, known);
      return known.wait(signal);
    },
  };
}

/** Work with several waiters. It is given up when the last one has left. */
interface Joint<T> {
  wait(signal: AbortSignal): Promise<T>;
}

function joint<T>(begin: (signal: AbortSignal) => Promise<T>, over: () => void): Joint<T> {
  const control = new AbortController();
  let waiting = 0;
  const work = begin(control.signal).finally(over);
  work.catch(() => undefined); // its waiters get the error; one who came too late does not
  return {
    wait: (signal) => {
      waiting += 1;
      return new Promise<T>((resolve, reject) => {
        const leave = () => {
          waiting -= 1;
          if (waiting === 0) control.abort(signal.reason);
          reject(signal.reason);
        };
        if (signal.aborted) {
          leave();
          return;
        }
        signal.addEventListener("abort", leave, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
      });
    },
  };
}
