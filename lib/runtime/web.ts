import { once } from "../base/async/lazy.js";
import { ALLOW_PRIVATE, FAKE_IP_RANGES, TRUST_PROXY } from "../safety/config/keys.js";
import { createAddressFilter } from "../safety/net/address-filter.js";
import { envProxy } from "../safety/net/env-proxy.js";
import type { OutsidePart } from "./outside-part.js";
import { toolCredentials } from "./tool-credentials.js";

/** Searches and pages. Nothing of either is loaded before its first use. */
export const webPart: OutsidePart = (options, around) => {
  const search = once(async () => {
    const [{ createWebSearch }, { SEARCH_BACKENDS }] = await Promise.all([
      import("../web/search/search.js"),
      import("../../adapters/search/index.js"),
    ]);
    return createWebSearch({
      ...options,
      env: options.config.env,
      backends: SEARCH_BACKENDS,
      credentials: (provider) => toolCredentials(options, around, provider),
      ofPlugins: () => around.provided("web_search"),
    });
  });
  const pages = once(async () => {
    const [{ createPages }, { PAGE_BACKENDS }, { siteRefusal }] = await Promise.all([
      import("../web/extract/pages.js"),
      import("../../adapters/search/index.js"),
      import("./site-rules.js"),
    ]);
    const { config } = options;
    const refuse = createAddressFilter({
      clock: options.clock,
      allowPrivate: () => config.get(ALLOW_PRIVATE),
      fakeIpRanges: () => config.get(FAKE_IP_RANGES),
      refuse: siteRefusal(options),
      proxyFor: (url) => (config.get(TRUST_PROXY) ? envProxy(config.env, url) : undefined),
      setting: ALLOW_PRIVATE.key,
    });
    const services = { ...options, env: config.env, backends: PAGE_BACKENDS, refuse: (url: string) => refuse(url) };
    return createPages({ ...options, aux: around.aux, services });
  });
  return {
    ports: {
      web: {
        search: async (query, limit, signal) => (await search())(query, limit, signal),
        extract: async (urls, ask) => (await pages()).extract(urls, ask),
        page: async (url, ask) => (await pages()).page(url, ask),
      },
    },
  };
};
