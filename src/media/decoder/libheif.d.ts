declare module "*.wasm" {
  const path: string;
  export default path;
}

/** libheif by Emscripten. A function that returns a struct takes its address as first argument. */
declare module "libheif-js/libheif-wasm/libheif.js" {
  type FunctionName =
    | "_malloc"
    | "_heif_context_alloc"
    | "_heif_context_read_from_memory_without_copy"
    | "_heif_context_get_primary_image_handle"
    | "_heif_image_handle_get_width"
    | "_heif_image_handle_get_height"
    | "_heif_decode_image"
    | "_heif_image_get_plane_readonly"
    | "_heif_image_handle_get_raw_color_profile_size"
    | "_heif_image_handle_get_raw_color_profile";

  interface Libheif extends Record<FunctionName, (...numbersAndAddresses: number[]) => number> {
    readonly ready: Promise<unknown>;
    /** Emscripten replaces this view whenever the memory grows. */
    readonly HEAPU8: Uint8Array;
  }

  export default function libheif(options: { wasmBinary: Uint8Array }): Libheif;
}
