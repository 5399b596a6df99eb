/** Pictures that people put into their messages (core part, 26.3). */
import type { KeptPicture } from "../models/pictures.js";

export interface PicturedMessage {
  readonly text: string;
  /** What relative paths are relative to. */
  readonly cwd: string;
  /** Paths of pictures besides those that the text mentions. */
  readonly files?: readonly string[];
}

export interface ChatPicturesApi {
  /**
   * Keep a copy of a picture until a message mentions it.
   *
   * @param name what it is called, where its file is not
   * @throws E_NOT_FOUND, E_INVALID for a file that is not a picture that models accept, E_TOO_LARGE naming the limit
   */
  keepPicture(path: string, cwd: string, name?: string): Promise<KeptPicture>;
  /** The text with every picture kept, each by its mention; a turn that begins with it has them. @throws as `keepPicture`, for every mentioned file */
  withPictures(message: PicturedMessage): Promise<string>;
  /** The text holds a picture that is kept. */
  holdsPicture(text: string): Promise<boolean>;
}
