import * as z from "zod";
import { PLATFORM_TAGS, type PlatformTag } from "../../contracts/board/platform-tag.js";

const TAG = /^[a-z][a-z0-9]{1,15}$/;

/** Tag of a platform: of the product, or of a plugin, which the owner knows and a command line does not. An unknown one is refused where it is looked for. */
export const platformParam = (what: string): z.ZodType<PlatformTag, PlatformTag> =>
  z
    .string()
    .regex(TAG, `must be the tag of a platform: ${PLATFORM_TAGS.join(", ")}`)
    .describe(what) as unknown as z.ZodType<PlatformTag, PlatformTag>; // a text of the form of a tag
