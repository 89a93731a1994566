/** A library of sharp's, as the executable carries it. */
export interface Native {
  /** Below the folder it is unpacked to. The addon finds libvips by this layout, which is compiled into it as its RPATH. */
  readonly path: string;
  /** Where it is inside the executable. */
  readonly carried: string;
  readonly sha256: string;
}

/** None in a checkout, where sharp finds its own; the build of the executable puts its list in the place of this module. */
export const natives: Native[] = [];
