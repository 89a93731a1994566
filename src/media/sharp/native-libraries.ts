export interface NativeLibrary {
  /** Path in the unpack folder. The addon's RPATH depends on this layout. */
  readonly path: string;
  /** Path of the embedded, zstd-compressed file. */
  readonly embeddedPath: string;
  /** SHA-256 of the unpacked file in hex. */
  readonly sha256: string;
}

/**
 * Native libraries in the executable. A checkout has none and uses node_modules. packaging/embedded-assets.ts
 * replaces this module.
 */
export const nativeLibraries: NativeLibrary[] = [];
