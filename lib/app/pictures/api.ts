import type { Home } from "../../base/home.js";
import type { ChatPicturesApi } from "../../proto/chat-pictures.js";
import { meantPath } from "../meant-path.js";
import { mentionsPicture } from "./claim.js";
import { keepPicture, withKeptPictures } from "./keep.js";

/** Pictures of a home for the messages of its conversations. */
export const picturesOf = (home: Pick<Home, "cache">): ChatPicturesApi => ({
  keepPicture: (path, cwd, name) => keepPicture(home, meantPath(path, cwd) ?? path, name),
  withPictures: ({ text, cwd, files }) =>
    withKeptPictures(home, text, { find: (given) => meantPath(given, cwd), ...(files === undefined ? {} : { more: files }) }),
  holdsPicture: (text) => Promise.resolve(mentionsPicture(home, text)),
});
