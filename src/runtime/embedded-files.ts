/** The build of the executable replaces this module (packaging/embedded-assets.ts). */

/** Path of a new database with all migrations applied. */
export const databaseTemplate: string | null = null;

export interface NativeLibrary {
  /** Path in the unpack folder. The RPATH of sharp's addon depends on this path. */
  readonly path: string;
  readonly embeddedPath: string;
  readonly sha256: string;
}

/** Libraries of sharp. Without the executable, sharp loads them from node_modules. */
export const nativeLibraries: NativeLibrary[] = [];
