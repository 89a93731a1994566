import { decodedPath } from "../items/imported-item";

/** A picture or film in what a post says. */
export interface ContentPicture {
  /** As it is written there. */
  readonly address: string;
  /** null: nothing is said of it. */
  readonly alt: string | null;
  readonly caption: string;
  /** In its place from now on. */
  put(snippet: string): void;
  /** It stays where it is, at this address. */
  leave(address: string): void;
}

/** What a post says, with what can be put in the place of its pictures. */
export interface PicturedContent {
  readonly pictures: ContentPicture[];
  text(): string;
}

const PICTURE_ENDINGS = /\.(?:jpe?g|png|gif|webp|avif|mp4|m4v|mov|qt|webm)$/i;

/** Is it, by its ending, a file that can be kept here? */
export function isPictureAddress(address: string): boolean {
  return PICTURE_ENDINGS.test(decodedPath(address));
}

/** The address in full; null where it is none, or of a kind that is never asked for (file:, data:). */
export function fullAddress(address: string, base: string): string | null {
  const full = URL.parse(address.trim(), base);
  return full && /^(?:https?|source):$/.test(full.protocol) ? full.href : null;
}
