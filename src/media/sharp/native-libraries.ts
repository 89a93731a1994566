/** A native library that sharp loads, as it is embedded in the executable. */
export interface NativeLibrary {
  /** Below the folder it is unpacked to. The addon finds libvips by this layout, which is compiled into it as its RPATH. */
  readonly path: string;
  /** Its path inside the executable, for `readFile`; compressed by zstd. */
  readonly embeddedPath: string;
  /** Of what it is unpacked to; hex. */
  readonly sha256: string;
}

/** Empty in a checkout, where sharp finds them in node_modules; packaging/embedded-assets.ts replaces this module in the executable. */
export const nativeLibraries: NativeLibrary[] = [];
