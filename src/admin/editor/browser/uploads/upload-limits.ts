const MEGABYTE = 1_048_576;

/** Types and sizes as in docs/api.md. The server also checks each file's content. */
const KINDS = [
  {
    types: "image/jpeg,image/png,image/gif,image/webp,image/avif,image/heic,image/heif",
    most: 20 * MEGABYTE,
    name: "Pictures",
  },
  { types: "video/mp4,video/quicktime,video/webm", most: 250 * MEGABYTE, name: "Videos" },
];

export const ACCEPTED = KINDS.map(({ types }) => types).join(",");

/** Allows types that the browser does not know, because the server checks the content. */
export function uploadError({ name, type, size }: File): string | null {
  const kind = KINDS.find(({ types }) => types.split(",").includes(type));
  if (!kind && type !== "")
    return `${name} can't be used. Pictures: JPEG, PNG, GIF, WebP, AVIF or HEIC. Videos: MP4, MOV or WebM.`;
  if (size === 0) return `${name} is empty.`;
  if (kind && size > kind.most)
    return `${name} is too large (${Math.ceil(size / MEGABYTE)} MB). ${kind.name} can be up to ${kind.most / MEGABYTE} MB.`;
  return null;
}
