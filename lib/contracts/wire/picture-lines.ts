/**
 * What front ends show of the pictures of a result: one line each.
 *
 * @param pictures `pictures` of a message, as it came over a wire
 * @param show how a path is shown
 */
export function pictureLines(pictures: unknown, show: (path: string) => string): readonly string[] {
  if (!Array.isArray(pictures)) return [];
  return pictures.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null || !("path" in one) || typeof one.path !== "string") return [];
    const width = "width" in one ? Number(one.width) : 0;
    const height = "height" in one ? Number(one.height) : 0;
    return [`[picture: ${show(one.path)}${width > 0 && height > 0 ? `, ${width}x${height}` : ""}]`];
  });
}

/** Those of them whose pixels are known. */
export function sizedPictures(
  pictures: unknown,
): readonly { readonly path: string; readonly width: number; readonly height: number }[] {
  if (!Array.isArray(pictures)) return [];
  return pictures.flatMap((one: unknown) => {
    if (typeof one !== "object" || one === null || !("path" in one) || typeof one.path !== "string") return [];
    const width = "width" in one ? Number(one.width) : 0;
    const height = "height" in one ? Number(one.height) : 0;
    return width > 0 && height > 0 ? [{ path: one.path, width, height }] : [];
  });
}
