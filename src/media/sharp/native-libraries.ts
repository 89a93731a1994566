export interface NativeLibrary {
  /** Path in the unpack folder. The RPATH of sharp's addon depends on these paths. */
  readonly path: string;
  readonly embeddedPath: string;
  readonly sha256: string;
}

/**
 * Native libraries in the executable. A checkout has none and uses node_modules. packaging/embedded-assets.ts
 * replaces this module.
 */
export const nativeLibraries: NativeLibrary[] = [];
