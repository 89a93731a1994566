/**
 * Parts of css-tree that work without its property dictionary. css-tree reads the dictionary from separate
 * files, which the executable lacks.
 */
declare module "css-tree/parser" {
  export { parse as default } from "css-tree";
}
declare module "css-tree/generator" {
  export { generate as default } from "css-tree";
}
declare module "css-tree/walker" {
  export { walk as default } from "css-tree";
}
declare module "css-tree/utils" {
  export { ident } from "css-tree";
}
