import type { ChatPicturesApi } from "../../proto/chat-pictures.js";
import { meantPath } from "../meant-path.js";
import { mentionsPicture } from "./claim.js";
import { keepPicture, type PicturePlace, withKeptPictures } from "./keep.js";

/** Pictures of a home for the messages of its conversations. */
export const picturesOf = (home: PicturePlace): ChatPicturesApi => ({
  keepPicture: (path, cwd, name) => keepPicture(home, meantPath(path, cwd) ?? path, name),
  withPictures: ({ text, cwd, files }) =>
    withKeptPictures(home, text, { find: (given) => meantPath(given, cwd), ...(files === undefined ? {} : { more: files }) }),
  holdsPicture: (text) => Promise.resolve(mentionsPicture(home, text)),
});
