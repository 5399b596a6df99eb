import { useLayoutEffect, useRef } from "preact/hooks";
import { useDesk, useView } from "../desk.js";

/** Takes the focus, once, when keys have moved the cursor to this card; also when the card is drawn only because of that. */
export function useFocus(id: string) {
  const { handled } = useDesk();
  const link = useRef<HTMLAnchorElement>(null);
  const wanted = useView((now) => (now.cursor === id ? now.focus : 0));
  useLayoutEffect(() => {
    if (wanted <= handled.focus) return;
    handled.focus = wanted;
    link.current?.focus({ preventScroll: true });
  }, [wanted, handled]);
  return link;
}
