import type { ChatPicturesApi } from "../../contracts/chat/pictures.js";
import { keepPicture, type PicturePlace, withKeptPictures } from "./keep-pictures.js";
import { mentionsPicture } from "./picture-mentions.js";
import { meantPath } from "./typed-path.js";

/** Pictures of a home for the messages of its conversations. */
export const picturesOf = (home: PicturePlace): ChatPicturesApi => ({
  keepPicture: (path, cwd, name) => keepPicture(home, meantPath(path, cwd) ?? path, name),
  withPictures: ({ text, cwd, files }) =>
    withKeptPictures(home, text, {
      find: (given) => meantPath(given, cwd),
      ...(files === undefined ? {} : { more: files }),
    }),
  holdsPicture: (text) => Promise.resolve(mentionsPicture(home, text)),
});
