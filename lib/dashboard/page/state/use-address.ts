import { useServices } from "../services.js";
import { useStore } from "./use-store.js";

/**
 * A filter that the address of the view holds, and how to change it: a copied address, a reload and the Back button show the same.
 *
 * @param usual value that the address leaves out
 */
export function useAddress(name: string, usual = ""): readonly [value: string, change: (value: string) => void] {
  const { route, readdress } = useServices();
  const value = useStore(route, ({ query }) => query[name] ?? usual);
  return [value, (next) => readdress({ [name]: next === usual ? undefined : next })];
}
