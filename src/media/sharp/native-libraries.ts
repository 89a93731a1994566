export interface NativeLibrary {
  /** Path in the unpack folder. The RPATH of sharp's addon depends on this path. */
  readonly path: string;
  readonly embeddedPath: string;
  readonly sha256: string;
}

/** packaging/embedded-assets.ts replaces this module. A checkout uses node_modules instead. */
export const nativeLibraries: NativeLibrary[] = [];
