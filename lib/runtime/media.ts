import { once } from "../base/async/lazy.js";
import type { MediaApi } from "../contracts/media/media.js";
import { namedModels } from "./aux-models.js";
import type { OutsidePart } from "./outside-part.js";
import { toolCredentials } from "./tool-credentials.js";

/** Pictures, videos, and several models that answer one question. Loaded when a turn asks what is offered. */
export const mediaPart: OutsidePart = (options, around) => {
  const credentials = toolCredentials(options, around, "search-vendor");
  const media = once(async (): Promise<MediaApi> => {
    const [{ createMedia }, { createMediaCache }, { imageBackendOf, videoBackendOf }, adapters] = await Promise.all([
      import("../media/media.js"),
      import("../media/cache.js"),
      import("../media/plugin-backends.js"),
      import("../../adapters/media/index.js"),
    ]);
    return createMedia({
      ...options,
      env: options.config.env,
      credentials,
      cache: createMediaCache(options),
      videoBackends: () => [...adapters.VIDEO_BACKENDS, ...around.provided("video").map(videoBackendOf)],
      imageBackends: () => [...adapters.IMAGE_BACKENDS, ...around.provided("image").map(imageBackendOf)],
    });
  });
  const mixture = once(async () => {
    const { createMixture } = await import("../media/mixture.js");
    return createMixture({ config: options.config, models: namedModels(options, around.models) });
  });
  return {
    ports: {
      media: {
        offered: async (sort) => (await media()).offered(sort),
        describe: async (sort) => (await media()).describe(sort),
        generateVideo: async (request, caller) => (await media()).generateVideo(request, caller),
        generateImage: async (request, caller) => (await media()).generateImage(request, caller),
      },
      mixture: { ask: async (prompt, caller) => (await mixture()).ask(prompt, caller) },
    },
  };
};
