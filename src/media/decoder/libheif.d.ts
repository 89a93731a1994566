declare module "*.wasm" {
  const path: string;
  export default path;
}

/**
 * libheif compiled by Emscripten. A function that returns a struct takes the struct's address as first
 * argument.
 */
declare module "libheif-js/libheif-wasm/libheif.js" {
  interface Libheif {
    readonly ready: Promise<unknown>;
    /** Emscripten replaces this view whenever the memory grows. */
    readonly HEAPU8: Uint8Array;
    _malloc(size: number): number;
    _heif_context_alloc(): number;
    _heif_context_read_from_memory_without_copy(
      error: number,
      context: number,
      from: number,
      size: number,
      options: number,
    ): void;
    _heif_context_get_primary_image_handle(error: number, context: number, to: number): void;
    _heif_image_handle_get_width(handle: number): number;
    _heif_image_handle_get_height(handle: number): number;
    _heif_decode_image(
      error: number,
      handle: number,
      to: number,
      colorspace: number,
      chroma: number,
      options: number,
    ): void;
    _heif_image_get_plane_readonly(image: number, channel: number, stride: number): number;
    _heif_image_handle_get_raw_color_profile_size(handle: number): number;
    _heif_image_handle_get_raw_color_profile(error: number, handle: number, to: number): void;
  }

  export default function libheif(options: { wasmBinary: Uint8Array }): Libheif;
}
