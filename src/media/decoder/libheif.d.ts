declare module "*.wasm" {
  const path: string;
  export default path;
}

/**
 * The libheif functions that Platen calls, compiled by Emscripten. A function that returns a struct writes it to its
 * first argument.
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
    _heif_image_handle_get_image_tiling(
      error: number,
      handle: number,
      isTransformed: number,
      to: number,
    ): void;
    _heif_image_handle_decode_image_tile(
      error: number,
      handle: number,
      to: number,
      colorspace: number,
      chroma: number,
      options: number,
      column: number,
      row: number,
    ): void;
    _heif_decoding_options_alloc(): number;
    _heif_decoding_options_free(options: number): void;
    _heif_image_handle_get_item_id(handle: number): number;
    _heif_item_get_transformation_properties(
      context: number,
      item: number,
      list: number,
      most: number,
    ): number;
    _heif_item_get_property_type(context: number, item: number, property: number): number;
    _heif_item_get_property_transform_rotation_ccw(context: number, item: number, property: number): number;
    _heif_item_get_property_transform_mirror(context: number, item: number, property: number): number;
    _heif_item_get_property_transform_crop_borders(
      context: number,
      item: number,
      property: number,
      width: number,
      height: number,
      left: number,
      top: number,
      right: number,
      bottom: number,
    ): void;
    _heif_image_get_width(image: number, channel: number): number;
    _heif_image_get_height(image: number, channel: number): number;
    _heif_image_get_plane_readonly(image: number, channel: number, stride: number): number;
    _heif_image_release(image: number): void;
    _heif_image_handle_get_raw_color_profile_size(handle: number): number;
    _heif_image_handle_get_raw_color_profile(error: number, handle: number, to: number): void;
  }

  export default function libheif(options: { wasmBinary: Uint8Array }): Libheif;
}
