const MEGABYTE = 1_048_576;

/** As in docs/limits.md. The server checks them again by content. */
const KINDS = [
  { types: /^image\/(jpeg|png|gif|webp|avif|heic|heif)$/, most: 20 * MEGABYTE, name: "a picture" },
  { types: /^video\/(mp4|quicktime|webm)$/, most: 250 * MEGABYTE, name: "a video" },
];

export const ACCEPTED =
  "image/jpeg,image/png,image/gif,image/webp,image/avif,image/heic,image/heif,video/mp4,video/quicktime,video/webm";

/** @returns an error message, or null. The server checks types the browser doesn't know. */
export function refusalOf({ name, type, size }: { name: string; type: string; size: number }): string | null {
  const kind = KINDS.find(({ types }) => types.test(type));
  if (!kind && type !== "")
    return `${name} is not taken: pictures may be JPEG, PNG, GIF, WebP, AVIF or HEIC, videos MP4, MOV or WebM.`;
  if (size === 0) return `${name} is empty.`;
  if (kind && size > kind.most)
    return `${name} is too large: it has ${Math.ceil(size / MEGABYTE)} MB, and ${kind.name} may have ${kind.most / MEGABYTE} MB.`;
  return null;
}
