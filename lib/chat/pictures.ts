import { AppError } from "../base/errors.js";
import type { ChatPicturesApi } from "../contracts/chat/pictures.js";
import type { SessionStores } from "./sessions/session-stores.js";
import { waitingWith } from "./transcript/queue-store.js";

/** @param waiting messages that wait in queues and hold these words */
export type MakePictures = (waiting: (words: string) => Promise<readonly string[]>) => ChatPicturesApi;

/** Pictures of the messages of all conversations, where they can be kept. */
export const picturesApi = (make: MakePictures | undefined, stores: SessionStores): ChatPicturesApi =>
  make?.((words) => waitingMessages(stores, words)) ?? NO_PICTURES;

const NO_PICTURES: ChatPicturesApi = {
  keepPicture: () => Promise.reject(new AppError("E_STATE", "images are not available here")),
  withPictures: ({ text }) => Promise.resolve(text),
  holdsPicture: () => Promise.resolve(false),
};

const waitingMessages = async (stores: SessionStores, words: string): Promise<readonly string[]> =>
  (await Promise.all((await stores.all()).map(({ store }) => waitingWith(store, words)))).flat();
