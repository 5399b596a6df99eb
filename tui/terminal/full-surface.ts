import { paint } from "../app/paint.js";
import { frame } from "../draw/draw.js";
import { createPictureLayer } from "./picture-layer.js";
import { createCellScreen, type Look } from "./screen.js";
import type { Surface } from "./surface.js";

/** The whole screen, cell by cell. A view that fails is reported to `onError`; the others go on. */
export async function fullSurface(
  { columns, rows }: { readonly columns: number; readonly rows: number },
  look: Look,
  onError: (error: unknown) => void,
): Promise<Surface> {
  let ready = (): void => undefined;
  const pictures = createPictureLayer(() => ready());
  const screen = await createCellScreen(columns, rows, look, pictures);
  /** Where the cursor is on the terminal; undefined: unknown. */
  let cursor: string | undefined;
  const forget = () => {
    screen.forget();
    cursor = undefined;
  };
  return {
    frame: (state) => {
      const painted = paint(screen, state, onError);
      const at = painted.cursor === undefined ? "" : `\x1b[${painted.cursor.y + 1};${painted.cursor.x + 1}H\x1b[?25h`;
      if (painted.body === "" && at === cursor) return "";
      cursor = at;
      return frame(painted.body, at);
    },
    resize: (width, height) => {
      screen.resize(width, height);
      cursor = undefined;
    },
    look: screen.look,
    forget,
    aside: pictures.clear,
    onReady: (wanted) => {
      ready = wanted;
    },
    close: screen.close,
  };
}
