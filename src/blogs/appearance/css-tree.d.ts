/** The parts of css-tree that do without its dictionary of properties: that is read from files beside it, which an executable has not. */
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
