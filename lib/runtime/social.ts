import { once } from "../base/async/lazy.js";
import type { OutsidePart } from "./outside-part.js";
import { toolCredentials } from "./tool-credentials.js";

/** The social search. Loaded when a turn asks what is offered. */
export const socialPart: OutsidePart = (options, around) => {
  const credentials = toolCredentials(options, around, "search-vendor");
  const social = once(async () => {
    const { createSocialSearch } = await import("../media/social/x-search.js");
    return createSocialSearch({ ...options, credentials });
  });
  return {
    ports: {
      social: {
        offered: async () => (await social()).offered(),
        search: async (wanted, progress, signal) => (await social()).search(wanted, progress, signal),
      },
    },
  };
};
