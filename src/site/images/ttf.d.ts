/** Path of a font imported `with { type: "file" }`. */
declare module "*.ttf" {
  const path: string;
  export default path;
}
