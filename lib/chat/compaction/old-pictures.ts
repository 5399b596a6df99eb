import { REMOVED_ATTACHMENT, removedResultPicture } from "../../contracts/models/pictures.js";
import type { Item } from "./history.js";

/**
 * What happens to the pictures of a message that stays: those of results outside of the tail, or older than the newest ones, become a line each; so do
 * those of the user before the newest message that holds any (core part, 8.3, steps 2 and 7). The files stay with the conversation.
 *
 * @param items the whole conversation
 * @param tail place from which messages stay as they are
 */
export function oldPicturesRemoved(items: readonly Item[], tail: number): (item: Item) => Item {
  const attached = items.findLastIndex(({ role, pictures = [] }) => role === "user" && pictures.length > 0);
  const place = new Map(items.map(({ id }, at) => [id, at]));
  return (item) => {
    const at = place.get(item.id) ?? 0;
    const stays = item.role === "tool" ? at >= tail : at >= attached;
    const { pictures = [], hiddenPictures = 0 } = item;
    const gone = hiddenPictures + (stays ? 0 : pictures.length);
    if (gone === 0) return item;
    const mark = item.role === "tool" ? removedResultPicture(item.toolName ?? "") : REMOVED_ATTACHMENT;
    return {
      ...item,
      content: [item.content, ...Array.from({ length: gone }, () => mark)].join("\n").trim(),
      pictures: stays ? pictures : [],
      hiddenPictures: 0,
      changed: { ...item.changed, content: true, pictures: true },
    };
  };
}
