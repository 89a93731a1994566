/** A native library embedded in the executable. */
export interface NativeLibrary {
  /** Path below the unpack folder. The addon's RPATH relies on this layout. */
  readonly path: string;
  /** zstd-compressed. */
  readonly embeddedPath: string;
  /** Of the unpacked file, hex. */
  readonly sha256: string;
}

/**
 * Empty in a checkout, which uses node_modules. packaging/embedded-assets.ts replaces this module in the executable.
 */
export const nativeLibraries: NativeLibrary[] = [];
