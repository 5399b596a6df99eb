import { readAtMost } from "../../base/fs/files.js";
import type { Config } from "../../contracts/config/config.js";
import { IMAGE_INPUT } from "../../models/keys.js";
import type { PictureDeps } from "../../models/pictures.js";
import { type DescribeDeps, describing } from "./describe-pictures.js";

/** How requests of this process show pictures: to models that see as they are, to others by a description. */
export const shownPictures = (config: Config, deps: DescribeDeps): PictureDeps => ({
  mode: () => config.get(IMAGE_INPUT),
  read: readAtMost,
  describe: describing(deps),
});
